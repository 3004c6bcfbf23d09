"""Probes stand alone: tests import them by their own names from their own folder, as a runner in the sandbox does."""

import sys
from pathlib import Path

PROBES = Path(__file__).parents[2] / "src" / "truelap" / "probes"

if str(PROBES) not in sys.path:
    sys.path.append(str(PROBES))
