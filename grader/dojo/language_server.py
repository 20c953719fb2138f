"""`dojo lsp`: a language server that checks a lesson's backward.py at every save, and marks what is wrong."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from grader import __version__
from grader.dojo.desk import Desk
from grader.dojo.progress import Checked
from grader.dojo.screen import remarks
from grader.dojo.session import CheckSession, Event
from grader.dojo.work import Work
from grader.errors import LessonError
from grader.lesson.course_modules import set_named
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE, has_lessons


class DojoServer:
    """Serves the lessons of one folder with exercises/: that of the first backward.py that the editor opens.

    The file has to be in a folder of the workspace, and of the lessons only installed code runs: the user has opened a
    file, and has not asked to run it.
    """

    def __init__(self) -> None:
        self.server = LanguageServer("dojo", __version__, lsp.TextDocumentSyncKind.Full)
        self._desk: Desk | None = None
        self.session: CheckSession | None = None
        self._uris: dict[str, str] = {}  # by the lesson's name
        for feature in (lsp.TEXT_DOCUMENT_DID_OPEN, lsp.TEXT_DOCUMENT_DID_SAVE):

            @self.server.feature(feature)
            async def check(params: lsp.DidOpenTextDocumentParams | lsp.DidSaveTextDocumentParams) -> None:
                self._check(params.text_document.uri)

    def _check(self, uri: str) -> None:
        self._loop = asyncio.get_running_loop()
        lesson = self._lesson_of(uri)
        if lesson is not None and self.session is not None:
            self._uris[lesson.name] = uri
            self.session.check(lesson)

    def _lesson_of(self, uri: str) -> Lesson | None:
        """The lesson whose backward.py it is; None for another file, and for one outside the workspace."""
        path, workspace = Path(to_fs_path(uri) or ""), self.server.workspace
        if path.name != BACKWARD_FILE:
            return None
        folders = [to_fs_path(each) for each in list(workspace.folders) or [workspace.root_uri or ""]]
        if not any(path.resolve().is_relative_to(Path(each).resolve()) for each in folders if each):
            self._log(f"{path} is in no folder of the workspace, so it is not checked.")
            return None
        if self._desk is None:
            root = next((folder for folder in path.parents if has_lessons(folder)), None)
            if root is None:
                return None
            set_named(root, False)
            try:
                self._desk = Desk(root, self._log)
            except LessonError as error:
                self._log(str(error))
                return None
            self.session = CheckSession(Work(self._desk))
            self.session.listeners.append(self._note)
        lesson = self._desk.course.lessons.get(path.parent.name)
        return lesson if lesson is not None and lesson.exercise.resolve() == path.parent.resolve() else None

    def _note(self, event: Event) -> None:
        """Called in the thread that checks; the rest runs in the server's own."""
        if event.kind == "checked" and event.checked is not None:
            self._loop.call_soon_threadsafe(self._publish, event.checked)
        elif event.kind == "failed":
            sentence = f"Lesson {event.lesson.number}: {event.sentence}"
            shown = lsp.ShowMessageParams(lsp.MessageType.Warning, sentence)
            self._loop.call_soon_threadsafe(self.server.window_show_message, shown)

    def _publish(self, checked: Checked) -> None:
        texts, error = checked.source.splitlines(), lsp.DiagnosticSeverity.Error
        found = [
            lsp.Diagnostic(range_of_line(texts, line), message, error, code=mistake, source="dojo")
            for line, message, mistake in remarks(checked)
        ]
        uri = self._uris[checked.lesson.name]
        self.server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found))

    def _log(self, sentence: str) -> None:
        self.server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, sentence))


def range_of_line(texts: list[str], line: int) -> lsp.Range:
    """The text of a line, without its indentation; columns count as in UTF-16."""
    text = texts[line - 1] if 0 < line <= len(texts) else ""
    indent = len(text) - len(text.lstrip())
    end = len(text.rstrip().encode("utf-16-le")) // 2
    return lsp.Range(lsp.Position(line - 1, indent), lsp.Position(line - 1, max(end, indent + 1)))


def serve_editor() -> None:
    """Serve on standard input and output. What anything else prints goes to standard error, not into the protocol."""
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    served = DojoServer()
    served.server.start_io(sys.stdin.buffer, output)
    if served.session is not None:
        served.session.close()
