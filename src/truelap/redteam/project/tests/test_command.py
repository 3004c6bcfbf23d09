import statistics
import subprocess
import sys


def test_the_command():
    done = subprocess.run([sys.executable, "-m", "tallybook", "median", "8", "6", "7"], capture_output=True, text=True)
    assert done.stdout == f"{statistics.median([8, 6, 7])}\n"
