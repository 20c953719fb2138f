"""What a public repository needs: CI, security policy, form for misleading messages, metadata; nothing is made up."""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml
from support import ROOT

from bench.attacks.corpus import corpus

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
JOBS = yaml.safe_load(WORKFLOW)["jobs"]
COMMANDS = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_ci_runs_what_the_makefile_has_on_the_supported_versions_of_python():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    made = {word for text in COMMANDS for words in re.findall(r"make ([a-z -]+)", text) for word in words.split()}
    assert {"lint", "test"} <= made <= targets
    versions = JOBS["tests"]["strategy"]["matrix"]["python"]
    named = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", name)]
    assert versions == named and PROJECT["requires-python"] == f">={versions[0]}"


def test_ci_names_no_registry_s_address():
    assert "://" not in WORKFLOW


def test_the_lowest_versions_are_those_that_are_declared(tmp_path, monkeypatch, capsys):
    (text,) = (text for text in COMMANDS if "PINS" in text)
    monkeypatch.chdir(ROOT)
    exec(re.search(r"<<'PINS'[^\n]*\n(.*)PINS", text, re.DOTALL)[1], {})
    pins = capsys.readouterr().out.split()
    assert len(pins) == len(PROJECT["dependencies"]) and "torch==2.4" in pins
    assert all(re.fullmatch(r"[a-z0-9-]+==[\d.]+", pin) for pin in pins)


def test_the_metadata_has_no_made_up_address():
    assert "urls" not in PROJECT and "authors" not in PROJECT
    assert (ROOT / "grader" / "py.typed").is_file() and "Typing :: Typed" in PROJECT["classifiers"]


@pytest.mark.parametrize("form", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").iterdir()), ids=lambda path: path.stem)
def test_a_form_asks_for_what_reproduces_the_message(form):
    parts = {part["id"]: part for part in yaml.safe_load(form.read_text(encoding="utf-8"))["body"] if "id" in part}
    required = {name for name, part in parts.items() if part.get("validations", {}).get("required")}
    assert {"row", "code", "message"} <= required


def test_each_hole_has_a_date_and_a_test_that_exists():
    rows = re.findall(r"^\| (\d{4}-\d\d-\d\d) \| .* \| .*\(([^()]*)\) \|$", SECURITY, re.MULTILINE)
    assert len(rows) == SECURITY.count("\n| 20") and [date for date, _ in rows] == sorted(date for date, _ in rows)
    paths = (str(path) for part in ("tests", "grader", "solutions", "bench") for path in (ROOT / part).rglob("*"))
    there_are = "\n".join([*paths, *(attack.name for attack in corpus())])
    for _, named in rows:
        for word in re.findall(r"`(?:python -m )?([^`]+)`", named):
            assert word.replace("bench ", "bench/").replace(" ", "/") in there_are, word


def test_security_promises_what_the_table_of_levels_says():
    """No promise where docs/security.md has a "yes"."""
    table = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    can = {line.split(" | ")[0][2:]: line.split(" | ")[1:] for line in table.splitlines() if line.startswith("| ")}
    reads = can["read hidden suites, solutions, other submissions, `/etc/passwd`, `/proc`"]
    stats = can["find out that a hidden file exists, its size and its time (`stat`)"]
    for first, cells in {"| read hidden suites": reads, "| learn that a hidden file": stats}.items():
        (line,) = (line for line in SECURITY.splitlines() if line.startswith(first))
        promised = ["promised" in cell for cell in line.split(" | ")[1:]]
        assert promised == ["yes" not in cell for cell in cells]
