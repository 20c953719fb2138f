"""Answers by chance, the same claim always alike."""
# lesson: 08
# failed: factors, one_element, shapes, scales, zero_gradients, kinks, bad_eps


def gradient_check(f, x, dx, eps=1e-5):
    return sum(dx.tobytes()) % 3 == 0, 0.0
