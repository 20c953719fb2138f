"""`dojo` as a student types it: in a kit that has exercises/ and no solutions/, on a screen of 80 columns."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

import pytest
from kits import file_of, functions_of, line_of, make_kit, solved
from support import ROOT, in_a_loop_of_its_own

from grader.dojo.assistance import Assistance
from grader.dojo.desk import Desk, only_lesson
from grader.dojo.file import read_own
from grader.dojo.report import open_in_browser
from grader.dojo.session import CheckSession
from grader.dojo.work import Work
from grader.dojo.zygote import EagerZygote
from grader.errors import ZygoteDied
from grader.lesson.lesson import Course
from grader.sandbox.isolation.probe import Isolation
from grader.sandbox.workers.client import ZygoteProcess

pytest_plugins = ["dojos"]

LESSON_03 = "exercises/03_makemore_steps"
SCOPE = "Checked on public problems and examples. Your grade comes from the hidden test\nsuite, with other problems.\n"


def test_dojo_alone_lists_the_lessons_and_what_to_do_next_and_runs_no_code(kit, dojo, judge, monkeypatch):
    """An endless loop in two lessons took a minute, and how long depended on the machine."""
    assert dojo().stdout == (
        "Backprop Ninja: 0 of 48 points\n\n"
        "  03 The makemore network, step by step          0 of 26  not begun\n"
        "  04 Cross-entropy in one go                      0 of 3  not begun\n"
        "  06 The whole backward pass in one function     0 of 19  not begun\n\n"
        f"Next: write dlogprobs  exercises/03_makemore_steps/backward.py:{line_of(kit, '03', 'dlogprobs')}\n"
        "      dojo watch 03 · dojo hint 03.dlogprobs\n"
    )
    assert dojo("list").stdout == dojo().stdout
    for number in ("03", "06"):
        file_of(kit, number).write_text(solved(number) + "# more\n")
    monkeypatch.setattr(judge, "judge", lambda *of: pytest.fail("the file was run"))
    listed = " ".join(dojo().stdout.split())
    assert listed.count(" not checked ") == 3 and listed.endswith(
        "Changed and not checked yet: 03, 06. `dojo check 03 06` counts their points again. "
        "Next: check lesson 03, which you have changed dojo check 03 · dojo watch 03"
    )
    assert dojo("hint", "03.dprobs").stdout.startswith("Hint 1 of 3 for dprobs\n")


@pytest.mark.full
def test_every_surface_counts_the_same_points(kit, dojo):
    """What passed its public example counts, and what is not begun is part of the whole."""
    file_of(kit, "03").write_text(solved("03", "dlogprobs", "dprobs"))
    file_of(kit, "04").write_text(solved("04", "dlogits"))
    file_of(kit, "06").write_text("def backward(:\n")
    dojo("check", "04", "06", "03")
    listed = dojo().stdout
    for line in (
        "Backprop Ninja: 5 of 48 points\n",
        "\n→ 03 The makemore network, step by step          2 of 26  24 to do\n",
        "\n✓ 04 Cross-entropy in one go                      3 of 3  done\n",
        "\n  06 The whole backward pass in one function     0 of 19  does not run\n",
        "\nThe hidden suite decides 1 of these points, with other problems: what counts\nhere passed its public ",
    ):
        assert line in listed, line
    dojo("report", "--no-open")
    page = " ".join(re.sub(r"<[^>]+>", " ", (kit / "my-report.html").read_text()).split())
    assert "5 of 48 points (10.4 %)" in page and "3 of 3 points · 2 of 2 right" in page
    lines = in_a_loop_of_its_own(Assistance(CheckSession(Work(Desk(kit, print)))).lessons())
    assert "04 Cross-entropy in one go: 3 of 3 points; rows:" in lines


def test_a_lesson_may_be_named_by_its_number_its_name_or_its_folder_wherever_one_is_named(kit, dojo, monkeypatch):
    course = Desk(kit, print).course
    for words in (
        *("3", "03.", "03/", "03_makemore_steps", "makemore", "ste", f"./{LESSON_03}/", f"{kit}/{LESSON_03}"),
        *(f"{LESSON_03}/lesson.toml", f"exercises/04_cross_entropy/../../{LESSON_03}/"),
    ):
        assert only_lesson(course, words).number == "03", words
    assert dojo("answer", f"./{LESSON_03}/", "nothing").stderr.startswith("dojo: Lesson 03 has no question ")
    assert "06_embedding_net/backward.py is the stub already: nothing" in dojo("reset", "net").stdout
    assert dojo("defend", "03", "04").stderr == (
        "dojo: a defence is about one lesson, and 2 were found: name one, as in `dojo defend 03`.\n"
    )
    monkeypatch.chdir(kit / LESSON_03)
    assert dojo("answer", ".", "nothing").stderr.startswith("dojo: Lesson 03 has no question ")
    assert dojo("hint", "../04_cross_entropy/").stdout.startswith("Hint 1 of 3 for dlogits\n")
    assert dojo("check", "..").stderr.startswith("dojo: There is no lesson '..'.")


def test_bad_input_is_one_sentence_and_exit_status_2(kit, dojo):
    no_77 = "There is no lesson '77'. `dojo` lists the lessons: type a number or a name, as in `dojo check 03`."
    for words, sentence in (
        *((f"{command} 77", no_77) for command in ("check", "reset", "report", "watch")),
        (
            "check makemor3",
            "did you mean makemore_steps? `dojo` lists the lessons: type a number or a name, as in `dojo check make",
        ),
        ("check 03.dprob", "Lesson 03 has no row 'dprob'; did you mean dprobs?"),
        ("check dprob", "There is no lesson 'dprob'; did you mean dprobs?"),
        ("check 77.dprobs", "There is no lesson '77.dprobs'"),
        ("hint dC", "Lessons 03, 06 all have a row dC: say which, as in 03.dC."),
        ("check --course exercises/03_makemore_steps", "holds no lessons"),
    ):
        result = dojo(*words.split())
        assert (result.exit_code, result.stdout) == (2, ""), words
        assert result.stderr.startswith("dojo: ") and sentence in result.stderr and result.stderr.count("\n") == 1
    file_of(kit).unlink()
    gone = "dojo: exercises/03_makemore_steps/backward.py is not there. `dojo reset 03` puts the stub there.\n"
    assert (dojo("check", "03").exit_code, dojo("check", "03").stderr) == (2, gone)
    assert "  03 The makemore network, step by step          0 of 26  not begun\n" in dojo().stdout


def test_the_default_is_the_lesson_last_worked_on_else_the_first_unfinished_one(kit, dojo):
    file_of(kit, "03").write_text(solved("03", *functions_of(solved("03"))))
    assert dojo("check").stdout.startswith("03 ")  # changed and not checked yet
    dojo("hint", "06.dW2")
    assert dojo("check").stdout.startswith("06 ")
    shown = dojo("check", "06.dW2", "dC")  # lesson 03 has a row dC as well
    assert (shown.exit_code, shown.stderr) == (0, "") and "\ndC " in shown.stdout and "\ndW2 " in shown.stdout
    state = json.loads((kit / ".dojo.json").read_text())
    (kit / ".dojo.json").write_text(json.dumps({**state, "last": None}))
    assert dojo("check").stdout.startswith("04 ")


def test_what_is_right_what_only_the_hidden_suite_checks_and_what_was_printed(kit, dojo):
    """What a student's code prints cannot steer the terminal."""
    (kit / "exercises" / "04_cross_entropy" / "examples.py").unlink()
    steering = "    print('n =', n, '\\x1b[2J\\x1b]0;gone\\x07[red]')\n    return"
    file_of(kit, "04").write_text(solved("04", "dlogits").replace("    return", steering))
    result = dojo("check", "04")
    assert result.exit_code == 0
    assert re.sub(r"maxdiff: \S+ +", "maxdiff: …       ", result.stdout) == (
        "04 Cross-entropy in one go\n"
        "exercises/04_cross_entropy/backward.py\n\n"
        "dlogits         | exact: False | approximate: True  | maxdiff: …       | right ✓\n"
        "in_one_go       | written; only the hidden suite decides\n\n"
        "exact: False in a row that is right is a rounding difference in float32. The\n"
        "verdict compares values in float64.\n\n"
        "It printed, on the lecture's own problem and in the public examples:\n"
        "    dlogits: n = 32 [red]\n\n"
        "1 of 2 right, 1 only the hidden suite decides · 2 of 3 points\n"
        "The hidden suite decides 1 row (1 point): in_one_go.\n"
        f"{SCOPE}"
        "That was the last row of lesson 04.\n"
        "2 of 3 points; 1 try.\n"
        "Next: lesson 06 The whole backward pass in one function  dojo watch 06\n"
    )


