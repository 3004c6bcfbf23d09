"""`python -m truelap`."""

import os
import sys

if not sys.flags.safe_path:
    # `-m` puts the current folder first, and that may be the submission's: nothing of ours is imported from there.
    sys.path[:] = [folder for folder in sys.path if folder not in {"", os.getcwd()}]  # noqa: PTH109 - pathlib would be imported from there

from truelap.cli import main

main()
