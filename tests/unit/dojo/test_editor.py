"""`dojo lsp`, driven by pygls's own client; `dojo check --problems`; a session after an error; odd files."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kits import file_of, make_kit, replace, solved
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from support import GUARD_SECONDS, ROOT, in_a_loop_of_its_own

from grader.dojo.file import own_file, read_own
from grader.dojo.screen import remarks
from grader.dojo.session import CheckSession
from grader.errors import UserError
from grader.lesson.lesson import Course
from grader.lesson.paths import TEMPLATES
from grader.publish.view import lesson_view
from grader.results import LessonResult, Row

pytest_plugins = ["dojos"]


class Editor:
    """An editor with one file open; `remarks` are what the server has sent."""

    def __init__(self) -> None:
        self.client = LanguageClient("editor", "1")
        self.remarks: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: lsp.PublishDiagnosticsParams) -> None:
            self.remarks.put_nowait(params)

    async def start(self, kit: Path) -> None:
        program = "from grader.commands.dojo import main; main()"
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        await self.client.start_io(sys.executable, "-c", program, "lsp", cwd=kit, env=environment)
        await self.client.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities(), root_uri=kit.as_uri()))
        self.client.initialized(lsp.InitializedParams())

    def save(self, path: Path, text: str) -> None:
        replace(path, text)
        self.client.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(path.as_uri())))

    async def next_remarks(self) -> list[lsp.Diagnostic]:
        return list((await asyncio.wait_for(self.remarks.get(), GUARD_SECONDS)).diagnostics)


def test_a_message_in_an_editor_shows_everything():
    lesson = Course(ROOT).find("03")
    row = Row("dprobs", "error", 0, 1, message="\x1b[2J\u202e [a link](command:x) <img src=x>", line=1)
    part, files = lesson_view(LessonResult.of(lesson.name, [row]), lesson), {"backward.py": b"dprobs"}
    judged, submitted = SimpleNamespace(runs=True), SimpleNamespace(files=files)
    checked: Any = SimpleNamespace(lesson=lesson, judged=judged, part=part, submitted=submitted)
    assert remarks(checked) == [(1, "dprobs: \\u202e [a link](command:x) <img src=x>", "error")]


async def session(kit: Path) -> None:
    path, editor = file_of(kit), Editor()
    right = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv")
    path.write_text(right)
    await editor.start(kit)
    item = lsp.TextDocumentItem(path.as_uri(), "python", 1, right)
    editor.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    assert await editor.next_remarks() == []

    wrong = right.replace("return dlogprobs / probs", "return -dlogprobs / probs")
    editor.save(path, wrong)
    (remark,) = await editor.next_remarks()
    at = wrong.split("\n").index("    return -dlogprobs / probs")
    assert remark.range == lsp.Range(lsp.Position(at, 4), lsp.Position(at, 29))
    assert remark.message.startswith("dprobs: The sign is flipped: your `dprobs` is exactly minus the gradient.")
    assert (remark.source, remark.severity, remark.code) == ("dojo", lsp.DiagnosticSeverity.Error, "sign")

    editor.save(path, right + "def f(:\n")
    (remark,) = await editor.next_remarks()
    assert remark.range.start.line == right.count("\n") and "SyntaxError" in remark.message
    editor.save(path, wrong.replace("return -dlogprobs / probs", "while True:\n        pass"))
    editor.save(path, right)  # cancels the check of the loop
    assert await editor.next_remarks() == []
    await editor.client.shutdown_async(None)
    editor.client.exit(None)
    await asyncio.wait_for(editor.client.stop(), GUARD_SECONDS)


@pytest.mark.full
def test_an_editor_s_session(kit: Path) -> None:
    in_a_loop_of_its_own(session(kit))


def test_the_problem_matcher_of_the_kit_reads_what_dojo_check_prints(kit: Path, dojo: Any) -> None:
    right = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv", "dcounts_sum")
    wrong = right.replace("return dlogprobs / probs", "return -dlogprobs / probs")
    wrong = wrong.replace("return -(counts_sum**-2)", "return nothing")
    file_of(kit).write_text(wrong)
    task = json.loads((TEMPLATES / "tasks.json").read_text())["tasks"][0]
    assert "dojo check --problems '${fileDirnameBasename}'" in task["command"]
    checked, pattern = dojo("check", "--problems", "03_makemore_steps"), task["problemMatcher"]["pattern"]
    found = []
    for line in checked.stdout.splitlines():
        match = re.match(pattern["regexp"], line)
        file, place, message = (match[pattern[name]] for name in ("file", "line", "message"))
        found.append((file, wrong.split("\n")[int(place) - 1].strip().split(" * ")[0], message[:30]))
    file = "exercises/03_makemore_steps/backward.py"
    assert checked.exit_code == 1 and found == [
        (file, "return -dlogprobs / probs", "dprobs: The sign is flipped: y"),
        (file, "return nothing", "dcounts_sum: NameError: name '"),
    ]
    file_of(kit).write_text(right)
    assert (dojo("check", "--problems", "03").stdout, dojo("check", "--problems", "03").exit_code) == ("", 0)


def test_later_saves_are_checked_after_an_error_of_ours(kit: Path) -> None:
    course, events = Course(kit, secrets=False), []
    lesson, errors = course.find("03"), iter([RuntimeError("broken"), None])

    def check(*of: object, **named: object) -> str:
        if error := next(errors):
            raise error
        return "checked"

    desk = SimpleNamespace(judge=SimpleNamespace(prepare=lambda _: None), close=lambda: None)
    work: Any = SimpleNamespace(desk=desk, read=read_own, check=check)
    session = CheckSession(work)
    session.listeners.append(lambda event: events.append((event.kind, event.sentence)))
    assert isinstance(session.check(lesson).exception(GUARD_SECONDS), RuntimeError)
    assert session.check(lesson).result(GUARD_SECONDS) == "checked"
    session.close()
    assert events[1] == ("failed", "The check failed for a reason that is not yours: RuntimeError('broken')")
    assert events[2:] == [("saved", ""), ("checked", "")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with a name")
def test_a_pipe_and_a_file_without_end_are_not_read(kit: Path) -> None:
    lesson = Course(make_kit(kit / "pipes"), secrets=False).find("03")
    own_file(lesson).unlink()
    os.mkfifo(own_file(lesson))
    with pytest.raises(UserError, match="it is not an ordinary file"):
        read_own(lesson)
    own_file(lesson).unlink()
    with open(own_file(lesson), "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(UserError, match="has more than 1,048,576 bytes"):
        read_own(lesson)
