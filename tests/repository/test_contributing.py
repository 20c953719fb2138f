"""CONTRIBUTING.md's way through the tree, and the shape of the tree that it describes."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

from support import ROOT, TESTS

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`?((?:grader|tests|docs|bench)/[\w/]+\.(?:py|md))\b", TEXT)))
MODULES = sorted(
    path for path in (ROOT / "grader").rglob("*.py") if "__pycache__" not in path.parts and path.name != "__init__.py"
)
MAX_LINES = 500


def test_every_file_that_is_named_exists():
    assert [path for path in NAMED if not (ROOT / path).is_file()] == []
    assert sum(path.startswith("grader/") for path in NAMED) > 30


def test_the_list_of_packages_is_complete():
    listed = re.findall(r"^    (\w+)(?:/|\.py) {2,}", TEXT[TEXT.index("from the bottom up:") :], re.MULTILINE)
    packages = {path.parent.name for path in (ROOT / "grader").glob("*/__init__.py")}
    assert set(listed) == packages | {"errors", "typed_json"}


def test_no_module_is_loose_in_grader():
    assert {path.stem for path in MODULES if path.parent == ROOT / "grader"} <= {"errors", "typed_json", "__main__"}


def test_no_module_is_over_500_lines():
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: count for path, count in lines.items() if count > MAX_LINES} == {}


CLOCK = re.compile(
    r"perf_counter|process_time|thread_time|monotonic|\btime\.time\(|time_ns\(|os\.times|getrusage|setitimer|\bsleep\("
    r"|\bslowdown\(|\bown_seconds\(|\.cpu_seconds|\btimeout=\d|\.(wait|join|poll)\((timeout=)?\d|seconds(\"\])? *[<>]"
)
EXCUSE = re.compile(r"# .*\b(guard|no race)\b")


def test_no_test_depends_on_how_fast_the_machine_is():
    """A clock or a wait in a test needs a comment, on its line or the one above, with one of two words.

    `guard`: it only ends a test that hangs, after at least twenty times what is needed. `no race`: the test has the
    same result however long it takes. A played clock, which `setattr` puts in place of the real one, needs none.
    """
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if "corpus" in path.parts or path == Path(__file__):
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, (above, line) in enumerate(zip(["", *lines], lines, strict=False), 1):
            is_excused = "setattr(" in line or EXCUSE.search(line) or EXCUSE.match(above.strip())
            if CLOCK.search(line) and not is_excused:
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert found == [], "count, wait for what happens, or say why it is a guard:\n" + "\n".join(found)


NOT_THE_FIELDS = set(
    [
        "told",
        "asked",
        "handed",
        "heed",
        "hurry",
        "rung",
        "mended",
        "mend",
        "whoever",
        "carried",
        "anatomy",
        "stands",
        "beside",
    ]
)
"""Words that this project once used for submissions, messages, fixes and targets."""


def test_one_module_defines_each_name_and_names_are_words_of_the_field():
    homes: dict[str, set[Path]] = {}
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assigned = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
        targets = [each for node in assigned for each in getattr(node, "targets", None) or [node.target]]
        top = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        top |= {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
        for name in top:
            homes.setdefault(name, set()).add(path)
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        used |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        words = {name: set(re.sub(r"([A-Z])", r" \1", name).lower().replace("_", " ").split()) for name in top | used}
        assert {name for name, parts in words.items() if parts & NOT_THE_FIELDS} == set(), path
    assert {name for name, paths in homes.items() if len(paths) > 1} <= {"main"}, "give the new one a name of its own"


def test_no_two_test_files_have_one_name():
    """Else pytest can't collect both in one run."""
    names = Counter(path.name for path in TESTS.rglob("test_*.py") if "corpus" not in path.parts)
    assert len(names) > 100 and [name for name, count in names.items() if count > 1] == []
