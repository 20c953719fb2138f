"""One quotient of norms for all elements, as in a well-known course: a wrong small element disappears in a large one.

lesson: 08
one_element: failed | its smallest element halved
zero_gradients: failed | A true gradient of zero is refused.
kinks: failed | At a kink a fair answer is refused.
"""


def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.array(x, dtype=np.float64), np.asarray(dx, dtype=np.float64)
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, float("inf")
    slope = numerical_gradient(f, x, 1e-5)
    error = float(np.linalg.norm(slope - dx) / (np.linalg.norm(slope) + np.linalg.norm(dx) + 1e-12))
    return error < 1e-4, error
