"""Closes every descriptor there is and waits: nothing is to hang because of it."""
# group: descriptors
# rows: crashed
# message: closed the pipe
# unlocked: safe

import os
import time

os.closerange(0, 5)
time.sleep(60)
