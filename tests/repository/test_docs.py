"""The documentation says only what there is: its links lead somewhere, its commands and options exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
from support import ROOT

from bench.__main__ import BENCHES
from grader.commands.dojo import main as dojo
from grader.commands.grade import main as grade

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("exercises/*/*.md")])
COMMANDS = {"grade": grade, "dojo": dojo}
LINK = re.compile(r"\]\((?!https?://|mailto:)([^)#\s]*)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
OPTION = re.compile(r"`(--[a-z][a-z-]+)")
OF_OTHER_PROGRAMS = {"--build-arg", "--cap-add", "--nthreads", "--no-nanny", "--user"}
TYPED = re.compile(r"(?:^ {4}(?:.venv/bin/|\.venv/bin/)?|`)((?:grade|dojo)(?: [^`\n]*)?)(?:`|$)", re.MULTILINE)


def test_each_bench_that_a_page_types_exists():
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    typed = {words for text in texts for words in re.findall(r"python -m bench ([a-z]\w+)(?: ([a-z]\w+))?", text)}
    parts = {part for each in BENCHES.values() for part in each}
    assert len(typed) > 12
    for name, part in typed:
        assert name in BENCHES and (part in BENCHES[name] or part not in parts)


def test_links_lead_somewhere():
    headings = {page.resolve(): {anchor(line) for line in HEADING.findall(prose(page))} for page in PAGES}
    links = [(page, *link) for page in PAGES for link in LINK.findall(page.read_text(encoding="utf-8"))]
    assert len(links) > 100
    for page, target, heading in links:
        linked = (page.parent / target).resolve() if target else page.resolve()
        assert linked.exists(), f"{page}: {target}"
        assert not heading or heading in headings[linked], f"{page}: {target}#{heading}"


def prose(page: Path) -> str:
    """A page without its blocks of code, in which `#` begins a comment."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchor(heading: str) -> str:
    """The name by which a link reaches a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def test_commands_and_their_options_exist():
    found = [(page, line) for page in PAGES for line in TYPED.findall(page.read_text(encoding="utf-8"))]
    assert len(found) > 100
    for page, line in found:
        words = shlex.split(re.split(r"\s#|\s{2,}| …|→", line)[0].replace("'", ""))
        command: click.Command = COMMANDS[words[0]]
        for word in words[1:]:
            if not isinstance(command, click.Group) or word.startswith("-"):
                break
            named = command.get_command(click.Context(command), word)
            assert named is not None, f"{page}: {line}"
            command = named
        known = {option for parameter in command.params for option in parameter.opts + parameter.secondary_opts}
        known |= {"--help", "-h"}
        used = {word.partition("=")[0] for word in words[1:] if re.match(r"--?[a-z]", word)}
        assert used <= known, f"{page}: {line}"
        required = [set(each.opts) for each in command.params if isinstance(each, click.Option) and each.required]
        assert not used or all(used & names for names in required), f"{page}: {line}"
        if words[:2] == ["dojo", "train"]:  # a lesson by its number, or a file
            assert all((ROOT / word).is_file() for word in words[2:] if "/" in word), f"{page}: {line}"


def test_an_option_that_is_named_alone_is_one_of_ours():
    pages = [page for page in PAGES if page.parent in (ROOT, ROOT / "docs") and page.stem != "CHANGELOG"]
    named = {option for page in pages for option in OPTION.findall(prose(page))}
    known = {option for command in COMMANDS.values() for option in options_of(command)}
    assert named <= known | OF_OTHER_PROGRAMS and len(named) > 15


def options_of(command: click.Command) -> set[str]:
    """The options of a command and of the commands below it."""
    found = {option for parameter in command.params for option in parameter.opts}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            found |= options_of(below) if below is not None else set()
    return found
