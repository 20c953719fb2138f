"""A student's evening in tmux, from unpacking a kit to the end of lesson 03, written down screen by screen.

    python -m bench.evening docs/evening.md

It makes a kit with `grade release`, opens a tmux session of 84 × 34 characters, and types what a student types. It
saves the file itself, as an editor does. Needs tmux. PyTorch is not downloaded again: the kit's environment reads the
packages of this one.
"""

from __future__ import annotations

import ast
import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.authoring.lesson_sources import ANSWER_BEGIN, ANSWER_END
from grader.lesson.lesson import Course, Lesson

ROOT = Path(__file__).resolve().parent.parent
WIDTH, HEIGHT = 84, 34
PATIENCE = 300
PROMPT = "$ "
SESSION = "evening"
INTRODUCTION = """\
# An evening

`python -m bench.evening docs/evening.md` typed this into tmux and wrote down what was on the screen: a student unpacks
a kit, works on lesson 03 and finishes it. Where the text says "saves", the recorder wrote the file as an editor does.
The answers are left out, the mistakes are not. PyTorch was installed before.
"""


class Recorder:
    """A tmux session, and the page that is written about it."""

    def __init__(self, folder: Path) -> None:
        self._socket = str(folder / "tmux")
        self.page = [INTRODUCTION]

    def tmux(self, *words: str) -> str:
        done = subprocess.run(["tmux", "-S", self._socket, "-f", "/dev/null", *words], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"tmux {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-t", SESSION, "-l", text)
        self.tmux("send-keys", "-t", SESSION, "Enter")

    def press(self, key: str) -> None:
        self.tmux("send-keys", "-t", SESSION, key)

    @property
    def screen(self) -> str:
        lines = self.tmux("capture-pane", "-p", "-t", SESSION).splitlines()
        return "\n".join(line.rstrip() for line in lines).strip("\n")

    def until(self, text: str) -> str:
        """The screen, once `text` is on it and no check runs."""

        def is_there(lines: list[str]) -> bool:
            words = " ".join(" ".join(lines).split())
            return text in words and ("checking: " not in words or text.endswith("is running"))

        self.wait(is_there)
        return self.screen

    def note(self, sentence: str, screen: str | None = None) -> None:
        self.page.append(f"{sentence}\n")
        if screen is not None:
            self.page.append("```text\n" + screen + "\n```\n")

    def command(self, text: str) -> str:
        """Type a command into an empty window; the screen, once the prompt is back."""
        self.type("clear")
        self.wait(lambda lines: lines == [PROMPT.strip()])
        self.type(text)
        self.wait(lambda lines: lines[0].startswith(f"{PROMPT}{text}"[: WIDTH - 1]) and lines[-1] == PROMPT.strip())
        return self.screen.removesuffix(f"\n{PROMPT.strip()}")

    def wait(self, is_so: Callable[[list[str]], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not is_so(self.screen.split("\n")):
            if time.monotonic() > end:
                raise SystemExit(f"The terminal was never as it should be; it shows:\n{self.screen}")
            time.sleep(0.1)


@contextmanager
def recorded(folder: Path) -> Iterator[Recorder]:
    recorder = Recorder(folder)
    shell = f"cd {shlex.quote(str(folder))} && exec env PS1='{PROMPT}' bash --norc --noprofile"
    recorder.tmux("new-session", "-d", "-s", SESSION, "-x", str(WIDTH), "-y", str(HEIGHT), shell)
    try:
        yield recorder
    finally:
        recorder.tmux("kill-server")


class StudentsFile:
    """backward.py of lesson 03 in the kit; the answers come from solutions/, the mistakes from here."""

    def __init__(self, kit: Path, lesson: Lesson) -> None:
        self._path = kit / "exercises" / lesson.name / "backward.py"
        self._stub = lesson.pristine.read_text(encoding="utf-8")
        answers = (lesson.solution / "backward.py").read_text(encoding="utf-8")
        self._answers = {
            name: "\n".join(line for line in text.split("\n") if line.strip() not in (ANSWER_BEGIN, ANSWER_END))
            for name, text in functions_of(answers).items()
        }
        self._written: dict[str, str] = {}

    def write(self, name: str, *body: str) -> None:
        """Save one function: with these lines as its body, by default the right ones."""
        answer = self._answers[name]
        self._written[name] = answer
        if body:
            self._written[name] = "\n    ".join([answer.partition("\n")[0], *body])
        text = self._stub
        for each, function in functions_of(self._stub).items():
            text = text.replace(function, self._written.get(each, function))
        beside = self._path.with_name("backward.py~")
        beside.write_text(text, encoding="utf-8")
        beside.replace(self._path)


def functions_of(source: str) -> dict[str, str]:
    nodes = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.get_source_segment(source, node) or "" for node in nodes}


def make_kit(folder: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "grader.commands.grade",
        "release",
        str(folder / "release" / "kit"),
        "--no-notebook",
    ]
    (folder / "release").mkdir()
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (folder / "release" / "kit.zip").rename(folder / "kit.zip")


def share_packages(kit: Path) -> None:
    """Let the kit's environment find the packages of this one."""
    (site,) = (kit / ".venv/lib").glob("python3.*/site-packages")
    (site / "shared.pth").write_text(sysconfig.get_path("purelib") + "\n")


def unpack(recorder: Recorder, folder: Path) -> Path:
    recorder.note("Unpack the kit.", recorder.command("python3 -m zipfile -e kit.zip . && cd kit && ls -A"))
    recorder.command(f"{shlex.quote(sys.executable)} -m venv .venv")
    share_packages(folder / "kit")
    recorder.command(".venv/bin/python -m pip install -q --disable-pip-version-check --no-deps -e .")
    recorder.command("source .venv/bin/activate; PS1='$ '")
    installed = "Install it (`python3 -m venv .venv`, `.venv/bin/python -m pip install -e .`), and look around."
    recorder.note(installed, recorder.command("dojo"))
    return folder / "kit"


def work_on_lesson_03(recorder: Recorder, file: StudentsFile, lesson: Lesson) -> None:
    recorder.type("clear; dojo watch 03")
    recorder.note("`dojo watch 03`, and nothing is written yet.", recorder.until("0 of 26 right"))
    file.write("dlogprobs")
    recorder.note("Saves `dlogprobs`.", recorder.until("dlogprobs turned right"))
    file.write("dprobs", "return -dlogprobs / probs")
    recorder.note("Saves `dprobs` as `return -dlogprobs / probs`.", recorder.until("sign is flipped"))
    recorder.press("h")
    recorder.note("Presses `h`: a question about this mistake.", recorder.until("About this mistake"))
    file.write("dprobs")
    recorder.note("Corrects it.", recorder.until("dprobs turned right"))
    file.write("dcounts_sum_inv", "return (counts * dprobs).sum(1)")
    recorder.note("Forgets `keepdim=True` in `dcounts_sum_inv`.", recorder.until("keepdim=True"))
    file.write("dcounts_sum_inv")
    recorder.until("dcounts_sum_inv turned right")
    file.write("dcounts_sum", "while True:", "    pass")
    recorder.note(
        "Saves an endless loop. While it runs, the old verdict is grey.", recorder.until("dcounts_sum is running")
    )
    file.write("dcounts_sum")
    recorder.note("Saves again, which cancels the check.", recorder.until("dcounts_sum turned right"))
    file.write("dcounts", "return counts_sum_inv * dprobs")
    recorder.note("Forgets one of the two paths to `counts`.", recorder.until("also feeds"))
    names = [item.name for item in lesson.gradients]
    late = names.index("dcounts")
    for name in names[late:-1]:
        file.write(name)
        if name in ("dhpreact", "dbnraw"):
            recorder.note(f"Some rows later, `{name}` is right as well.", recorder.until(f"{name} turned right"))
        else:
            recorder.until(f"{name} turned right")
    recorder.note("One row is left.", recorder.screen)
    file.write(names[-1])
    recorder.note(f"Saves `{names[-1]}`, the last one.", recorder.until("26 of 26 right"))
    recorder.press("q")
    recorder.until(PROMPT.strip())


def main(out: Path) -> None:
    lesson = Course(ROOT).find("03")
    started = time.strftime("%Y-%m-%d")
    os.environ.pop("TMUX", None)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_kit(folder)
        with recorded(folder) as recorder:
            kit = unpack(recorder, folder)
            work_on_lesson_03(recorder, StudentsFile(kit, lesson), lesson)
            recorder.note("The list says what comes next.", recorder.command("dojo | head -12; dojo | tail -4"))
            recorder.note(f"(Recorded on {started}.)")
            out.write_text("\n".join(recorder.page), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
