"""The places behind the last window, without those in the gaps; and places of no window at all.

lesson: 17
unread: shape
"""

def unread(size, kernel, stride, padding):
    last = (size - kernel) // stride * stride + kernel
    return list(range(last, size))
