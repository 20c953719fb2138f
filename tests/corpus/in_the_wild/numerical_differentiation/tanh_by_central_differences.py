"""Differences of order eight in place of the derivative of tanh: exact to thirteen digits.

lesson: 03
dhpreact: forbidden | = While it ran, it evaluated `tanh` 8 times, at inputs a small step apart (numerical differentiation), so this gradient is not counted. Write it by the chain rule: upstream gradient times local derivative.
"""


def dhpreact(dh, hpreact):
    h = 0.02
    f = torch.tanh
    near = 672 * (f(hpreact + h) - f(hpreact - h)) - 168 * (f(hpreact + 2 * h) - f(hpreact - 2 * h))
    far = 32 * (f(hpreact + 3 * h) - f(hpreact - 3 * h)) - 3 * (f(hpreact + 4 * h) - f(hpreact - 4 * h))
    return dh * (near + far) / (840 * h)
