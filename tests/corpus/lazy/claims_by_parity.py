"""Says right and wrong in turns."""
# lesson: 08
# failed: factors, one_element, shapes, scales, zero_gradients, kinks, bad_eps

turns = [False]


def gradient_check(f, x, dx, eps=1e-5):
    turns[0] = not turns[0]
    return turns[0], 0.0
