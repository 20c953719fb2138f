"""`dojo mcp` and `dojo lsp`: servers on standard input and output, for an AI assistant and for an editor."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from grader import __version__
from grader.commands.dojo_work import AtDesk
from grader.dojo.desk import Desk
from grader.dojo.session import CheckSession
from grader.errors import UserError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

MISSING = (
    "`dojo mcp` needs the package mcp, which is not installed. Type: python -m pip install 'mcp>=2,<3', and try again."
)


def serve_assistant(at: AtDesk) -> None:
    """Serves verdicts and hints to an AI assistant, and no answers.

    It speaks the Model Context Protocol over standard input and output: docs/tools.md has the lines for your client.
    Hints that the assistant takes are recorded in .dojo.json, as those of `dojo hint` are.

    Examples:
      claude mcp add dojo -- dojo mcp    the assistant starts it by itself, in the folder with exercises/
    """
    try:
        import mcp  # noqa: F401
    except ImportError as error:
        raise UserError(MISSING) from error
    with closing(CheckSession(at)) as session:
        server_of(at, session).run()


def server_of(at: Desk, session: CheckSession) -> MCPServer:
    """The server: three tools, no resources, no prompts."""
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    from grader.dojo.assistance import PURPOSE, hint_text, lessons_text, verdict_text

    server = MCPServer("dojo", title="Backprop Ninja", instructions=PURPOSE, version=__version__, log_level="ERROR")

    @server.tool()
    async def lessons() -> str:
        """The lessons and their rows, with the student's progress."""
        return lessons_text(at)

    @server.tool()
    async def verdict(lesson: str) -> str:
        """Check the student's file now: `03` for a lesson, `03.dprobs` for one row. Names known mistakes."""
        try:
            return verdict_text(at, session, lesson)
        except UserError as error:
            raise ToolError(str(error)) from None

    @server.tool()
    async def hint(row: str) -> str:
        """The next hint for a row such as `03.dprobs`, three at most. It is recorded: ask the student first."""
        try:
            return hint_text(at, row)
        except UserError as error:
            raise ToolError(str(error)) from None

    return server


def lsp() -> None:
    """Shows mistakes in any editor that speaks the language server protocol.

    It needs: pip install "backprop-ninja[lsp]"   (in a kit: pip install -e ".[lsp]")

    Examples:
      dojo lsp                 typed by your editor, not by you: docs/tools.md says how
    """
    try:
        from grader.dojo.language_server import serve_editor
    except ModuleNotFoundError as error:
        raise UserError(
            f"The language server needs {error.name}. Type `pip install pygls`, and start it again."
        ) from error
    serve_editor()
