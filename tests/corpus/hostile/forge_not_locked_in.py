"""Says, in the worker's place, that it could not be locked in: a fault of the grader's, which would stop the class."""
# group: forged frames
# rows: crashed
# message: an answer to something else
# unlocked: safe

from frames import frame, send

send(frame({"op": "not locked in", "message": "the dog ate it"}))
