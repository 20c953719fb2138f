"""`dojo` as a student types it: in a kit that has exercises/ and no solutions/, on a screen of 80 columns."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
import threading

import pytest
from kits import file_of, functions_of, line_of, make_kit, solved
from rich.console import Console
from support import ROOT

from grader.dojo.assistance import lessons_text
from grader.dojo.desk import Desk
from grader.dojo.file import HIDDEN, read_own
from grader.dojo.naming import only_lesson
from grader.dojo.report import open_in_browser
from grader.dojo.view import KEYS_HELP
from grader.dojo.watch import Watch
from grader.dojo.zygote import Starter
from grader.errors import ZygoteDied
from grader.lesson.lesson import Course
from grader.sandbox.isolation.probe import Isolation

pytest_plugins = ["dojos"]


# The list ------------------------------------------------------------------------------------------------------------


def test_dojo_alone_lists_the_lessons_and_what_to_do_next(kit, dojo):
    assert dojo().stdout == (
        "Backprop Ninja: 0 of 48 points\n"
        "\n"
        "  03 The makemore network, step by step          0 of 26  not begun\n"
        "  04 Cross-entropy in one go                      0 of 3  not begun\n"
        "  06 The whole backward pass in one function     0 of 19  not begun\n"
        "\n"
        f"Next: write dlogprobs  exercises/03_makemore_steps/backward.py:{line_of(kit, '03', 'dlogprobs')}\n"
        "      dojo watch 03 · dojo hint 03.dlogprobs\n"
    )
    assert dojo("list").stdout == dojo().stdout


@pytest.mark.full
def test_the_list_shows_what_the_last_checks_found(kit, dojo):
    file_of(kit, "03").write_text(solved("03", "dlogprobs", "dprobs"))
    file_of(kit, "04").write_text(solved("04", "dlogits"))
    file_of(kit, "06").write_text("def backward(:\n")
    for number in ("06", "04", "03"):
        dojo("check", number)
    line = line_of(kit, "03", "dcounts_sum_inv")
    assert dojo().stdout == (
        "Backprop Ninja: 5 of 48 points\n"
        "\n"
        "→ 03 The makemore network, step by step          2 of 26  24 to do\n"
        "✓ 04 Cross-entropy in one go                      3 of 3  done\n"
        "  06 The whole backward pass in one function     0 of 19  does not run\n"
        "\n"
        "The hidden suite decides 1 of these points, with other problems: what counts\n"
        "here passed its public examples.\n"
        "\n"
        f"Next: write dcounts_sum_inv  exercises/03_makemore_steps/backward.py:{line}\n"
        "      dojo watch 03 · dojo hint 03.dcounts_sum_inv\n"
    )
    file_of(kit, "04").write_text(solved("04", "dlogits") + "# more\n")
    assert "  04 Cross-entropy in one go                      3 of 3  not checked\n" in dojo().stdout


def test_the_list_runs_no_code(kit, dojo, judge, monkeypatch):
    """An endless loop in two lessons took a minute, and how long depended on the machine."""
    for number in ("03", "06"):
        file_of(kit, number).write_text(solved(number) + "# more\n")
    monkeypatch.setattr(judge, "judge", lambda *of: pytest.fail("the file was run"))
    assert dojo().stdout == (
        "Backprop Ninja: 0 of 48 points\n"
        "\n"
        "  03 The makemore network, step by step          0 of 26  not checked\n"
        "  04 Cross-entropy in one go                      0 of 3  not begun\n"
        "  06 The whole backward pass in one function     0 of 19  not checked\n"
        "\n"
        "Changed and not checked yet: 03, 06. `dojo check 03 06` counts their points\n"
        "again.\n"
        "\n"
        "Next: check lesson 03, which you have changed\n"
        "      dojo check 03 · dojo watch 03\n"
    )


def test_a_hint_for_a_named_row_waits_for_no_check(kit, dojo, judge, monkeypatch):
    file_of(kit, "03").write_text(solved("03") + "# more\n")
    monkeypatch.setattr(judge, "judge", lambda *of: pytest.fail("the file was run"))
    assert dojo("hint", "03.dprobs").stdout.startswith("Hint 1 of 3 for dprobs\n")


@pytest.mark.full
def test_every_surface_counts_the_same_points(kit, dojo):
    """What passed its public example counts, and what is not begun is part of the whole."""
    file_of(kit, "04").write_text(solved("04", "dlogits"))
    file_of(kit, "03").write_text(solved("03", "dlogprobs", "dprobs"))
    assert "\n2 of 2 right · 3 of 3 points\n" in dojo("check", "04").stdout
    dojo("check", "03")
    assert dojo().stdout.startswith("Backprop Ninja: 5 of 48 points\n")
    dojo("report", "--no-open")
    page = " ".join(re.sub(r"<[^>]+>", " ", (kit / "my-report.html").read_text()).split())
    assert "5 of 48 points (10.4 %)" in page and "3 of 3 points · 2 of 2 right" in page
    desk = Desk(kit, print)
    assert "04 Cross-entropy in one go: 3 of 3 points; rows:" in lessons_text(desk)


LESSON_03 = "exercises/03_makemore_steps"


@pytest.mark.parametrize(
    "words",
    [
        *("3", "03.", "03/", "03_makemore_steps", "makemore", f"./{LESSON_03}/", f"{{kit}}/{LESSON_03}"),
        *(f"{LESSON_03}/lesson.toml", f"exercises/04_cross_entropy/../../{LESSON_03}/"),
    ],
)
def test_a_lesson_may_be_named_by_its_folder_wherever_one_is_named(kit, dojo, words):
    lesson = only_lesson(Desk(kit, print).course, words.format(kit=kit))
    assert lesson.number == "03"
    assert dojo("answer", words.format(kit=kit), "--list").stdout.startswith("Lesson 03: ")


def test_inside_a_lesson_s_folder_a_dot_names_it(kit, dojo, monkeypatch):
    monkeypatch.chdir(kit / "exercises" / "03_makemore_steps")
    assert dojo("answer", ".", "--list").stdout.startswith("Lesson 03: ")
    assert dojo("hint", "../04_cross_entropy/").stdout.startswith("Hint 1 of 3 for dlogits\n")
    assert dojo("check", "..").stderr.startswith("dojo: There is no lesson '..'.")


def test_a_defence_names_a_lesson_that_was_typed(dojo):
    result = dojo("defend", "03", "04")
    assert (result.exit_code, result.stderr) == (
        2,
        "dojo: a defence is about one lesson, and 2 were found: name one, as in `dojo defend 03`.\n",
    )


# Checking ------------------------------------------------------------------------------------------------------------


def test_a_check_at_the_beginning(kit, dojo):
    result = dojo("check", "04")
    assert result.exit_code == 0
    assert result.stdout == (
        "04 Cross-entropy in one go\n"
        "exercises/04_cross_entropy/backward.py\n"
        "\n"
        "dlogits         | to do\n"
        "in_one_go       | to do\n"
        "\n"
        "0 of 2 right, 2 to do · 0 of 3 points\n"
        "Checked on 3 public problems, 2 of them of other sizes, and on public examples.\n"
        "Your grade comes from the hidden test suite, with other problems.\n"
        f"Next: write dlogits  exercises/04_cross_entropy/backward.py:{line_of(kit, '04', 'dlogits')}\n"
        "      dojo watch 04 · dojo hint 04.dlogits\n"
    )


def test_what_is_right_what_only_the_hidden_suite_checks_and_what_was_printed(kit, dojo):
    (kit / "exercises" / "04_cross_entropy" / "examples.py").unlink()
    source = solved("04", "dlogits").replace("    return", "    print('n =', n)\n    return")
    file_of(kit, "04").write_text(source)
    result = dojo("check", "04")
    assert result.exit_code == 0
    assert re.sub(r"maxdiff: \S+ +", "maxdiff: …       ", result.stdout) == (
        "04 Cross-entropy in one go\n"
        "exercises/04_cross_entropy/backward.py\n"
        "\n"
        "dlogits         | exact: False | approximate: True  | maxdiff: …       | right ✓\n"
        "in_one_go       | written; only the hidden suite decides\n"
        "\n"
        "exact: False in a row that is right is a rounding difference in float32. The\n"
        "verdict compares values in float64.\n"
        "\n"
        "It printed, on the lecture's own problem:\n"
        "    dlogits: n = 32\n"
        "\n"
        "1 of 2 right, 1 only the hidden suite decides · 2 of 3 points\n"
        "The hidden suite decides 1 row (1 point): in_one_go.\n"
        "Checked on 3 public problems, 2 of them of other sizes. Your grade comes from\n"
        "the hidden test suite, with other problems.\n"
        "That was the last row of lesson 04.\n"
        "2 of 3 points; 1 try.\n"
        "Next: lesson 06 The whole backward pass in one function  dojo watch 06\n"
    )


def test_each_renamed_function_is_guessed(kit, dojo):
    source = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv", "dcounts_sum")
    for name, other in ("dlogprobs", "dLogProbs"), ("dprobs", "grad_probs"), ("dcounts_sum", "d_counts_sum"):
        source = source.replace(f"def {name}(", f"def {other}(")
    file_of(kit, "03").write_text(source)
    assert (
        "• There is no function `dlogprobs`; did you mean `dLogProbs`? Rename it.\n"
        "• There is no function `dprobs`; did you mean `grad_probs`? Rename it.\n"
        "• There is no function `dcounts_sum`; did you mean `d_counts_sum`? Rename it.\n"
    ) in dojo("check", "03").stdout


def test_a_power_written_with_a_caret_and_a_breakpoint_are_errors_at_their_lines(kit, dojo):
    right = solved("03", "dlogprobs", "dprobs")
    line = right[: right.index("    return dlogprobs / probs")].count("\n") + 1
    file_of(kit, "03").write_text(right.replace("dlogprobs / probs", "dlogprobs * probs^2"))
    assert (
        f"✗ dprobs error  exercises/03_makemore_steps/backward.py:{line}\n"
        "    forward: logprobs = probs.log()\n"
        "    NotImplementedError: \"bitwise_xor_cpu\" not implemented for 'Double'. `^` is\n"
        "    exclusive or, for integers and truth values. The power is `**`.\n"
        f"    {line} │ return dlogprobs * probs^2\n"
    ) in dojo("check", "03").stdout
    file_of(kit, "03").write_text(right.replace("    return dlogprobs / probs", "    breakpoint()\n    return probs"))
    assert (
        f"✗ dprobs error  exercises/03_makemore_steps/backward.py:{line}\n"
        "    forward: logprobs = probs.log()\n"
        "    The debugger (`breakpoint()`, `pdb`) waits for a command, and nobody can\n"
        "    answer here. Use `print`: `dojo check` shows what is printed.\n"
        f"    {line} │ breakpoint()\n"
    ) in dojo("check", "03").stdout


def test_a_mistake_is_named_and_what_stands_below_it_is_not_blamed(kit, dojo):
    right = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv", "dcounts_sum")
    file_of(kit).write_text(right.replace("return dlogprobs / probs", "return -dlogprobs / probs"))
    line = line_of(kit, "03", "dprobs")
    result = dojo("check", "03")
    assert result.exit_code == 1
    screen, _, _ = result.stdout.partition("\n    ")
    assert screen == (
        "03 The makemore network, step by step\n"
        "exercises/03_makemore_steps/backward.py\n"
        "\n"
        "dlogprobs       | exact: True  | approximate: True  | maxdiff: 0       | right ✓\n"
        "dprobs          | exact: False | approximate: False | maxdiff: 5.9     | wrong ✗\n"
        "dcounts_sum_inv | exact: True  | approximate: True  | maxdiff: 0       | right ✗\n"
        "dcounts_sum     | exact: True  | approximate: True  | maxdiff: 0       | right ✗\n"
        "22 to do: dcounts, dnorm_logits, dlogit_maxes and 19 more\n"
        "\n"
        f"✗ dprobs wrong value  exercises/03_makemore_steps/backward.py:{line}"
    )
    assert "sign" in result.stdout
    assert result.stdout.endswith(
        "\n"
        "✗ dcounts_sum_inv, dcounts_sum, in your chain: correct; red only because\n"
        "`dprobs` above it is wrong.\n"
        "\n"
        "3 of 26 right, 1 wrong, 22 to do · 3 of 26 points\n"
        "Checked on 4 public problems, 3 of them of other sizes. Your grade comes from\n"
        "the hidden test suite, with other problems.\n"
        f"Next: fix dprobs  exercises/03_makemore_steps/backward.py:{line}\n"
        "      dojo watch 03 · dojo hint 03.dprobs\n"
    )


def test_one_row_is_checked_by_its_own_verdict(kit, dojo):
    right = solved("03", "dprobs", "dcounts_sum_inv")
    file_of(kit).write_text(right.replace("return dlogprobs / probs", "return -dlogprobs / probs"))
    assert dojo("check", "03.dcounts_sum_inv").exit_code == 0
    assert dojo("check", "03.dprobs").exit_code == 1
    assert dojo("check", "03.dlogprobs").exit_code == 0  # to do is not wrong
    both = dojo("check", "03.dlogprobs", "dcounts_sum_inv").stdout
    assert both.count("\ndlogprobs ") == both.count("\ndcounts_sum_inv ") == 1 and "\ndprobs " not in both


def test_a_size_written_in_as_a_number_is_noticed(kit, dojo):
    file_of(kit, "04").write_text(solved("04", "dlogits").replace("/ n", "/ 32"))
    result = dojo("check", "04")
    assert result.exit_code == 1
    said = "right at the sizes in README.md and wrong at others (batch 7, vocabulary 5)"
    assert said in " ".join(result.stdout.split())


def test_one_function_for_all_gradients(kit, dojo):
    file_of(kit, "06").write_text(solved("06", "backward"))
    result = dojo("check", "06")
    assert result.exit_code == 0 and result.stdout.count("| right ✓\n") == 8
    file_of(kit, "06").write_text("def backward(n):\n    return 1 / (n - n)\n")
    result = dojo("check", "06")
    assert result.exit_code == 1
    assert result.stdout.count("\ndW2 ") == 1 and result.stdout.count("ZeroDivisionError") == 1
    assert "✗ dW2, db2, dgamma and 5 more error  exercises/06_embedding_net/backward.py:2\n" in result.stdout
    assert "\n    2 │ return 1 / (n - n)\n" in result.stdout


def test_a_file_that_does_not_run(kit, dojo):
    file_of(kit).write_text(solved("03") + "def f(:\n")
    result = dojo("check", "03")
    assert result.exit_code == 1
    line = len(solved("03").splitlines()) + 1
    assert result.stdout == (
        "03 The makemore network, step by step\n"
        "exercises/03_makemore_steps/backward.py\n"
        "\n"
        "✗ The file does not run, so nothing in it could be checked.\n"
        f"    exercises/03_makemore_steps/backward.py, line {line}: SyntaxError: invalid\n"
        "    syntax\n"
        f"    {line} │ def f(:\n"
        f"Next: make the file run  exercises/03_makemore_steps/backward.py:{line}\n"
        "      dojo watch 03\n"
    )


def test_an_exception_is_told_with_the_student_s_own_line_and_no_traceback(kit, dojo):
    source = solved("03", "dprobs").replace("return dlogprobs / probs", "return helper(probs)")
    file_of(kit).write_text(source + "\n\ndef helper(probs):\n    return probs.nothing\n")
    result = dojo("check", "03")
    assert "│ return probs.nothing" in result.stdout and "'nothing'" in result.stdout
    assert "Traceback" not in result.output and "site-packages" not in result.output


def test_a_row_alone_is_one_of_the_lesson_named_before_it(kit, dojo):
    """Lessons 03 and 06 both have a row dC: `dojo check 06.dW2 dC` can only mean lesson 06's."""
    shown = dojo("check", "06.dW2", "dC")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.stdout.startswith("06 ") and "\ndC " in shown.stdout and "\ndW2 " in shown.stdout


