"""Numbers in a row."""


def running(numbers, width):
    """The sum of each `width` neighbours.

    Raises:
        ValueError: the width is not positive.
    """
    if width < 1:
        raise ValueError("the width must be positive")
    return [sum(numbers[start : start + width]) for start in range(len(numbers) - width + 1)]


def peaks(numbers):
    """Places of the numbers that are larger than both neighbours."""
    return [
        place
        for place in range(1, len(numbers) - 1)
        if numbers[place - 1] < numbers[place] > numbers[place + 1]
    ]
