"""autograder.zip for Gradescope: its two scripts, the engine, pinned requirements, and the course with its secrets."""

from __future__ import annotations

from collections.abc import Sequence

from grader.authoring.release.engine import KitFiles, engine_files, files_under, pinned_requirements, pyproject
from grader.authoring.release.kit import KEPT_BY_RESET, settings_file
from grader.lesson.lesson import Course
from grader.lesson.paths import TEMPLATES
from grader.publish.export.autograder import SETTINGS, AutograderSettings

SCRIPTS = ("setup.sh", "run_autograder")


def autograder_files(course: Course, settings: AutograderSettings, pip_options: Sequence[str] = ()) -> KitFiles:
    """The files in the zip. pip gets `pip_options` when it installs the requirements. Raises UserError, OSError."""
    found = {name: (TEMPLATES / "export" / name).read_bytes() for name in SCRIPTS}
    found[SETTINGS] = settings.to_json().encode()
    found["requirements.txt"] = ("\n".join(pinned_requirements()) + "\n").encode()
    found["pip-options.txt"] = (" ".join(pip_options) + "\n").encode()
    found |= {f"engine/{name}": content for name, content in engine_files().items()}
    found["engine/pyproject.toml"] = pyproject({"grade": "grader.commands.start_grade:main"})
    found |= {f"course/{name}": content for name, content in settings_file(course.root).items()}
    for part in ("exercises", "solutions"):
        for path in files_under(course.root / part):
            if KEPT_BY_RESET not in path.name:
                found[f"course/{path.relative_to(course.root).as_posix()}"] = path.read_bytes()
    return found
