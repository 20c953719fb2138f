"""The file that a defence's worker runs: what measures. The plain part of the student's file is a module inside it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from grader.defence.lines import CodeNames

MEASURING = """
import types


def _defence_copy(value):
    return value.clone() if hasattr(value, "clone") else value


def _defence_function(name):
    return _defence_known[name] if name in _defence_known else getattr(_defence_file, name)


def _defence_run(jobs):
    found = []
    for name, arguments in jobs:
        try:
            found.append([True, _defence_function(name)(**{key: _defence_copy(v) for key, v in arguments.items()})])
        except Exception as error:
            found.append([False, type(error).__name__])
    return found


_defence_seen, _defence_ran = {}, []


def _defence_form(value):
    if isinstance(value, (list, tuple)):
        return [_defence_form(each) for each in value]
    return [type(value).__name__, *getattr(value, "shape", ())]


def _defence_plain(value):
    if isinstance(value, (list, tuple)):
        return [_defence_plain(each) for each in value]
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if hasattr(value, "clone"):
        return value.detach().clone()
    if hasattr(value, "dtype") and hasattr(value, "copy"):
        return value.copy() if value.shape else value.item()
    return "another object"


def _defence_note(number, values):
    if number[:8] == "call of " and number not in _defence_ran:
        _defence_ran.append(number)
    kept = _defence_seen.setdefault(number, [])
    form = {name: _defence_form(value) for name, value in values.items()}
    if len(kept) < 3 and form not in [each[0] for each in kept]:
        kept.append([form, {name: _defence_plain(value) for name, value in values.items()}])


def _defence_start():
    _defence_seen.clear()


def _defence_noted():
    ran = list(_defence_ran)
    _defence_ran.clear()
    return ran


def _defence_values():
    return {number: [values for _, values in kept] for number, kept in _defence_seen.items()}


_defence_file = types.ModuleType("defended")
_defence_file._defence_copy, _defence_file._defence_note = _defence_copy, _defence_note
exec(compile(_defence_text, "backward.py", "exec"), vars(_defence_file))
_defence_known = eval(_defence_lines, vars(_defence_file))
"""


def measuring_file(parts: Sequence[str], names: CodeNames, called: Collection[str] = ()) -> bytes:
    """The whole file. `parts` are texts by the grader: the plain part, and copies of its functions.

    `names` are the lines that it can run. Examples can call the functions `called` by their own names. The worker
    compiles all of it while it loads the file: what a step makes from text later is refused.
    """
    lambdas = "".join(f"{name!r}: lambda {', '.join(of)}: ({code}),\n" for (code, of), name in names.items())
    lines = f"{{{lambdas}}}"
    text = "\n\n\n".join(parts)
    own = "".join(f"\n{name} = _defence_file.{name}" for name in called)
    return f"_defence_text = {text!r}\n_defence_lines = {lines!r}\n{MEASURING}{own}\n".encode()
