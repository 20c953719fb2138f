"""Copies another student's submission, and reads that student's results."""
# group: reading hidden files
# rows: passed
# refused: 3
# stopped from: fair
# unlocked: safe

import os

from attempt import attempt
from right import dlogits as dlogits
from world import OTHER_RESULTS, OTHER_SUBMISSION

attempt("submission", lambda: open(OTHER_SUBMISSION, "rb").read())
attempt("results", lambda: open(OTHER_RESULTS, "rb").read())
attempt("neighbours", lambda: os.listdir(os.path.dirname(os.path.dirname(OTHER_SUBMISSION))))
