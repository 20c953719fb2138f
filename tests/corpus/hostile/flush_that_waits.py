"""A flush that never returns, called by the worker after every step."""
# group: output
# rows: timeout
# unlocked: safe

import sys
import time

from right import dlogits as dlogits


class Waiting:
    def write(self, text):
        return len(text)

    def flush(self):
        time.sleep(600)


sys.stdout = Waiting()
