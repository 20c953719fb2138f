"""Text that somebody else wrote, literally as each medium has it."""

from __future__ import annotations

import io

import pytest

from grader.commands.console import console_for
from grader.publish.inert import csv_cell, inert, markdown, prose, terminal_line, without_ci_commands

B = "\u200b"
SHOWN = {
    inert: [
        ("plain", "plain"),
        ("Zoë 木村", "Zoë 木村"),
        ("a\x00b\x07", "a\\x00b\\x07"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07x", "red x"),
        ("\x1bc", "\\x1bc"),
        ("user\u202egnp.exe", "user\\u202egnp.exe"),
        ("a\u200bb\ufeff\u2066", "a\\u200bb\\ufeff\\u2066"),
        ("a\u3164b\u2028c", "a\\u3164b\\u2028c"),
        ("\udc80", "\\udc80"),
        ("two\r\nlines\tand a tab", "two\nlines\tand a tab"),
        ("z" + "\u0301" * 50, "z" + "\u0301" * 3),
    ],
    markdown: [
        ("0.1234567 1.1920929e-07", "0.1234567 1.1920929e-07"),  # figures can be copied
        ("owner/repo#1", f"owner/repo\\#{B}1"),
        ("@user", f"@{B}user"),
        (":tada:", f":{B}tada:"),
        ("checks.py:100: no", f"checks.py:{B}100: no"),
        ("!7 %8", f"\\!{B}7 %{B}8"),
        ("https://example.org", "https\\://example.org"),
        ("www.example.org", "www\\.example.org"),
        ("<!-- a -->", "\\<\\!-- a --\\>"),
        ("![a](b)", "\\!\\[a\\](b)"),
        ("[^1]", "\\[\\^1\\]"),
        ("$$x$$", f"\\$\\${B}x\\$\\$"),
        ("```mermaid", "\\`\\`\\`mermaid"),
        ("- a", f"{B}- a"),
        ("12. a", f"12{B}. a"),
        ("---", f"{B}---"),
        ("    a", "   a"),
        ("-1.5 +2 a-1", "-1.5 +2 a-1"),
        ("`@user #1` b", "`@user #1` b"),
    ],
    csv_cell: [
        ("=1+1", "'=1+1"),
        ("＝1+1", "'＝1+1"),
        ("＋1", "'＋1"),
        ("－1", "'－1"),
        ("＠A1", "'＠A1"),
        (" =1", "' =1"),
        ('"=1', "'\"=1"),
        ("|calc", "'|calc"),
        ("\t=1", "\\t=1"),
        ("\r=1", "\\r=1"),
        ("\n@1", "\\n@1"),
        ("a;=1", "a;'=1"),
        ("a; -b", "a; '-b"),
        ("a;b", "a;b"),
        ("Ada-Lovelace", "Ada-Lovelace"),
        ("\u202e=1", "\\u202e=1"),
    ],
    terminal_line: [
        ("checks.py:100: no :tada:", "checks.py:100: no :tada:"),
        ("[bold]x[/bold] [link=a]b", "[bold]x[/bold] [link=a]b"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\nb\r::error::c", "a\\nb\\r::error::c"),
        ("::error::x", ": :error::x"),
        ("a\u202eb\u2066", "a\\u202eb\\u2066"),
        ("a\u3164b", "a\\u3164b"),
        ("\udc80", "\\udc80"),
        ("e" + "\u0301" * 50, "e" + "\u0301" * 3),
        ("##vso[a]", "## vso[a]"),
    ],
    without_ci_commands: [
        ("::error::x", ": :error::x"),
        ("   ::error::x", "   : :error::x"),
        ("a ##[error]b", "a ## [error]b"),
        ("##vso[task.complete]", "## vso[task.complete]"),
        ("a##TeamCity[x]", "a## TeamCity[x]"),
        ("a ## b [c]", "a ## b [c]"),
        ("x[::2]", "x[::2]"),
        (": one", ": one"),
    ],
    prose: [("your `dW1 < 3` & <b>", "your <code>dW1 &lt; 3</code> &amp; &lt;b&gt;")],
}
"""{function: [(text, what it makes of it)]}"""


@pytest.mark.parametrize(("harmless", "text", "shown"), [(f, *each) for f, cases in SHOWN.items() for each in cases])
def test_text_is_shown_and_does_nothing(harmless, text, shown):
    assert harmless(text) == shown
    if harmless is inert:
        assert inert(shown) == shown
    if harmless is markdown:
        assert shown.replace(B, "").replace("\\", "") == text or text.startswith("    ")
    if harmless is terminal_line:  # on a terminal with colours, through the console that the commands print with
        console = console_for()
        console.file = written = io.StringIO()
        console.print(terminal_line(text), soft_wrap=True)
        assert written.getvalue() == shown + "\n"
