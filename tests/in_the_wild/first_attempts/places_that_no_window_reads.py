"""The places behind the last window, without those in the gaps; and places of no window at all.

lesson: 17
unread: shape | = `unread(size=18, kernel=3, stride=6, padding=1)` has 3 entries; expected 10.
"""

def unread(size, kernel, stride, padding):
    last = (size - kernel) // stride * stride + kernel
    return list(range(last, size))
