"""How far words are from each other."""


def edit_distance(a, b):
    """The smallest number of insertions, deletions and replacements that turn one word into the other."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            replaced = above + (left != right)
            above = row[j]
            row[j] = min(row[j] + 1, row[j - 1] + 1, replaced)
    return row[-1]


def closest(word, vocabulary):
    """The word of a vocabulary with the smallest distance; the first of equals.

    Raises:
        ValueError: the vocabulary is empty.
    """
    best, smallest = None, None
    for other in vocabulary:
        distance = edit_distance(word, other)
        if smallest is None or distance < smallest:
            best, smallest = other, distance
    if best is None:
        raise ValueError("the vocabulary is empty")
    return best
