"""Reports in the form in which a platform gives them back: Canvas's and Moodle's zip.

Canvas's "Re-Upload Submissions" takes a zip of files with the names that Canvas gave to the downloaded ones. It reads
the student's and the file's number in the name, and attaches the file to a comment under the name that the student's
own file has (`infer_comment_context_from_filename` in app/models/abstract_assignment.rb of
https://github.com/instructure/canvas-lms). So the report takes the form of that file: what is called backward.py can be
opened as Python, and what is called notebook.ipynb in Jupyter.

Moodle's "Upload multiple feedback files in a zip" takes the folders of the download, NAME_NUMBER_assignsubmission_file,
of which it reads the number (mod/assign/feedback/file/importziplib.php in https://github.com/moodle/moodle).
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import PurePosixPath

from grader.intake.submissions.platforms import MOODLE_NAME, CanvasFile
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.feedback.reports import HTML, MARKDOWN, NoFeedback

TITLE = "This file is the report on what you submitted under this name."


def canvas_feedback(names: Sequence[str], files: dict[str, bytes]) -> dict[str, bytes]:
    """{name in the zip: content} for one student, of whose files the download has `names`. Raises NoFeedback."""
    found = {name: file for name in names if (file := CanvasFile.of(name)) and file.attachment}
    if not found:
        raise NoFeedback("Canvas returns files only to who submitted a file, and this is typed text or a link")
    name = max(found, key=lambda name: (found[name].first_name == BACKWARD_FILE, found[name].attachment))
    suffix, text = PurePosixPath(name).suffix.lower(), files[MARKDOWN].decode("utf-8", "replace")
    if suffix == ".py":  # without a statement
        lines = [TITLE, "", *text.splitlines()]
        return {name: "".join(f"# {line}".rstrip() + "\n" for line in lines).encode()}
    if suffix == ".ipynb":
        cell = {"cell_type": "markdown", "id": "report", "metadata": {}, "source": f"*{TITLE}*\n\n{text}"}
        notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        return {name: (json.dumps(notebook, indent=1) + "\n").encode()}
    if suffix == ".zip":
        return {name: zip_bytes(files)}
    return {name if suffix in (".html", ".htm") else f"{name}.html": files[HTML]}


def zip_bytes(files: dict[str, bytes]) -> bytes:
    """The same files give the same bytes: without a date, `ZipInfo` takes the first that a zip can tell."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def moodle_feedback(names: Sequence[str], files: dict[str, bytes]) -> dict[str, bytes]:
    """{path in the zip: content} for one student, of whose files or folders the download has `names`.

    Raises NoFeedback where none of these names is Moodle's.
    """
    matches = (match for name in names if (match := MOODLE_NAME.fullmatch(name)))
    first = min(matches, key=lambda match: (match["kind"], match[0]), default=None)  # a file before a text
    if first is None:
        raise NoFeedback("the download has no name of Moodle's for this student")
    name = first[0]
    start = name.removesuffix(first["file"]) if first["file"] else f"{name}/"  # files side by side, or folders
    return {start + report: content for report, content in files.items()}
