"""Lesson 10: diagnoses and lists of numbers."""
# lesson: 10

# === half_a_surrogate: Returns texts that no file can hold: half surrogate pairs, a million of them.
# rows of saturated, dead, vanishing, exploding, not_zeroed, not_averaged, forgotten_branch, ward: failed
# rows of closed_share: shape

def diagnose(report):
    return chr(0xD800) * 1_000_000


def closed_share(h, threshold=0.99):
    return {chr(0xDFFF): chr(0xD800)}

# === number_beyond_floats: Returns 10**400 from everything.
# rows of closed_share, gradient_growth, gradient_norms: shape
# rows of saturated, dead, vanishing, exploding, not_zeroed, not_averaged, forgotten_branch, ward: failed

def closed_share(h, threshold=0.99):
    return 10**400


def gradient_growth(norms):
    return -(10**400)


def gradient_norms(gradients):
    return [10**400] * len(gradients)


def diagnose(report):
    return 10**400

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
        while True:
            yield True


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

# === values_that_raise: Returns lists and dicts that raise when they are read.
# rows of closed_share, dead_units, gradient_norms: error

class Entries(list):
    def __iter__(self):
        raise KeyError("no entries")


class Keys(dict):
    def items(self):
        raise SystemExit(0)


def closed_share(h, threshold=0.99):
    return Entries([1.0])


def dead_units(h):
    return (Entries([1]), 2)


def gradient_norms(gradients):
    return [Keys(a=1)]
