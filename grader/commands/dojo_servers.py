"""`dojo mcp` and `dojo lsp`: servers on standard input and output, for an AI assistant and for an editor."""

from __future__ import annotations

from contextlib import closing

from grader.commands.dojo_work import AtDesk
from grader.dojo.session import CheckSession
from grader.dojo.work import Work


def serve_assistant(at: AtDesk) -> None:
    """Serves verdicts and hints to an AI assistant, and no answers.

    It speaks the Model Context Protocol over standard input and output: docs/tools.md has the lines for your client.
    Hints that the assistant takes are recorded in .dojo.json, as those of `dojo hint` are.

    Examples:
      claude mcp add dojo -- dojo mcp    the assistant starts it by itself, in the folder with exercises/
    """
    from grader.dojo.assistance import Assistance  # with the package mcp, which is an extra

    with closing(CheckSession(Work(at))) as session:
        Assistance(session).server().run()


def lsp() -> None:
    """Shows mistakes in any editor that speaks the language server protocol.

    It needs: pip install "backprop-ninja[lsp]"   (in a kit: pip install -e ".[lsp]")

    Examples:
      dojo lsp                 typed by your editor, not by you: docs/tools.md says how
    """
    from grader.dojo.language_server import serve_editor  # with the package pygls, which is an extra

    serve_editor()
