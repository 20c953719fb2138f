"""A neighbour of every hostile submission: tries what must be refused, and prints what came of it."""

import functools
import importlib
import re

elsewhere = {}
exec(compile("def call(function, *given, **named): return function(*given, **named)", "elsewhere", "exec"), elsewhere)
CANARY = re.compile(rb"canary-[0-9a-f]{32}")


def attempt(name, action):
    """What `action` gives, or None. Prints one line: `refused NAME: Error`, or `GOT THROUGH NAME: what`."""
    try:
        got = action()
    except BaseException as error:
        print(f"refused {name}: {type(error).__name__}"[:90])
        return None
    print(f"GOT THROUGH {name}: {show(got)}")
    return got


def show(got):
    """The beginning of what was got, and every canary in it, however deep."""
    text = got if isinstance(got, bytes) else repr(got).encode("utf-8", "replace")
    return f"{text[:60]!r} {CANARY.findall(text)}"


def look(name, found):
    """Prints the canaries in what was found; finding none is what must happen."""
    text = found if isinstance(found, bytes) else repr(found).encode("utf-8", "replace")
    if seen := CANARY.findall(text):
        print(f"GOT THROUGH {name}: {seen}")


def module(name):
    """A module by its name. ctypes cannot be imported, but lies in memory all the same."""
    if name == "ctypes":
        return importlib.import_module("grader.sandbox.isolation.kernel").ctypes
    return importlib.import_module(name)


def call(name, *arguments):
    """A system call by its name, by the grader's own table of numbers. Raises OSError."""
    return module("grader.sandbox.isolation.kernel").syscall(name, *arguments)


def the(name, attribute):
    """`os.system` and its like, called where acts.py sees no line of a student's: what is tested is what stops it."""
    return functools.partial(elsewhere["call"], getattr(module(name), attribute))


def part(thing, attribute):
    """The same for an attribute that leads out of the step."""
    return getattr(thing, attribute)