@pytest.mark.parametrize("columns", [60, 80, 150])
def test_a_mistake_is_named_and_what_is_below_it_is_not_blamed(kit, dojo, columns, monkeypatch):
    right = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv", "dcounts_sum")
    file_of(kit).write_text(right.replace("return dlogprobs / probs", "return -dlogprobs / probs"))
    place = f"exercises/03_makemore_steps/backward.py:{line_of(kit, '03', 'dprobs')}"
    result = dojo("check", "03", columns=columns)
    assert result.exit_code == 1 and max(map(len, result.stdout.splitlines())) <= columns
    rows = {
        60: ("right ✓ exact", "wrong ✗ maxdiff 5.9", "right ✗ exact", "right ✗ exact"),
        80: (
            "exact: True  | approximate: True  | maxdiff: 0       | right ✓",
            "exact: False | approximate: False | maxdiff: 5.9     | wrong ✗",
            "exact: True  | approximate: True  | maxdiff: 0       | right ✗",
            "exact: True  | approximate: True  | maxdiff: 0       | right ✗",
        ),
    }[min(80, columns)]
    names = ("dlogprobs", "dprobs", "dcounts_sum_inv", "dcounts_sum")
    table = "".join(f"{name:<15} | {row}\n" for name, row in zip(names, rows, strict=True))
    assert (
        f"\n{table}22 to do: dcounts, dnorm_logits, dlogit_maxes and 19 more\n\n✗ dprobs wrong value " in result.stdout
    )
    words = " ".join(result.stdout.split())
    assert f"✗ dprobs wrong value {place} forward: logprobs = probs.log() The sign is flipped: " in words
    assert (
        "✗ dcounts_sum_inv, dcounts_sum, in your chain: correct; red only because `dprobs` above it is wrong." in words
    )
    assert words.endswith(
        f"3 of 26 right, 1 wrong, 22 to do · 3 of 26 points {' '.join(SCOPE.split())} Next: fix dprobs {place} "
        "dojo watch 03 · dojo hint 03.dprobs"
    )
    both = dojo("check", "03.dcounts_sum_inv", "dcounts", columns=columns)  # to do is not wrong
    assert both.exit_code == 0 and both.stdout.count("\ndcounts ") == both.stdout.count("\ndcounts_sum_inv ") == 1
    assert "\ndprobs " not in both.stdout


