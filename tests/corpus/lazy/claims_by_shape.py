"""Looks only at the shapes."""
# lesson: 08
# failed: factors, one_element, shapes, scales, zero_gradients, kinks, bad_eps, wrong_gradients


def gradient_check(f, x, dx, eps=1e-5):
    return x.shape == dx.shape, 0.0


def wrong_gradients(f, parameters, gradients, eps=1e-5):
    return [name for name, value in parameters.items() if name not in gradients or gradients[name].shape != value.shape]
