"""The commands of `dojo`: what a student types about their own work, with help, examples and options."""

from __future__ import annotations

import sys

import click
from click.shell_completion import CompletionItem

from grader.commands.command_line import ANY_PATH, EXISTING_FOLDER, FILE, CommandGroup, argument, option, switch
from grader.errors import UserError


@click.pass_context
def start_program(context: click.Context) -> None:
    """Show the lessons where no command is given."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that knows no ✓ shows a ?
    if context.invoked_subcommand is None:
        context.invoke(main.commands["list"])


main = CommandGroup(
    "dojo",
    """Checks your backpropagation exercises. It runs your files as if you ran them: check only code that you trust.

    Examples:
      dojo                    the lessons, how far you are, what to do next
      dojo watch 03           checks lesson 03 whenever you save
      dojo open 03            the same, and a live page in your browser
      dojo check              once, for the lesson you last worked on
      dojo check 03.dprobs    one row of it
      dojo check that.ipynb   the lecture's notebook, or one with the functions in it
      dojo hint dprobs        a hint, and one more each time
      dojo answer 03          the questions of lesson 03
      dojo defend 03          questions about your own code, to practise a defence
      dojo report             the whole page, in your browser
      dojo train              trains a network with your gradients
      dojo verify             checks your gradients with the checker that you wrote in lesson 08
      dojo start              a new folder to work in
      dojo mcp                for an AI assistant: verdicts and hints, no answers

    Shell completion: eval "$(_DOJO_COMPLETE=bash_source dojo)"   (or zsh_source, fish_source)
    """,
    invoke_without_command=True,
    callback=start_program,
)
click.version_option(package_name="backprop-ninja")(main)


def complete_lessons(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Numbers of lessons and names of rows, each with the lesson's title; a file where none of them fits."""
    from grader.dojo.desk import student_course
    from grader.lesson.lesson import Course

    try:
        lessons = Course(student_course(ctx.params.get("course")), secrets=False).lessons.values()
    except UserError:
        return []
    words = {lesson.number: lesson.title for lesson in lessons}
    for lesson in lessons if ctx.command.name in ("check", "hint") else ():
        before = f"{lesson.number}." if incomplete[:1].isdigit() else ""
        words |= {before + item.name: lesson.title for item in lesson.items}
    found = [CompletionItem(word, help=title) for word, title in words.items() if word.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]


EXERCISES_OPTION = option(
    "--course",
    "Folder with exercises/, whose lessons run with your rights.  [default: the one that you are in; only what equals "
    "the installed lessons runs there]",
    EXISTING_FOLDER,
)
LESSON_WORD = argument("lesson_name", shell_complete=complete_lessons, metavar="LESSON")
WORK_WORDS = argument("words", nargs=-1, shell_complete=complete_lessons, metavar="[FILE] [LESSON]")
PORT_OPTION = option("--port", "The port of the live page.  [default: a free one]", click.IntRange(1024, 65535))

