"""python -m tallybook median 3 1 2"""

import sys

import tallybook

if __name__ == "__main__":
    print(getattr(tallybook, sys.argv[1])([int(word) for word in sys.argv[2:]]))
