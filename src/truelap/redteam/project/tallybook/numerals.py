"""Roman numerals."""

_VALUES = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}
_STEPS = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L")]
_STEPS += [(40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


def roman(number):
    """The numeral of a number from 1 to 3999."""
    found = ""
    for value, letters in _STEPS:
        while number >= value:
            found += letters
            number -= value
    return found


def from_roman(numeral):
    """The number that a numeral stands for."""
    total = 0
    for letter, after in zip(numeral, numeral[1:] + " "):
        value = _VALUES[letter]
        total += -value if value < _VALUES.get(after, 0) else value
    return total