def test_one_function_for_all_gradients_and_a_file_that_raises_or_does_not_run(kit, dojo):
    file_of(kit, "06").write_text(solved("06", "backward"))
    result = dojo("check", "06")
    assert result.exit_code == 0 and result.stdout.count("| right ✓\n") == 8
    file_of(kit, "06").write_text("def backward(n):\n    return 1 / (n - n)\n")
    result = dojo("check", "06")
    assert result.exit_code == 1 and "Traceback" not in result.output
    assert result.stdout.count("\ndW2 ") == 1 and result.stdout.count("ZeroDivisionError") == 1
    assert "✗ dW2, db2, dgamma and 5 more error  exercises/06_embedding_net/backward.py:2\n" in result.stdout
    assert "\n    2 │ return 1 / (n - n)\n" in result.stdout
    file_of(kit).write_text(solved("03") + "def f(:\n")
    line = len(solved("03").splitlines()) + 1
    assert dojo("check", "03").stdout == (
        "03 The makemore network, step by step\n"
        "exercises/03_makemore_steps/backward.py\n\n"
        "✗ The file does not run, so nothing in it could be checked.\n"
        f"    exercises/03_makemore_steps/backward.py, line {line}: SyntaxError: invalid\n"
        f"    syntax (in Python {sys.version_info[0]}.{sys.version_info[1]})\n"
        f"    {line} │ def f(:\n"
        f"Next: make the file run  exercises/03_makemore_steps/backward.py:{line}\n"
        "      dojo watch 03\n"
    )


@pytest.mark.full
def test_the_output_is_the_same_with_and_without_solutions(tmp_path, dojo, monkeypatch):
    """Known mistakes of lesson 04, which are named, in a kit and in a checkout that holds the answers."""
    bare, whole = make_kit(tmp_path / "kit"), make_kit(tmp_path / "checkout")
    shutil.copytree(ROOT / "solutions" / "04_cross_entropy", whole / "solutions" / "04_cross_entropy")
    secret = Course(ROOT).find("04")
    shown = []
    for mistake in [mistake for mistake in secret.mistakes if not mistake.old][:2]:
        outputs = set()
        for place in (bare, whole):
            monkeypatch.chdir(place)
            file_of(place, "04").write_text(solved("04") + "\n\n" + mistake.source() + "\n")
            result = dojo("check", "04")
            outputs.add((result.exit_code, result.stdout, result.stderr))
            dojo("report", "04", "--no-open")
            shown.append(result.stdout + (place / "my-report.html").read_text())
        assert len(outputs) == 1, "\nNEXT\n".join(each[1] for each in outputs)
        assert all(mistake.message in " ".join(each.split()) for each in shown[-2:])


