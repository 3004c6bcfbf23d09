"""Small sums over lists of numbers, and Roman numerals."""

from .averages import median, mode, spread
from .numerals import from_roman, roman
from .series import peaks, running

__all__ = ["from_roman", "median", "mode", "peaks", "roman", "running", "spread"]
