"""What can be learned about a hidden file without reading it."""

# === stat_hidden_files: Asks whether hidden files are there, how large they are, and when they were changed.
# rows: passed
# refused: 7
# stopped from: strong
# unlocked: safe

import os

from attempt import attempt
from right import dlogits as dlogits
from world import HIDDEN_SUITE, OTHER_SUBMISSION


def there(answer):
    if not answer:
        raise FileNotFoundError
    return answer


attempt("exists suite", lambda: there(os.path.exists(HIDDEN_SUITE)))
attempt("size", lambda: os.stat(HIDDEN_SUITE).st_size)
attempt("exists student", lambda: there(os.path.exists(OTHER_SUBMISSION)))
attempt("access", lambda: there(os.access(OTHER_SUBMISSION, os.F_OK)))
attempt("O_PATH", lambda: os.open(OTHER_SUBMISSION, os.O_PATH))
attempt("chdir", lambda: os.chdir(os.path.dirname(HIDDEN_SUITE)) or "there now")
attempt("statvfs", lambda: os.statvfs(HIDDEN_SUITE))
