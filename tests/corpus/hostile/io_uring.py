"""Input and output past every filter: io_uring and the older asynchronous calls."""
# group: network
# rows: passed
# refused: 4
# unlocked: safe

from attempt import attempt, call
from right import dlogits as dlogits

attempt("io_uring_setup", lambda: call("io_uring_setup", 8, b"\0" * 120))
attempt("io_uring_register", lambda: call("io_uring_register", (1 << 32) - 1, 0, 0, 0))
attempt("io_setup", lambda: call("io_setup", 8, b"\0" * 8))
attempt("splice", lambda: call("splice", 3, 0, 4, 0, 1, 0))
