"""The places behind the last window, without those in the gaps; and places of no window at all.

lesson: 17
unread: shape | = `unread(size=19, kernel=4, stride=5, padding=2)` is empty; expected 5 entries.
"""

def unread(size, kernel, stride, padding):
    last = (size - kernel) // stride * stride + kernel
    return list(range(last, size))
