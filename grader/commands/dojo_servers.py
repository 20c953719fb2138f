"""`dojo mcp` and `dojo lsp`: servers on standard input and output, for an AI assistant and for an editor."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader import __version__
from grader.dojo.desk import Desk, student_course
from grader.dojo.session import CheckSession
from grader.errors import UserError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

MISSING = (
    "`dojo mcp` needs the package mcp, which is not installed. Type: python -m pip install 'mcp>=2,<3', and try again."
)


def serve_assistant(course: Path | None) -> None:
    """Serve an AI assistant until its input ends. Raises UserError."""
    root = student_course(course).resolve()
    try:
        import mcp  # noqa: F401
    except ImportError as error:
        raise UserError(MISSING) from error
    at = Desk(root, complain=lambda sentence: click.echo(f"dojo: {sentence}", err=True))
    with contextlib.closing(CheckSession(at)) as session:
        server_of(at, session).run()


def server_of(at: Desk, session: CheckSession) -> MCPServer:
    """The server: three tools, no resources, no prompts."""
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    from grader.dojo.assistance import PURPOSE, hint_text, lessons_text, verdict_text

    server = MCPServer("dojo", title="Backprop Ninja", instructions=PURPOSE, version=__version__, log_level="ERROR")

    def answered(text: Callable[[], str]) -> str:
        try:
            return text()
        except UserError as error:
            raise ToolError(str(error)) from None

    @server.tool()
    async def lessons() -> str:
        """The lessons and their rows, with the student's progress."""
        return answered(lambda: lessons_text(at))

    @server.tool()
    async def verdict(lesson: str) -> str:
        """Check the student's file now: `03` for a lesson, `03.dprobs` for one row. Names known mistakes."""
        return answered(lambda: verdict_text(at, session, lesson))

    @server.tool()
    async def hint(row: str) -> str:
        """The next hint for a row such as `03.dprobs`, three at most. It is recorded: ask the student first."""
        return answered(lambda: hint_text(at, row))

    return server


def lsp() -> None:
    """Serve an editor until it ends. Raises UserError."""
    try:
        from grader.dojo.language_server import serve_editor
    except ModuleNotFoundError as error:
        raise UserError(
            f"The language server needs {error.name}. Type `pip install pygls`, and start it again."
        ) from error
    serve_editor()
