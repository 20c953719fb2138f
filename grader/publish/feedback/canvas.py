"""Reports in the form in which Canvas gives them back: "Re-Upload Submissions".

It takes a zip of files with the names that Canvas gave to the downloaded ones. It reads the student's and the file's
number in the name, and attaches the file to a comment under the name that the student's own file has
(`infer_comment_context_from_filename` in app/models/abstract_assignment.rb of
https://github.com/instructure/canvas-lms). So the report takes the form of that file: what is called backward.py can be
opened as Python, and what is called notebook.ipynb in Jupyter.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import PurePosixPath

from grader.intake.submissions.downloads import CanvasFile, without_number
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.feedback.reports import HTML, NoFeedback, markdown_of

TITLE = "This file is the report on what you submitted under this name."


def canvas_feedback(names: Sequence[str], files: dict[str, bytes]) -> dict[str, bytes]:
    """{name in the zip: content} for one student, of whose files the download has `names`. Raises NoFeedback."""
    found = {name: file for name in names if (file := CanvasFile.of(name)) and file.attachment}
    if not found:
        raise NoFeedback("Canvas returns files only to who submitted a file, and this is typed text or a link")
    name = max(found, key=lambda name: (without_number(found[name].file) == BACKWARD_FILE, found[name].attachment))
    suffix = PurePosixPath(name).suffix.lower()
    if suffix == ".py":
        return {name: as_comments(markdown_of(files)).encode()}
    if suffix == ".ipynb":
        return {name: as_notebook(markdown_of(files)).encode()}
    if suffix == ".zip":
        return {name: as_zip(files)}
    return {name if suffix in (".html", ".htm") else f"{name}.html": files[HTML]}


def as_comments(text: str) -> str:
    """A Python file without a statement."""
    return "".join(f"# {line}".rstrip() + "\n" for line in [TITLE, "", *text.splitlines()])


def as_notebook(text: str) -> str:
    cell = {"cell_type": "markdown", "id": "report", "metadata": {}, "source": f"*{TITLE}*\n\n{text}"}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def as_zip(files: dict[str, bytes]) -> bytes:
    """The same files give the same bytes: without a date, `ZipInfo` takes the first that a zip can tell."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
