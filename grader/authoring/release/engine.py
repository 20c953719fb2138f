"""The engine as files: the whole package, which contains no secret, with the templates of reports; and archives.

Archives are reproducible, the same files give the same bytes: entries are sorted and have no times or owners.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Collection
from importlib import metadata
from pathlib import Path

import grader
from grader.errors import UserError
from grader.gradebook.files import replacement_file
from grader.lesson.paths import TEMPLATES, files_under
from grader.publish.templates import text_templates

PACKAGE_FOLDER = Path(grader.__file__).parent
AUTHORS = ("new_lesson", "export", "kit", "kit_answers", "kit_notebook", "figures")
"""Folders of templates for authors of a course. Students do not need them."""
PLAIN_MODE, EXECUTABLE_MODE = 0o100644, 0o100755

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


def distribution() -> metadata.Distribution:
    """This package as pip installed it. Raises UserError where it is only on the path."""
    try:
        return metadata.distribution("backprop-ninja")
    except metadata.PackageNotFoundError:
        raise UserError(
            "what backprop-ninja needs is not known: install it (pip install), do not only put it on the path."
        ) from None


def requirements() -> list[str]:
    """The engine's requirements without those of its extras. Raises UserError."""
    return [each for each in distribution().requires or [] if "extra ==" not in each]


def pinned_requirements() -> list[str]:
    """The requirements, each at the version that is installed here. Raises UserError."""
    names = [re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in requirements()]
    return [f"{name}=={metadata.version(name).partition('+')[0]}" for name in names]  # 2.13.0+cpu is for the CPU


def pyproject(command: str) -> bytes:
    """A pyproject.toml that installs engine_files() and exercises/ with `command`, "dojo" or "grade"."""
    template = text_templates("export").get_template("pyproject.toml.jinja")
    needed = json.dumps(requirements(), indent=4)
    return template.render(version=distribution().version, requirements=needed, command=command).encode()


def licence() -> bytes:
    """The text of the licence, which every copy must contain. Raises UserError, OSError."""
    own = distribution()
    return next(Path(str(own.locate_file(file))).read_bytes() for file in own.files or [] if file.name == "LICENSE")


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
