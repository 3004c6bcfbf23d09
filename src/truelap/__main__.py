"""`python -m truelap`."""

from truelap.cli import main

main()
