"""One block with two thousand names in its header."""
# group: time
# rows: passed
# unlocked: safe

from right import dlogits as dlogits

import contextlib

with contextlib.nullcontext(range(2000)) as (
# 2000 times: aN,
):
    pass
