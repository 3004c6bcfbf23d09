"""What is typical of a list of numbers."""


def median(numbers):
    """The middle one; of an even count, the mean of both middle ones.

    Raises:
        ValueError: there are no numbers.
    """
    if not numbers:
        raise ValueError("no numbers")
    ordered = sorted(numbers)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2


def mode(numbers):
    """The most frequent one; the first of equals."""
    return max(numbers, key=numbers.count)


def spread(numbers):
    """The median distance from the median."""
    middle = median(numbers)
    return median([abs(number - middle) for number in numbers])