@pytest.mark.full
def test_a_loop_costs_only_its_own_row(kit, dojo):
    source = solved("03", "dlogprobs", "dprobs")
    file_of(kit).write_text(source.replace("return dlogprobs / probs", "while True:\n        pass"))
    result = dojo("check", "03")
    assert result.exit_code == 1
    assert "\ndlogprobs       | exact: True " in result.stdout
    assert "\ndprobs          | out of time\n" in result.stdout
    assert "did not return within 0.5 seconds" in " ".join(result.stdout.split())


def test_what_a_student_s_code_says_cannot_steer_the_terminal(kit, dojo):
    source = solved("04", "dlogits").replace("    return", "    print('\\x1b[2J\\x1b]0;gone\\x07[red]')\n    return")
    file_of(kit, "04").write_text(source)
    result = dojo("check", "04")
    assert "\x1b" not in result.output and "    dlogits: [red]\n" in result.stdout


def test_the_default_is_the_lesson_last_worked_on_else_the_first_unfinished_one(kit, dojo):
    file_of(kit, "03").write_text(solved("03", *functions_of(solved("03"))))
    assert dojo("check").stdout.startswith("03 ")  # changed and not checked yet
    assert dojo("check").stdout.startswith("03 ")
    dojo("hint", "06.dW2")
    assert dojo("check").stdout.startswith("06 ")
    state = json.loads((kit / ".dojo.json").read_text())
    (kit / ".dojo.json").write_text(json.dumps({**state, "last": None}))
    assert dojo("check").stdout.startswith("04 ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["check", "77"], "no lesson '77'. The lessons are 03 makemore_steps, 04 cross_entropy, 06 embedding_net."),
        (["check", "makemor3"], "no lesson 'makemor3'; did you mean makemore_steps? The lessons are 03 makemore"),
        (["check", "03.dprob"], "Lesson 03 has no row 'dprob'; did you mean dprobs?"),
        (["check", "dprob"], "There is no lesson and no row 'dprob'; did you mean dprobs?"),
        (["check", "77.dprobs"], "There is no lesson '77'"),
        (["hint", "dC"], "Lessons 03, 06 all have a row dC: say which, as in 03.dC."),
        (["hint", "dprob"], "did you mean dprobs?"),
        (["reset", "77"], "There is no lesson '77'"),
        (["report", "77"], "There is no lesson '77'"),
        (["watch", "77"], "There is no lesson '77'"),
        (["check", "--course", "exercises/03_makemore_steps"], "holds no lessons"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_status_2(dojo, words, sentence):
    result = dojo(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith("dojo: ") and sentence in result.stderr and result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_a_file_that_is_not_there_or_cannot_be_read(kit, dojo):
    file_of(kit).unlink()
    assert dojo("check", "03").exit_code == 2
    assert dojo("check", "03").stderr == (
        "dojo: exercises/03_makemore_steps/backward.py is not there. `dojo reset 03` puts the stub there.\n"
    )
    assert "  03 The makemore network, step by step          0 of 26  not begun\n" in dojo().stdout
    (kit / "exercises" / "03_makemore_steps" / "backward.py").mkdir()
    assert dojo("check", "03").exit_code == 2
    assert "backward.py cannot be read: it is not an ordinary file." in dojo("check", "03").stderr


def test_rows_that_are_no_gradients_are_to_do_until_they_are_written(tmp_path, judge):
    """In lesson 05, rows are about a class: one by the name of a method is about that method."""
    lesson = Course(make_kit(tmp_path, ("05_batch_norm",)), secrets=False).find("05")
    (lesson.exercise / "examples.py").unlink()
    stub = lesson.pristine.read_text()
    path = file_of(tmp_path, "05")

    def status(source: str) -> dict[str, str]:
        path.write_text(source)
        rows = judge.judge(lesson, read_own(lesson)).rows
        return {row.name: row.status for row in rows if row.name in ("forward", "backward", "evaluation")}

    assert status(stub) == dict.fromkeys(("forward", "backward", "evaluation"), "todo")
    class_ = functions_of(stub)["BatchNorm1d"]
    half = class_.replace("raise NotImplementedError", "return x", 1)
    assert status(stub.replace(class_, half)) == {"forward": HIDDEN, "backward": "todo", "evaluation": "todo"}
    whole = half.replace("raise NotImplementedError", "return dout")
    assert status(stub.replace(class_, whole)) == dict.fromkeys(("forward", "backward", "evaluation"), HIDDEN)
    assert status(stub.replace(class_, "")) == dict.fromkeys(("forward", "backward", "evaluation"), "missing")


# Nothing hidden ------------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_the_output_is_the_same_with_and_without_solutions(tmp_path, dojo, monkeypatch):
    """Known mistakes of lesson 04, in a kit and in a checkout that holds the answers."""
    bare, whole = make_kit(tmp_path / "kit"), make_kit(tmp_path / "checkout")
    shutil.copytree(ROOT / "solutions" / "04_cross_entropy", whole / "solutions" / "04_cross_entropy")
    secret = Course(ROOT).find("04")
    mistakes = [mistake for mistake in secret.mistakes if mistake.function is not None][:2]
    shown = []
    for mistake in mistakes:
        outputs = set()
        for place in (bare, whole):
            monkeypatch.chdir(place)
            file_of(place, "04").write_text(solved("04") + "\n\n" + mistake.source() + "\n")
            result = dojo("check", "04")
            outputs.add((result.exit_code, result.stdout, result.stderr))
            dojo("report", "04", "--no-open")
            shown.append(result.stdout + (place / "my-report.html").read_text())
        assert len(outputs) == 1, "\nNEXT\n".join(each[1] for each in outputs)
        assert mistake.message not in " ".join(" ".join(shown).split())


def test_public_draws_are_not_those_of_the_hidden_suite(lessons):
    drawn = 0
    for lesson in lessons.values():
        hidden = [dict(draw.sizes) for draw in lesson.draws] if lesson.gradients else []
        public = [dict(draw.sizes) for draw in lesson.public_draws if draw.sizes]
        drawn += len(public)
        for sizes in public:
            assert sizes not in hidden, lesson.name
            assert len(set(sizes.values())) == len(sizes), f"{lesson.name}: two sizes are the same in {sizes}"
            assert lesson.problem(lesson.public_draws[-1], 1).values
        assert not public or any(min(sizes.values()) <= 2 for sizes in public), lesson.name
    assert drawn >= 10


def test_the_pristine_stubs_are_the_stubs(lessons):
    for lesson in lessons.values():
        if lesson.pristine.exists():
            assert lesson.pristine.read_bytes() == (lesson.exercise / "backward.py").read_bytes(), "run `grade stubs`"


# Hints, reset, report, memory ----------------------------------------------------------------------------------------


def test_one_more_hint_each_time_up_to_three_and_remembered(kit, dojo):
    assert dojo("hint", "dcounts").stdout == (
        "Hint 1 of 3 for dcounts\n"
        "    `counts` is read in two lines of the forward pass. Find both; each brings a\n"
        "    contribution back, and the two add up.\n"
        "\n"
        "`dojo hint 03.dcounts` gives the next one. Hints are free.\n"
    )
    assert dojo("hint", "03.dcounts").stdout == (
        "Hint 1 of 3 for dcounts\n"
        "    `counts` is read in two lines of the forward pass. Find both; each brings a\n"
        "    contribution back, and the two add up.\n"
        "\n"
        "Hint 2 of 3 for dcounts\n"
        "    Through `probs` it is one factor of a product. Through `counts_sum` it is a\n"
        "    term of a sum, and a sum forward is a copy backward.\n"
        "\n"
        "`dojo hint 03.dcounts` gives the next one. Hints are free.\n"
    )
    third, fourth = dojo("hint", "dcounts").stdout, dojo("hint", "dcounts").stdout
    assert third == fourth and third.count("Hint ") == 3 and third.endswith("\nThat was the last one.\n")
    assert json.loads((kit / ".dojo.json").read_text())["hints"] == {"03_makemore_steps": {"dcounts": 3}}
    assert dojo("hint").stdout.startswith("Hint 1 of 3 for dlogprobs\n")  # what is to be done next


def test_reset_gives_the_stub_back_and_keeps_the_old_file(kit, dojo):
    path = file_of(kit, "04")
    path.write_text("# my work\n")
    assert dojo("reset", "4").stdout == (
        "exercises/04_cross_entropy/backward.py is the stub again. "
        "Yours is exercises/04_cross_entropy/backward.py.before-reset-1 now.\n"
    )
    assert path.read_text() == solved("04")
    assert path.with_name("backward.py.before-reset-1").read_text() == "# my work\n"
    path.write_text("# more\n")
    dojo("reset", "04")
    assert path.with_name("backward.py.before-reset-2").read_text() == "# more\n"
    assert path.with_name("backward.py.before-reset-1").read_text() == "# my work\n"
    path.unlink()
    assert dojo("reset", "04").stdout == "exercises/04_cross_entropy/backward.py is the stub again.\n"
    path.with_name(".stub").unlink()
    result = dojo("reset", "04")
    assert result.exit_code == 2 and path.read_text() == solved("04")
    assert "exercises/04_cross_entropy/.stub, which contains the stub, cannot be read" in result.stderr


def test_the_report_is_the_instructor_s_page_and_says_what_it_is_not(kit, dojo, monkeypatch):
    file_of(kit, "04").write_text(solved("04", "dlogits"))
    opened = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", lambda page: opened.append(page) or True)
    result = dojo("report")
    assert (result.exit_code, result.stdout) == (0, "The page: my-report.html\n")
    page = (kit / "my-report.html").read_text()
    assert opened == [(kit / "my-report.html").as_uri()]
    assert "Your own check, on public problems: no grade. The hidden suite decides 1 of these points, with" in page
    assert "Not begun, and not shown: 03, 06." in page
    assert "passed here" in page and "2 of 2 right" in page and "Checked in" in page
    assert 'id="04_cross_entropy"' in page and 'id="03_makemore_steps"' not in page  # what was begun
    dojo("report", "03", "--no-open")
    assert len(opened) == 1 and 'id="03_makemore_steps"' in (kit / "my-report.html").read_text()


def test_no_browser_in_the_terminal(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr("webbrowser.open", lambda page: pytest.fail("a browser was started"))
    assert not open_in_browser(tmp_path / "page.html")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"version": 2}',
        '{"version": 1, "last": 3}',
        '{"version": 1, "last": null, "hints": [1]}',
        "[" * 9999,
    ],
)
def test_a_memory_that_makes_no_sense_is_said_once_and_replaced(kit, dojo, text):
    (kit / ".dojo.json").write_text(text)
    result = dojo("hint", "dcounts")
    assert result.exit_code == 0 and result.stdout.startswith("Hint 1 of 3")
    assert result.stderr == (
        "dojo: .dojo.json cannot be used (its text makes no sense), so it counts as new: hints taken are forgotten, "
        "nothing else is lost.\n"
    )
    assert dojo("hint", "dcounts").stderr == ""


def test_a_memory_that_cannot_be_written_stops_nobody(kit, dojo):
    (kit / ".dojo.json").mkdir()
    result = dojo("hint", "dcounts")
    assert result.exit_code == 0 and result.stdout.startswith("Hint 1 of 3")
    assert ".dojo.json cannot be written" in result.stderr and "Traceback" not in result.stderr
    assert sorted(path.name for path in kit.iterdir()) == [".dojo.json", "exercises"]


# What is seen where --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [[], ["check"], ["watch"], ["hint"], ["report"], ["list"], ["reset"], ["train"]])
def test_help(dojo, command):
    result = dojo(*command, "--help")
    assert result.exit_code == 0 and max(map(len, result.stdout.splitlines())) <= 110
    if command not in (["list"], ["reset"]):
        assert "Examples:" in result.stdout


def test_what_needs_no_torch_does_not_wait_for_it():
    code = (
        "import sys, grader, grader.commands.dojo; print(sorted({'torch', 'pytest', 'watchfiles'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "[]\n"


def test_where_there_is_no_terminal_screens_stand_below_one_another(kit, dojo, monkeypatch):
    """Nothing is cleared, no key is waited for, and nothing is folded for want of height."""

    class Paper(io.StringIO):
        def flush(self) -> None:
            screens = self.getvalue().count(KEYS_HELP)
            if screens == 1:
                threading.Thread(target=file_of(kit, "04").write_text, args=[solved("04", "dlogits")]).start()
            elif screens == 2:
                raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", io.StringIO())
    paper, desk = Paper(), Desk(kit, print)
    with pytest.raises(KeyboardInterrupt):
        Watch(desk, desk.course.find("04"), Console(file=paper, width=80, highlight=False, markup=False)).run()
    printed = paper.getvalue()
    assert "\x1b" not in printed and "dlogits         ▸ to do\n" in printed and "✓ dlogits turned right.\n" in printed


# The zygote ----------------------------------------------------------------------------------------------------------


def test_a_worker_that_was_prepared_changes_no_verdict(kit, judge):
    """Also where the next check is about another lesson, or has been prepared for twice."""
    course = Course(kit, secrets=False)
    three, four = course.find("03"), course.find("04")
    file_of(kit, "03").write_text(solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv").replace("/ n", "/ 32"))
    file_of(kit, "04").write_text(solved("04", "dlogits"))
    bare = {lesson.number: judge.judge(lesson, read_own(lesson)) for lesson in (three, four)}
    for prepared, judged in ((three, three), (three, four), (four, three), (four, four)):
        judge.prepare(prepared)
        judge.prepare(judged)
        rows = judge.judge(judged, read_own(judged)).rows
        assert rows == bare[judged.number].rows
    assert [row.status for row in bare["03"].rows[:3]] == ["failed", "passed", "passed"]


def test_where_workers_cannot_be_locked_in_they_run_without(monkeypatch):
    made = []

    class Stubborn:
        def __init__(self, plan) -> None:
            made.append(plan.layers)

        def prepare(self) -> None:
            if made[-1]:
                raise ZygoteDied("no namespaces here after all")

        def close(self) -> None:
            raise ZygoteDied("gone")

    monkeypatch.setattr("grader.dojo.zygote.EagerZygote", Stubborn)
    monkeypatch.setattr("grader.dojo.zygote.probe", lambda: Isolation("fair", ("limits",), ()))
    starter = Starter()
    starter.restart()
    assert made == [("limits",), ("limits",), ()] and starter.isolation.level == "none"
