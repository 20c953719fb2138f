"""The engine as files: the whole package, which contains no secret, with the templates of reports; and archives.

Archives are reproducible, the same files give the same bytes: entries are sorted and have no times or owners.
"""

from __future__ import annotations

import json
import re
import tomllib
import zipfile
from collections.abc import Collection, Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any

import grader
from grader import __version__
from grader.errors import UserError
from grader.gradebook.files import replacement_file
from grader.lesson.paths import TEMPLATES

DISTRIBUTION = "backprop-ninja"
PACKAGE_FOLDER = Path(grader.__file__).parent
STUDENT_EXTRAS = ("lsp",)
AUTHORS = ("new_lesson", "export", "kit")
"""Folders of templates for authors of a course. Students do not need them."""

KitFiles = dict[str, bytes]
"""{path inside an archive, with slashes: content}"""


def engine_files() -> KitFiles:
    """The package as a wheel has it, under grader/."""
    found = {f"grader/{path.relative_to(PACKAGE_FOLDER).as_posix()}": path for path in files_under(PACKAGE_FOLDER)}
    installed = ("grader/templates/", "grader/exercises/")  # a wheel has them inside the package
    found = {name: path for name, path in found.items() if not name.startswith(installed)}
    for path in files_under(TEMPLATES):
        inside = path.relative_to(TEMPLATES)
        if inside.parts[0] not in AUTHORS:
            found[f"grader/templates/{inside.as_posix()}"] = path
    return {name: path.read_bytes() for name, path in sorted(found.items())}


def files_under(folder: Path) -> Iterator[Path]:
    """Regular files, in order; nothing hidden and nothing that Python or an editor left behind."""
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).parts
        left = any(part == "__pycache__" or (part.startswith(".") and part != ".stub") for part in inside)
        if path.is_file() and not left and path.suffix not in (".pyc", ".part", ".orig") and "~" not in path.name:
            yield path


def project_of_checkout() -> dict[str, Any]:
    """[project] in the checkout's pyproject.toml; empty where the package is installed."""
    checkout = PACKAGE_FOLDER.parent / "pyproject.toml"
    project: dict[str, Any] = {}
    if checkout.is_file():
        project = tomllib.loads(checkout.read_text(encoding="utf-8")).get("project", {})
    return project if project.get("name") == DISTRIBUTION else {}


def dependencies() -> list[str]:
    """The engine's requirements, from the checkout or the installed package. Raises UserError without either."""
    if project := project_of_checkout():
        return list(project["dependencies"])
    try:
        required = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        raise UserError(
            f"what {DISTRIBUTION} needs is not known: install it (pip install), do not only put it on the path."
        ) from None
    return [requirement for requirement in required if "extra ==" not in requirement]


def extras() -> dict[str, list[str]]:
    """What a student may install in addition: {extra: its requirements}."""
    if project := project_of_checkout():
        return {name: list(project["optional-dependencies"][name]) for name in STUDENT_EXTRAS}
    required = metadata.requires(DISTRIBUTION) or []
    return {
        name: [each.partition(";")[0].strip() for each in required if re.search(rf"extra == ['\"]{name}['\"]", each)]
        for name in STUDENT_EXTRAS
    }


def pinned_requirements() -> list[str]:
    """The requirements, each at the version that is installed here. Raises UserError for one that is not installed."""
    found = []
    for requirement in dependencies():
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            raise UserError(
                f"{name}, which the grader needs, is not installed here: no version to write down."
            ) from None
        found.append(f"{name}=={version.partition('+')[0]}")  # 2.13.0+cpu is 2.13.0 built for the CPU
    return found


def pyproject(scripts: dict[str, str]) -> bytes:
    """A pyproject.toml that installs engine_files(), with these commands."""
    lines = ["[build-system]", 'requires = ["hatchling"]', 'build-backend = "hatchling.build"', ""]
    lines += ["[project]", f'name = "{DISTRIBUTION}"', f'version = "{__version__}"', 'requires-python = ">=3.11"']
    lines += ["dependencies = [", *(f'    "{requirement}",' for requirement in dependencies()), "]", ""]
    lines += ["[project.optional-dependencies]"]
    lines += [f"{name} = {json.dumps(required)}" for name, required in extras().items()] + [""]
    lines += ["[project.scripts]", *(f'{name} = "{target}"' for name, target in scripts.items()), ""]
    lines += ["[tool.hatch.build]", 'dev-mode-dirs = ["."]', ""]
    lines += ["[tool.hatch.build.targets.wheel]", 'only-include = ["grader", "exercises"]']
    lines += ['exclude = ["exercises/*/backward.py"]', 'sources = { "exercises" = "grader/exercises" }', ""]
    lines += ["[tool.pytest.ini_options]", 'testpaths = ["tests"]', ""]
    return "\n".join(lines).encode()


def licence() -> bytes | None:
    """The text of the licence, which every copy must contain; None if this copy has none."""
    checkout = PACKAGE_FOLDER.parent / "LICENSE"
    if checkout.is_file():
        return checkout.read_bytes()
    try:
        files = metadata.files(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())).read_bytes() for file in files if file.name == "LICENSE"), None)


PLAIN_MODE, EXECUTABLE_MODE = 0o100644, 0o100755


def write_zip(path: Path, files: KitFiles, executable: Collection[str] = ()) -> None:
    """Writes `files` as a zip, whole or not at all. Raises OSError."""
    with (
        replacement_file(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
    ):
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name)  # dated 1980: the same files give the same bytes
            entry.create_system = 3  # Unix: the mode below counts
            entry.external_attr = (EXECUTABLE_MODE if name in executable else PLAIN_MODE) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def write_folder(folder: Path, files: KitFiles) -> None:
    """Writes `files` into `folder`. Raises OSError."""
    for name, content in files.items():
        path = folder / PurePosixPath(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
