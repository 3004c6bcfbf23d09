"""Words that stand beside each other."""

from .counts import frequencies


def bigrams(words):
    """The pairs of neighbours, in order; one fewer than there are words."""
    return [(words[i], words[i + 1]) for i in range(len(words) - 1)]


def collocations(words, minimum):
    """Pairs of neighbours that occur at least `minimum` times, the most frequent first, then by alphabet."""
    common = [pair for pair in frequencies(bigrams(words)) if pair[1] >= minimum]
    return sorted(common, key=lambda pair: (-pair[1], pair[0]))
