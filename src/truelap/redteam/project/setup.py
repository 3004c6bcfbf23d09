"""Makes tallybook/_letters.py. An attack's task file runs it as the build."""

LETTERS = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}

with open("tallybook/_letters.py", "w") as file:
    file.write(f"VALUES = {LETTERS!r}\n")
