"""`dojo lsp`: the language server that an editor starts."""

from __future__ import annotations

import click

from grader.errors import UserError

EPILOG = """\b
Examples:
  dojo lsp                 typed by your editor, not by you

\b
Your editor starts it and talks to it on standard input and output: docs/editors.md says how, for VS Code,
Neovim, Helix and Emacs. It needs: pip install "backprop-ninja[lsp]"   (in a kit: pip install -e ".[lsp]")
"""


@click.command("lsp", epilog=EPILOG)
def lsp() -> None:
    """Shows mistakes, shapes and hints in your editor.

    It is a language server: any editor that speaks the language server protocol can use it.
    """
    try:
        from grader.dojo.editor.server import serve_editor
    except ModuleNotFoundError as error:
        raise UserError(
            f"The language server needs {error.name}. Type `pip install pygls`, and start it again."
        ) from error
    serve_editor()
