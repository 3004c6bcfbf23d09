"""The known loop of `truelap doctor --noise`: about a tenth of a millisecond of plain computing."""


def time_loop():
    total = 0
    for number in range(2000):
        total += number * number % 7
    return total
