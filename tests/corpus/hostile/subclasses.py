"""Climbs from an empty tuple to every class of the program, and from there to loaders of files."""
# group: hunting references
# rows: passed
# unlocked: safe

from attempt import attempt, look, part
from right import dlogits as dlogits
from world import HIDDEN_SUITE

waiting, classes = part(object, "__subclasses__")(), set()
while waiting:
    one = waiting.pop()
    if one not in classes:
        classes.add(one)
        waiting += part(type, "__subclasses__")(one)
for one in classes:
    look(one.__name__, [value for value in vars(one).values() if isinstance(value, (str, bytes, tuple, dict))])
for loader in [one for one in classes if one.__name__ == "FileLoader"]:
    attempt("loader", lambda loader=loader: loader("suite", HIDDEN_SUITE).get_data("/nowhere" + HIDDEN_SUITE))
