"""Three hundred megabytes on both outputs, then a right answer."""
# group: output
# rows: passed, timeout
# message: bytes; what came after
# unlocked: safe

import os

from right import dlogits as dlogits

block = b"x" * (1 << 20)
for number in range(300):
    view = memoryview(block)
    while view:
        view = view[os.write(1 + number % 2, view) :]
