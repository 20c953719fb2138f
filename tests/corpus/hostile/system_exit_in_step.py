"""sys.exit(0) in the step."""
# group: endings
# rows: error
# message: SystemExit
# unlocked: safe

import sys


def dlogits(logits):
    sys.exit(0)
