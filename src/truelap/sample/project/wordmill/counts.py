"""How often words occur."""


def frequencies(words):
    """Pairs (word, count) in the order in which the words first occur."""
    seen, counts = [], []
    for word in words:
        if word in seen:
            counts[seen.index(word)] += 1
        else:
            seen.append(word)
            counts.append(1)
    return list(zip(seen, counts))


def top(words, n):
    """The n most frequent pairs (word, count); equal counts stand in the order of the alphabet.

    Raises:
        ValueError: n is negative.
    """
    if n < 0:
        raise ValueError("n must not be negative")
    return sorted(frequencies(words), key=lambda pair: (-pair[1], pair[0]))[:n]


def hapaxes(words):
    """The words that occur exactly once, in order."""
    return [word for word, count in frequencies(words) if count == 1]
