"""`dojo mcp` and `dojo lsp`: servers on standard input and output, for an AI assistant and for an editor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from grader.commands.dojo_work import AtDesk
from grader.dojo.session import CheckSession
from grader.errors import UserError


@contextmanager
def required_package(package: str) -> Iterator[None]:
    """Say how to install what is imported here and is not installed. Raises UserError."""
    try:
        yield
    except ModuleNotFoundError as error:
        what = f"this command needs the package {package.partition('>')[0]}, which is not installed"
        raise UserError(f"{what}. Type: python -m pip install '{package}', and try again.") from error


def serve_assistant(at: AtDesk) -> None:
    """Serves verdicts and hints to an AI assistant, and no answers.

    It speaks the Model Context Protocol over standard input and output: docs/tools.md has the lines for your client.
    Hints that the assistant takes are recorded in .dojo.json, as those of `dojo hint` are.

    Examples:
      claude mcp add dojo -- dojo mcp    the assistant starts it by itself, in the folder with exercises/
    """
    with required_package("mcp>=2,<3"):
        from grader.dojo.assistance import Assistance
    with closing(CheckSession(at)) as session:
        Assistance(at, session).server().run()


def lsp() -> None:
    """Shows mistakes in any editor that speaks the language server protocol.

    It needs: pip install "backprop-ninja[lsp]"   (in a kit: pip install -e ".[lsp]")

    Examples:
      dojo lsp                 typed by your editor, not by you: docs/tools.md says how
    """
    with required_package("pygls>=2"):
        from grader.dojo.language_server import serve_editor
    serve_editor()