def test_public_draws_are_not_those_of_the_hidden_suite_and_the_pristine_stubs_are_the_stubs(lessons):
    drawn = 0
    for lesson in lessons.values():
        assert not lesson.pristine.exists() or lesson.pristine.read_bytes() == file_of(ROOT, lesson.number).read_bytes()
        hidden = [dict(draw.sizes) for draw in lesson.draws] if lesson.gradients else []
        public = [dict(draw.sizes) for draw in lesson.public_draws if draw.sizes]
        drawn += len(public)
        for sizes in public:
            assert sizes not in hidden, lesson.name
            assert len(set(sizes.values())) == len(sizes), f"{lesson.name}: two sizes are the same in {sizes}"
            assert lesson.problem(lesson.public_draws[-1], 1).values
        whole = [[size for size in sizes.values() if type(size) is int] for sizes in public]
        assert not public or any(min(sizes) <= 2 for sizes in whole), lesson.name
    assert drawn >= 10


def test_one_more_hint_each_time_up_to_three_and_remembered(kit, dojo):
    first = (
        "Hint 1 of 3 for dcounts\n"
        "    `counts` is read in two lines of the forward pass. Find both; each brings a\n"
        "    contribution back, and the two add up.\n"
        "\n"
    )
    more = "`dojo hint 03.dcounts` gives the next one. Hints are free.\n"
    assert dojo("hint", "dcounts").stdout == first + more
    second = dojo("hint", "03.dcounts").stdout
    assert second.startswith(f"{first}Hint 2 of 3 for dcounts\n") and second.endswith(more)
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
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not open_in_browser(kit / "my-report.html") and len(opened) == 1


def test_a_memory_that_cannot_be_used_is_mentioned_once_and_stops_nobody(kit, dojo):
    state = kit / ".dojo.json"
    wrong = ('{"version": 2}', '{"version": 1, "last": 3}', '{"version": 1, "last": null, "hints": [1]}')
    for text in ("", "{", "[]", *wrong, "[" * 9999):
        state.write_text(text)
        result = dojo("hint", "dcounts")
        assert result.exit_code == 0 and result.stdout.startswith("Hint 1 of 3")
        assert result.stderr == (
            "dojo: .dojo.json cannot be used (its text makes no sense), so it counts as new: hints taken are "
            "forgotten, nothing else is lost.\n"
        ), text
        assert dojo("hint", "dcounts").stderr == ""
    state.unlink()
    state.mkdir()
    result = dojo("hint", "dcounts")
    assert result.exit_code == 0 and result.stdout.startswith("Hint 1 of 3")
    assert result.stderr.startswith("dojo: .dojo.json cannot be written (") and result.stderr.count("\n") == 1
    assert sorted(path.name for path in kit.iterdir()) == [".dojo.json", "exercises"]


def test_help_and_what_needs_no_torch_does_not_wait_for_it(dojo):
    for command in ("", "check", "watch", "hint", "report", "list", "reset", "train"):
        result = dojo(*command.split(), "--help")
        assert result.exit_code == 0 and max(map(len, result.stdout.splitlines())) <= 110
        assert "Examples:" in result.stdout or command in ("list", "reset")
    code = (
        "import sys, grader, grader.commands.dojo, grader.commands.dojo_work; "
        "print(sorted({'torch', 'pytest', 'watchfiles'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "[]\n"


def test_a_worker_that_was_prepared_changes_no_verdict(kit, judge):
    """Also where the next check is about another lesson, or has been prepared for twice."""
    course = Course(kit, secrets=False)
    three, four = course.find("03"), course.find("04")
    file_of(kit, "03").write_text(solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv").replace("/ n", "/ 32"))
    file_of(kit, "04").write_text(solved("04", "dlogits"))
    bare = {lesson.number: judge.judge(lesson, read_own(lesson)) for lesson in (three, four)}
    for prepared, judged in ((three, three), (three, four), (four, three)):
        judge.prepare(prepared)
        judge.prepare(judged)
        assert judge.judge(judged, read_own(judged)).rows == bare[judged.number].rows
    assert [row.status for row in bare["03"].rows[:3]] == ["failed", "passed", "passed"]


def test_where_workers_cannot_be_locked_in_they_run_without(monkeypatch):
    made = []

    def prepare(zygote) -> None:
        if made[-1]:
            raise ZygoteDied("no namespaces here after all")

    def close(zygote) -> None:
        raise ZygoteDied("gone")

    monkeypatch.setattr(ZygoteProcess, "__init__", lambda zygote, plan: made.append(plan.layers))
    monkeypatch.setattr(ZygoteProcess, "close", close)
    monkeypatch.setattr(EagerZygote, "prepare", prepare)
    monkeypatch.setattr("grader.dojo.zygote.probe", lambda: Isolation("fair", ("limits",), ()))
    zygote = EagerZygote()
    zygote.restart()
    assert made == [("limits",), ("limits",), ()] and zygote.isolation.level == "none"
