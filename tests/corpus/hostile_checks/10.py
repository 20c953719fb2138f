"""Lesson 10: diagnoses and lists of numbers."""
# lesson: 10

# === values_that_lie: Returns a number, a list and a dict whose methods lie about what they hold.
# rows of closed_share: failed
# rows of dead_units, update_ratios: shape
# rows of gradient_norms: error

class Number(float):
    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0.0

    def __float__(self):
        return "none"

    def __hash__(self):
        return 1


class Entries(list):
    def __len__(self):
        return 2

    def __iter__(self):
        return iter([True] * 5)


class Keys(dict):
    def __contains__(self, key):
        return True

    def items(self):
        return [(1, 2, 3)]


def closed_share(h, threshold=0.99):
    return Number(7.0)


def dead_units(h):
    return Entries([True])


def gradient_norms(gradients):
    return Keys(a=1)


def update_ratios(parameters, gradients, learning_rate):
    return Entries([1])
