# === kink_by_two_slopes: Where the slopes to the left and to the right differ, any claim between them passes: near a
#     minimum they always do.
# lesson: 08
# scales, kinks: failed | And is the curve taken for a kink? There, too, the slopes to the left and to the right differ
# zero_gradients: failed | a bias before batch norm

def gradient_check(f, x, dx, eps=1e-5):
    x, dx = np.array(x, dtype=np.float64), np.asarray(dx, dtype=np.float64)
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, float("inf")
    worst = 0.0
    for index in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[index] = 1e-5
        right, left = (f(x + step) - f(x)) / 1e-5, (f(x) - f(x - step)) / 1e-5
        low, high = min(left, right), max(left, right)
        outside = max(low - dx[index], dx[index] - high, 0.0)
        worst = max(worst, outside / max(abs(low), abs(high), abs(dx[index]), 1e-12))
    return bool(worst < 1e-3), worst
