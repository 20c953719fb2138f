"""The same method where course.toml gives points for it.

lesson: 03
course: numerical_differentiation = "points"
dhpreact: passed | = While it ran, it evaluated `tanh` 8 times, at inputs a small step apart (numerical differentiation). This course gives points for it.
"""


def dhpreact(dh, hpreact):
    h = 0.02
    f = torch.tanh
    near = 672 * (f(hpreact + h) - f(hpreact - h)) - 168 * (f(hpreact + 2 * h) - f(hpreact - 2 * h))
    far = 32 * (f(hpreact + 3 * h) - f(hpreact - 3 * h)) - 3 * (f(hpreact + 4 * h) - f(hpreact - 4 * h))
    return dh * (near + far) / (840 * h)
