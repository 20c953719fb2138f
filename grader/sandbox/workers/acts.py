"""Names what a step does that no gradient needs, such as starting a process: an audit hook sees the call.

It is for messages alone; the lock is what stops these acts. What raises no audit event, such as `os._exit`, is answered
by what the lock does: the row is `error` or `crashed` instead of `forbidden`.
The events: https://docs.python.org/3/library/audit_events.html
"""

from __future__ import annotations

import sys
from typing import Any

from grader.calling.autograd_used import AutogradUsed, is_student_file, report_use

_NAMES = {
    **dict.fromkeys(("compile", "exec"), "`exec`, `eval` or `compile`"),
    **dict.fromkeys(("os.exec", "os.posix_spawn", "os.fork", "os.forkpty"), "a function of `os` for processes"),
    **{name: f"`{name}`" for name in ("os.system", "os.kill", "os.killpg", "sys._getframe", "sys._current_frames")},
    **{name: f"`{name}`" for name in ("sys.settrace", "sys.setprofile", "gc.get_objects", "gc.get_referrers")},
    **{"gc.get_referents": "`gc.get_referents`", "subprocess.Popen": "`subprocess`", "socket.__new__": "`socket`"},
    **{"open": "`open(…)` for writing", "object.__getattr__": "a frame of the program"},
}
_FRAMES = ("tb_frame", "gi_frame", "cr_frame")
_BETWEEN = frozenset({"os", "subprocess", "socket", "inspect"})
"""Modules through which a step calls such a function. Other modules use them for purposes of their own."""


class ActUsed(AutogradUsed):
    """Student code called something that steps do not get.

    Acts are reported and refused while `is_watched_for`: not while a file is loaded, only steps are judged by acts.
    """

    is_watched_for = False

    def message(self, in_step: bool) -> str:
        where = f"Line {self.line} uses" if self.line else "This step uses"
        return (
            f"{where} {self.what}, which is not available where steps are graded (no processes, no writing of files, "
            "no frames, no code made from text), so the step is not counted. Write the gradient from the step's "
            'parameters with torch, numpy and plain Python. What is under `if __name__ == "__main__":` is yours.'
        )


def refuse_acts(event: str, arguments: tuple[Any, ...]) -> None:
    """The audit hook: reports and refuses an act of a step."""
    if not ActUsed.is_watched_for or event not in _NAMES:
        return
    if event == "sys._getframe" and arguments[0].f_globals is globals():  # called below
        return
    if event == "object.__getattr__" and arguments[1] not in _FRAMES:
        return
    if event == "sys.settrace" and "bdb" in sys.modules:  # the debugger's own, which has a message of its own
        return
    if event == "open" and not set(arguments[1] or "") & set("wax+"):
        return
    frame = sys._getframe().f_back
    while frame is not None and frame.f_globals.get("__name__") in _BETWEEN:
        frame = frame.f_back
    if frame is not None and is_student_file(frame.f_code.co_filename):
        report_use(_NAMES[event], ActUsed)
