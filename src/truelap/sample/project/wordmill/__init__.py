"""Statistics of plain text: words, counts, neighbours and near misses."""

from .counts import frequencies, hapaxes, top
from .distance import closest, edit_distance
from .grams import bigrams, collocations
from .tokens import sentences, words

__all__ = [
    "bigrams",
    "closest",
    "collocations",
    "edit_distance",
    "frequencies",
    "hapaxes",
    "sentences",
    "top",
    "words",
]
