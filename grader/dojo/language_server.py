"""`dojo lsp`: a check at every save, remarks under wrong lines, and what is known of the name under the cursor."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TextIO

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from grader import __version__
from grader.dojo.checked import Checked
from grader.dojo.desk import Desk
from grader.dojo.remarks import hover, remarks
from grader.dojo.session import CheckSession, Event
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
        self._session: CheckSession | None = None
        self._checked: dict[str, Checked] = {}  # by the lesson's name
        self._uris: dict[str, str] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        add = self.server.feature

        @add(lsp.TEXT_DOCUMENT_DID_OPEN)
        async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
            self._save(params.text_document.uri)

        @add(lsp.TEXT_DOCUMENT_DID_SAVE)
        async def saved(params: lsp.DidSaveTextDocumentParams) -> None:
            self._save(params.text_document.uri)

        @add(lsp.TEXT_DOCUMENT_HOVER)
        def hovered(params: lsp.HoverParams) -> lsp.Hover | None:
            uri, place = params.text_document.uri, params.position
            lesson, document = self._lesson_of(uri), self.server.workspace.text_documents.get(uri)
            if lesson is None or document is None:  # a file that it has not opened could be a pipe
                return None
            lines = document.source.splitlines()
            try:
                line = lines[place.line] if place.line < len(lines) else ""
                text = hover(lesson, line, place.character, self._checked.get(lesson.name))
            except LessonError:  # the check has said it
                return None
            return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text)) if text else None

    def serve(self, output: TextIO) -> None:
        """Speaks on standard input and on `output` until the editor ends it."""
        self.server.start_io(sys.stdin.buffer, output.buffer)
        if self._session is not None:
            self._session.close()

    def _lesson_of(self, uri: str) -> Lesson | None:
        """The lesson whose backward.py it is; None for another file, and for one outside the workspace."""
        path = Path(to_fs_path(uri) or "")
        if path.name != BACKWARD_FILE:
            return None
        if not self._is_in_workspace(path):
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
            self._session = CheckSession(self._desk, self._note)
        lesson = self._desk.course.lessons.get(path.parent.name)
        return lesson if lesson is not None and lesson.exercise.resolve() == path.parent.resolve() else None

    def _is_in_workspace(self, path: Path) -> bool:
        """Whether a folder that the editor has named as the workspace's contains the file."""
        workspace = self.server.workspace
        folders = [to_fs_path(uri) for uri in list(workspace.folders) or [workspace.root_uri or ""]]
        return any(path.resolve().is_relative_to(Path(each).resolve()) for each in folders if each)

    def _save(self, uri: str) -> None:
        self._loop = asyncio.get_running_loop()
        lesson = self._lesson_of(uri)
        if lesson is not None and self._session is not None:
            self._uris[lesson.name] = uri
            self._session.check(lesson)

    def _note(self, event: Event) -> None:
        """Called in the thread that checks; the rest runs in the server's own."""
        assert self._loop is not None
        if event.kind == "checked" and event.checked is not None:
            self._loop.call_soon_threadsafe(self._publish, event.checked)
        elif event.kind == "failed":
            said = lsp.ShowMessageParams(lsp.MessageType.Warning, f"Lesson {event.lesson.number}: {event.sentence}")
            self._loop.call_soon_threadsafe(self.server.window_show_message, said)

    def _publish(self, checked: Checked) -> None:
        name, texts = checked.lesson.name, checked.source.splitlines()
        self._checked[name] = checked
        error = lsp.DiagnosticSeverity.Error
        found = [
            lsp.Diagnostic(range_of_line(texts, each.line), each.message, error, code=each.mistake, source="dojo")
            for each in remarks(checked)
        ]
        self.server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(self._uris[name], found))

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
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    DojoServer().serve(output)
