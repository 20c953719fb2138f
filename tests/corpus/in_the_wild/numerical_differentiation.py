# lesson: 03

# === logarithm_with_an_imaginary_step: The derivative of the logarithm from a step into the complex plane.
# dprobs: forbidden | = While it ran, it computed with complex numbers (2 complex results) (numerical
#     differentiation), so this gradient is not counted. Write it by the chain rule: upstream gradient times local
#     derivative.

def dprobs(dlogprobs, probs):
    moved = torch.complex(probs, torch.full_like(probs, 1e-20))
    return dlogprobs * moved.log().imag / 1e-20

# === tanh_by_central_differences: Differences of order eight in place of the derivative of tanh: exact to thirteen
#     digits.
# dhpreact: forbidden | = While it ran, it evaluated `tanh` 8 times, at inputs a small step apart (numerical
#     differentiation), so this gradient is not counted. Write it by the chain rule: upstream gradient times local
#     derivative.

def dhpreact(dh, hpreact):
    h = 0.02
    f = torch.tanh
    near = 672 * (f(hpreact + h) - f(hpreact - h)) - 168 * (f(hpreact + 2 * h) - f(hpreact - 2 * h))
    far = 32 * (f(hpreact + 3 * h) - f(hpreact - 3 * h)) - 3 * (f(hpreact + 4 * h) - f(hpreact - 4 * h))
    return dh * (near + far) / (840 * h)

# === the_course_counts_it: The same method where course.toml gives points for it.
# course: numerical_differentiation = "points"
# dhpreact: passed | = While it ran, it evaluated `tanh` 8 times, at inputs a small step apart (numerical
#     differentiation). This course gives points for it.

def dhpreact(dh, hpreact):
    h = 0.02
    f = torch.tanh
    near = 672 * (f(hpreact + h) - f(hpreact - h)) - 168 * (f(hpreact + 2 * h) - f(hpreact - 2 * h))
    far = 32 * (f(hpreact + 3 * h) - f(hpreact - 3 * h)) - 3 * (f(hpreact + 4 * h) - f(hpreact - 4 * h))
    return dh * (near + far) / (840 * h)