main.add(
    "dojo_work.list_lessons",
    """Shows the lessons, how far you are, and what to do next. The same as `dojo` alone.

    Examples:
      dojo                     the same
      dojo list --course ~/kit the lessons of another folder
    """,
    EXERCISES_OPTION,
    name="list",
)
main.add(
    "dojo_work.check",
    """Checks your file once.

    You see the lecture's row for each gradient, what is wrong, and which mistake it is.

    It uses public problems. Your grade comes from a hidden test suite with different problems.

    Examples:
      dojo check                  the lesson you last worked on, else the first unfinished one
      dojo check 03               lesson 03
      dojo check 03.dprobs dh     two rows
      dojo check that.ipynb       a notebook, or a script in the lecture's style: the lessons found in it
      dojo check that.ipynb 03    lesson 03 of it

    A notebook or a script is never run as a whole. `dojo` takes the statements that assign each gradient, or
    the lesson's functions, as `grade run` does. The list that `dojo` prints counts only exercises/.

    Exit status: 0 nothing checked is wrong (what is still to do is not wrong), 1 something is wrong,
    2 it could not be checked (the message says why).
    """,
    argument("words", nargs=-1, shell_complete=complete_lessons, metavar="[FILE] [LESSON[.GRADIENT]]..."),
    option("--lesson named", "The same as LESSON after FILE.", multiple=True, metavar="LESSON"),
    switch("--problems", "One line per mistake, FILE:LINE: MESSAGE, for an editor or `make`."),
    EXERCISES_OPTION,
)
main.add(
    "dojo_work.hint",
    """Gives a hint. Each call gives one more, up to three. Hints are free: they cost no points.

    Examples:
      dojo hint dprobs        a hint for dprobs; each call gives one more
      dojo hint 02.dW2        if several lessons have a row of that name
      dojo hint               a hint for the next row
    """,
    argument("row_name", required=False, shell_complete=complete_lessons, metavar="[GRADIENT]"),
    EXERCISES_OPTION,
)
main.add(
    "dojo_work.report",
    """Writes the report that your instructor would see.

    The report contains the graph, your mistakes, and hints. The command checks your work first, and opens the report.

    Examples:
      dojo report                      every lesson that you have begun
      dojo report 03 --no-open         lesson 03; only prints where the page is
      dojo report that.ipynb           the lessons in a notebook or a script
    """,
    argument("words", nargs=-1, shell_complete=complete_lessons, metavar="[FILE] [LESSON]..."),
    option("--open/--no-open opened", "Open the report in your browser, or not.  [default: open]", default=True),
    option("-o --out", "[default: my-report.html]", FILE, metavar="FILE"),
    EXERCISES_OPTION,
)
main.add(
    "dojo_work.reset_lesson",
    """Restores the stub of a lesson. Your file is kept next to it.

    Examples:
      dojo reset 03            the stub again; your work is kept in a copy next to it
    """,
    *(LESSON_WORD, EXERCISES_OPTION),
    name="reset",
)
main.add(
    "dojo_work.verify_own",
    """Checks your gradients with the gradient checker that you wrote in lesson 08.

    For each gradient it shows what your checker says, what the judge says, and how many broken copies of the right
    gradient your checker rejects. At the end it lists what your checker gets wrong.

    Examples:
      dojo verify         every lesson that your checker can be used on
      dojo verify 03      lesson 03

    Exit status: 0 your checker agrees with the judge everywhere and rejects every broken copy, 1 it does not,
    2 it could not be used (the message says why).
    """,
    argument("words", nargs=-1, shell_complete=complete_lessons, metavar="[LESSON]..."),
    EXERCISES_OPTION,
    name="verify",
)
main.add(
    "dojo_work.start",
    """Makes a folder to work in.

    Each lesson in it has an empty backward.py. Where there is a folder exercises/ already, here or above, you work in
    that one, and the command says where to begin. The new folder is called backprop-ninja unless you name it. The
    lessons come from the course that you are in; outside of a course, they are those that were installed with this
    command.

    Examples:
      dojo start               makes the folder backprop-ninja with all lessons
      dojo start my-work       another name
      dojo start               in the folder from your instructor: only where to begin
      dojo start hard --bare   harder: you choose what each gradient is computed from

    Exit status: 0 the folder is there, 2 it cannot be made (the message says why).
    """,
    argument("folder", type=ANY_PATH, required=False, metavar="[FOLDER]"),
    switch("--bare", "Empty parentheses: you write what each gradient is computed from."),
    EXERCISES_OPTION,
)
main.add(
    "dojo_work.watch",
    """Checks your file every time you save it. PyTorch stays loaded, so a check takes a tenth of a second.

    Examples:
      dojo watch                  the lesson you last worked on, else the first unfinished one
      dojo watch 03               lesson 03
      dojo watch 03 --open        with the report in your browser, new after each save
      dojo watch that.ipynb       a notebook or a script: save it, and it is checked
      dojo watch that.ipynb 05    lesson 05 of it

    Keys: n and p: the next and the previous row to fix or write, and after the last one the next lesson
    with something to do; h a hint; l the list; r the report in your browser; q quits.
    """,
    WORK_WORDS,
    switch("--open opened", "With a live page in your browser; the same as `dojo open`."),
    *(PORT_OPTION, EXERCISES_OPTION),
)
main.add(
    "dojo_work.watch",
    """Like `dojo watch`, with the report of the latest check as a page in your browser.

    Examples:
      dojo open 03                lesson 03, and the page in your browser
      dojo open 03 --port 8000    on a remote machine: ssh -L 8000:127.0.0.1:8000 there

    Only programs on your own machine reach the page, and only with the token in its address.
    """,
    *(WORK_WORDS, PORT_OPTION, EXERCISES_OPTION),
    name="open",
)
main.add(
    "dojo_questions.answer",
    """Asks the questions of a lesson. Where numbers are drawn, each student gets other ones.

    Examples:
      dojo answer 03             asks the questions that you have not answered yet
      dojo answer 03 zeros       asks one question again
      dojo answer 03 --list      your answers so far

    Enter skips a question, q stops. Your answers are in answers.toml, next to backward.py: submit it.
    """,
    LESSON_WORD,
    argument("names", nargs=-1, metavar="[QUESTION]..."),
    switch("--list listed", "Shows your answers and asks nothing."),
    option("--student", "The name that your course knows. Your numbers are drawn from it.", metavar="NAME"),
    EXERCISES_OPTION,
)
main.add(
    "dojo_questions.defend",
    """Asks about your own code, as a defence does.

    Every question is made from your file. Each time you get other questions.

    Examples:
      dojo defend 03                 six questions about your own lines of lesson 03
      dojo defend 03 --seed 4711     the same questions again, as long as your file is the same
      dojo defend homework.ipynb 03  about a notebook or a script, which may have several lessons

    The questions are about gradients that are right. Enter leaves a question out, q stops.
    """,
    argument("words", nargs=-1, required=True, shell_complete=complete_lessons, metavar="[FILE] [LESSON]"),
    option("--seed", "The same seed and file give the same questions.  [default: new ones]", metavar="TEXT"),
    option("--questions count", "How many.", click.IntRange(1, 12), default=6, show_default=True),
    EXERCISES_OPTION,
)
main.add(
    "train.train",
    """Trains a network with your own gradients.

    Next to it, a second network learns with autograd's gradients. The curve, the log and what --resume needs are in
    my-training/.

    Instead of a LESSON you may name your FILE. A file with a function `forward` is a network of your own: see
    my_network.py in the folder of lesson 07.

    Examples:
      dojo train                            lesson 07: the lecture's network, 200,000 steps
      dojo train 15                         the GPT of lesson 15
      dojo train --steps 2000               a first look, in seconds
      dojo train --compare                  goes on although a gradient is wrong: see what that does
      dojo train --resume                   continues after Ctrl-C
      dojo train my_network.py              a network of your own, next to autograd

    Exit status: 0 done, 2 something is missing or wrong (the message says what), 130 stopped by Ctrl-C.
    """,
    argument("word", required=False, shell_complete=complete_lessons, metavar="[LESSON]"),
    option("--steps", "[default: the lesson's; 200,000 in lesson 07]", click.IntRange(1)),
    switch("--compare goes_on", "Go on with a wrong gradient, next to autograd's run.  [default: stop]"),
    switch("--resume", "Continue the last run of this lesson."),
    EXERCISES_OPTION,
)
main.add(
    "dojo_servers.serve_assistant",
    """Serves verdicts and hints to an AI assistant.

    It speaks the Model Context Protocol over standard input and output.

    Hints that the assistant takes are recorded in .dojo.json, as those of `dojo hint` are.

    Examples:
      dojo mcp                        an AI assistant starts this by itself, in the folder with exercises/
      dojo mcp --course ~/kit         the same for another folder
      claude mcp add dojo -- dojo mcp

    docs/tools.md has the lines for other clients. The server speaks on standard input and output. It gives
    verdicts and hints, and no answers. That stops nobody who wants to cheat.
    """,
    EXERCISES_OPTION,
    name="mcp",
)
main.add(
    "dojo_servers.lsp",
    """Shows mistakes in your editor.

    It is a language server: any editor that speaks the language server protocol can use it.

    Examples:
      dojo lsp                 typed by your editor, not by you

    Your editor starts it and talks to it on standard input and output: docs/tools.md says how, for VS Code,
    Neovim, Helix and Emacs. It needs: pip install "backprop-ninja[lsp]"   (in a kit: pip install -e ".[lsp]")
    """,
)

if __name__ == "__main__":
    main()
