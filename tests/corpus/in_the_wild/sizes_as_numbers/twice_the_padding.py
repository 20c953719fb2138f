"""A two that is no size: what is wrong is the end of a slice, without padding.

lesson: 17
by: dojo
dX: shape | = The shape is (5, 4, 0, 0); expected (5, 4, 9, 12), the shape of the value itself. It is right on 2
    of 3 problems; the first wrong one has batch 5, channels 4, filters 6, height 9, width 12, rows 1, columns 3, stride 2, padding 0.
never_read: failed | = `dX` is not right yet for an image whose last rows no window reads. Its public example:
    exercises/17_convolution/examples.py:22
"""

def dX(dY, X, W, stride, padding):
    P = torch.zeros(X.shape[0], X.shape[1], X.shape[2] + 2 * padding, X.shape[3] + 2 * padding)
    for i in range(dY.shape[2]):
        for j in range(dY.shape[3]):
            P[:, :, i * stride:i * stride + W.shape[2], j * stride:j * stride + W.shape[3]] += torch.einsum("nf,fcab->ncab", dY[:, :, i, j], W)
    return P[:, :, padding:-padding, padding:-padding]
