"""Raises an error that claims to come from the hidden suite, so that the report might quote its lines."""
# group: reading hidden files
# rows: error
# message: ZeroDivisionError
# unlocked: safe

import traceback

from attempt import look
from world import HIDDEN_SUITE

lines = "\n" * 20 + "def failing():\n    return 1 / 0\n"
namespace = {}
exec(compile(lines, HIDDEN_SUITE, "exec"), namespace)


def dlogits(logits):
    try:
        namespace["failing"]()
    except ZeroDivisionError:
        look("quoted", traceback.format_exc())
        raise
