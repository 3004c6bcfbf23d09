"""What tallybook is used for, timed."""

from tallybook import running


class Running:
    def setup(self):
        self.numbers = [number * 7919 % 1009 for number in range(600)]

    def time_running(self):
        running(self.numbers, 60)
