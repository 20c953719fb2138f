"""A kit on the web: its address, a page with all its lessons, and READMEs with the pictures inside.

Colab opens notebooks from public GitHub repositories and from a user's own files, not from other addresses
(github.com/googlecolab/colabtools/issues/1305). It shows a picture of a notebook only where the text contains it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from mimetypes import guess_type
from pathlib import Path
from typing import NamedTuple

from grader.authoring.figures.graph import GRAPH
from grader.errors import UserError
from grader.lesson.lesson import Lesson
from grader.publish.inert import inert
from grader.publish.templates import page_templates

KIT_ZIP = "kit.zip"
"""The kit in its own folder on the web, which the notebooks install."""
ADDRESS = re.compile(r"https?://[^\s\"'<>\\{}?#]+")
REPOSITORY = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)/tree/([\w./-]+)")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([\w.-]+\.(?:svg|png|jpe?g|gif|webp))\)")
TEACHES = re.compile(r"^## What you will be able to do\s+(.+?)\s*^$", re.DOTALL | re.MULTILINE)


class Website(NamedTuple):
    """Where a kit's folder is on the web: its `address`, and in Colab, which is None where Colab cannot open it."""

    address: str
    in_colab: str | None = None


def website_at(url: str) -> Website:
    """The website at an address, or in a GitHub repository's folder. Raises UserError."""
    url = url.rstrip("/")
    if found := REPOSITORY.fullmatch(url):
        name, folder = found.groups()
        in_colab = f"https://colab.research.google.com/github/{name}/blob/{folder}"
        return Website(f"https://raw.githubusercontent.com/{name}/{folder}", in_colab)
    if not ADDRESS.fullmatch(url) or url.startswith("https://github.com/"):
        raise UserError(
            f"{url} is not the address of a folder on the web, such as https://example.org/course or, on GitHub, "
            "https://github.com/OWNER/REPOSITORY/tree/main."
        )
    return Website(url)


def readme_with_pictures(lesson: Lesson) -> str:
    """The lesson's README with its pictures inside, in place of files next to it. Raises UserError."""
    text = lesson.public_text("README.md")
    return PICTURE.sub(lambda link: f"![{link[1]}]({data_uri(lesson.exercise / link[2])})", text)


def data_uri(picture: Path) -> str:
    """The picture itself, as the address of an image. Raises UserError."""
    if not picture.is_file():
        raise UserError(f"{picture} is missing, and README.md shows it: add the picture, or remove the link to it.")
    return f"data:{guess_type(picture.name)[0]};base64,{base64.b64encode(picture.read_bytes()).decode()}"


def course_page(lessons: Sequence[Lesson], title: str | None, website: Website) -> bytes:
    """index.html: each lesson with what it teaches, a picture and its notebook.

    What it teaches is the first paragraph of that section in the README. The picture is the first one in the README
    that is not the whole computational graph, which is often too large to read next to a paragraph.
    """
    shown = []
    for lesson in lessons:
        text = lesson.public_text("README.md")
        teaches, pictures = TEACHES.search(text), PICTURE.findall(text)
        words, file = next((each for each in pictures if each[1] != GRAPH), (pictures or [("", "")])[0])
        uri = data_uri(lesson.exercise / file) if file else ""
        shown.append((lesson, teaches[1] if teaches else "", words, file, uri))
    template = page_templates(inert).get_template("course.html")
    return template.render(lessons=shown, title=title, website=website, kit=KIT_ZIP).encode()
