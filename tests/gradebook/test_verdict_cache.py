"""Verdicts that are used again: the same results.json as without, fewer workers, and no way to borrow a verdict."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from click.testing import CliRunner
from support import ROOT, SEED, SHORT_LIMITS, sampled, solution_of

from bench.same_verdicts import ODD, class_of
from bench.spellings import RIGHT, WRONG, spellings, submission
from grader.authoring.verify import submission_of
from grader.commands.grade import main
from grader.gradebook.grading.graded import GradedSubmission
from grader.gradebook.grading.session import Session
from grader.gradebook.grading.suite import rows_of as real
from grader.lesson.lesson import Course
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.worker_process import WorkerProcess
from grader.verdict.judging.gradient import GradientCheck

HIDDEN_BUILTINS = """

def dh(dlogits, W2):
    [0 for __builtins__ in ()]
    run = __builtins__["exec"]
    run("import torch; torch.Tensor.__truediv__ = lambda a, b: torch.true_divide(a, b) * 2")
    return dlogits @ W2.T
"""
"""In a file that was read as pure, this made `dprobs` wrong, and then the same `dprobs` of everybody else."""

Grade = Callable[..., GradedSubmission]
LESSON = Course(ROOT).find("03")
SOLUTION = solution_of(LESSON)


def grades(session: Session) -> Grade:
    return lambda text, lesson=LESSON: session.grade(submission_of(lesson, "student", text))


@pytest.fixture(scope="module")
def plain(warm_zygotes: None) -> Grade:
    """Grades without a cache of verdicts; each text once."""
    return cache(grades(Session([LESSON], SEED, SHORT_LIMITS)))


@pytest.fixture
def cached(warm_zygotes: None) -> Grade:
    """Grades with a cache that is empty at first."""
    return grades(Session([LESSON], SEED, SHORT_LIMITS, cache=True))


@pytest.fixture(scope="module")
def filled(warm_zygotes: None) -> Grade:
    """Grades with a cache that knows the solution."""
    grade = grades(Session([LESSON], SEED, SHORT_LIMITS, cache=True))
    grade(SOLUTION)
    return grade


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """One entry per worker that is started."""
    started: list[int] = []
    worker = ZygoteProcess.worker

    def counted(zygote: ZygoteProcess) -> Any:
        started.append(1)
        return worker(zygote)

    monkeypatch.setattr(ZygoteProcess, "worker", counted)
    yield started


def without_time(value: Any) -> Any:
    """Without seconds, and without the line that a function was at when its time was over."""
    if isinstance(value, dict):
        left_out = {"seconds"} | ({"line"} if value.get("status") == "timeout" else set())
        return {name: without_time(entry) for name, entry in value.items() if name not in left_out}
    return [without_time(entry) for entry in value] if isinstance(value, list) else value


def everything(graded: GradedSubmission) -> str:
    found = without_time(graded.results.to_json()), graded.pictures, graded.printed, graded.shown
    return json.dumps(found)


@pytest.mark.full
def test_the_same_functions_at_other_lines_start_no_worker(plain, filled, forks):
    moved = "# mine\n\n\n" + SOLUTION.replace("# <answer>", "# my answer\n").replace("gradient", "result")
    expected, forks[:] = everything(plain(moved)), []
    assert everything(filled(moved)) == expected
    assert not forks


@pytest.mark.full
def test_a_wrong_file_that_comes_twice_starts_no_worker(plain, cached, forks):
    wrong = LESSON.mistakes[0].applied_to(SOLUTION)
    expected = everything(plain(wrong))
    assert everything(cached(wrong)) == expected
    forks.clear()
    assert everything(cached(wrong)) == expected
    assert not forks


def test_every_row_comes_from_pytest(filled, monkeypatch):
    reports = []
    monkeypatch.setattr(
        "grader.gradebook.grading.suite.rows_of", lambda lesson, report: reports.append(report) or real(lesson, report)
    )
    filled(SOLUTION)
    (report,) = reports
    assert [test["metadata"]["row"]["name"] for test in report["tests"]] == [item.name for item in LESSON.items]
    assert report["summary"]["passed"] == len(LESSON.items)


@pytest.mark.full
def test_a_new_wrong_function_runs_alone_among_known_ones(plain, filled, monkeypatch):
    """The explanation may still need the answers of all others."""
    wrong = SOLUTION.replace("return dlogprobs / probs", "return dlogprobs * probs")
    swapped = (
        SOLUTION.replace("def dcounts(", "def x(")
        .replace("def dnorm_logits(", "def dcounts(")
        .replace("def x(", "def dnorm_logits(")
    )
    in_place = SOLUTION.replace("return counts * dcounts\n", "return counts.mul_(dcounts)\n")
    for text in (wrong, swapped, in_place, SOLUTION.replace("def dprobs(", "def dprob(")):
        assert text != SOLUTION
        assert everything(filled(text)) == everything(plain(text))


@sampled(
    "odd",
    [
        *(each.format(name="dprobs") for each in ODD),
        "\n\ntorch.Tensor.__truediv__ = lambda self, other: self * 0\n",
        "\n\nF.one_hot = None\n",
        "\n\ndprobs.__code__ = dh.__code__\n",
        "\n\ndef dh(dlogits, W2):\n    torch.Tensor.__neg__ = torch.Tensor.abs\n    return dlogits @ W2.T\n",
        "\n\ndef dh(dlogits, W2):\n    globals()['dprobs'] = None\n    return dlogits @ W2.T\n",
        HIDDEN_BUILTINS,
        "\n\ndef dh(dlogits, W2):\n    print('dh')\n    return dlogits @ W2.T\n",
        "\n\ndef dh(dlogits, W2, counter=[]):\n    counter.append(1)\n    return dlogits @ W2.T * (len(counter) < 3)\n",
        "\n\nfrom torch import zeros as F\n",
        "\n\nfrom math import einsum\n",
        "\n\ndef helper(x: int.Tensor):\n    return x\n",
        "\n\ndef dh(dlogits, W2, W2):\n    return dlogits @ W2.T\n",
        "\n\ndef dh(dlogits, W2):\n    return torch.empty_like(dlogits) @ W2.T * 0 + float('nan')\n",
        "\n\ndef dh(dlogits, W2):\n    return torch.ones(2, 3, 4).T\n",
        "\n\ndef dh(dlogits, W2):\n    return torch.zeros(10 ** 12)\n",
        "\n\ndef dh(dlogits, W2):\n    return [x for _ in range(10 ** 12) for x in ()]\n",
    ],
    keep=1,
)
def test_known_functions_are_judged_by_what_this_file_makes_of_them(plain, filled, odd):
    assert everything(filled(SOLUTION + odd)) == everything(plain(SOLUTION + odd))
    assert everything(filled(SOLUTION)) == everything(plain(SOLUTION))  # and nothing of it was kept


@pytest.mark.full
def test_a_mix_of_known_right_functions_starts_no_worker(plain, cached, forks):
    """Their chain is not one that was run: it follows from the functions being affine."""
    known = spellings(LESSON)
    for number in (0, 1, 2):
        cached(mixed(known, lambda name, number=number: number))
    text = mixed(known, lambda name: len(name) % 3)
    expected = everything(plain(text))
    forks.clear()
    assert everything(cached(text)) == expected
    assert not forks
    odd = "\n\ndef dh(dlogits, W2):\n    return (dlogits @ W2.T) ** 2 / (dlogits @ W2.T)\n"
    assert everything(cached(text + odd)) == everything(plain(text + odd))


@pytest.mark.full
def test_a_chain_that_amplifies_rounding_is_run(plain, cached):
    """Each of the first two is right by itself, and so is its chain; the chain of both is not."""
    mark = float(LESSON.public_chain.values["probs"][0, 0])
    amplifier = f"""

def dprobs(dlogprobs, probs, logprobs, Yb):
    onehot = F.one_hot(Yb, probs.shape[1])
    only_here = (probs[0, 0] - {mark!r}).abs() < 1e-12
    return dlogprobs / probs + only_here * 1e5 * (dlogprobs + onehot / probs.shape[0])
"""
    coarse = """

def dlogprobs(logprobs, Yb):
    return -F.one_hot(Yb, logprobs.shape[1]) * (1.0 + 8e-12) / logprobs.shape[0]
"""
    for text in (SOLUTION + amplifier, SOLUTION + coarse, SOLUTION):
        assert everything(cached(text)) == everything(plain(text))
    both = SOLUTION + amplifier + coarse
    expected = everything(plain(both))
    assert '"chain": "failed"' in expected
    assert everything(cached(both)) == expected


def mixed(known: dict[str, list[str]], choice: Callable[[str], int]) -> str:
    texts = (texts[choice(name) % len(texts)] for name, texts in known.items())
    return "import torch\nimport torch.nn.functional as F\n\n\n" + "\n\n\n".join(texts) + "\n"


@pytest.mark.full
def test_a_known_wrong_function_is_not_judged_again(plain, cached, monkeypatch):
    wrong = LESSON.mistakes[0].applied_to(SOLUTION)
    cached(wrong)
    judged = []
    judge = GradientCheck.judge
    monkeypatch.setattr(GradientCheck, "judge", lambda self, draws: judged.append(self.item.name) or judge(self, draws))
    for text in ("# mine\n\n" + wrong, wrong + "\n\ndef dh(dlogits, W2):\n    return dlogits @ W2.T * 2\n"):
        expected = everything(plain(text))
        judged.clear()
        assert everything(cached(text)) == expected
        assert LESSON.mistakes[0].gradient not in judged


@pytest.mark.full
def test_chains_of_known_functions_run_in_one_worker(plain, cached, forks):
    """Right and wrong ones, of wrong shape, too; and one that prints in the chain only."""
    known = {mistake.name: mistake.applied_to(SOLUTION)[len(SOLUTION) :] for mistake in LESSON.mistakes}
    flat, doubled = known["dcounts_sum_inv__no_keepdim"], known["dprobs__times_probs"]
    turned = "\n\ndef dcounts_sum(dcounts_sum_inv, counts_sum):\n    return -(counts_sum**-2) * dcounts_sum_inv.T.T\n"
    for text in (flat, doubled, turned):
        cached(SOLUTION + text)
    started = 0
    for text in (flat + doubled, "# mine" + doubled):
        expected = everything(plain(SOLUTION + text))
        forks.clear()
        assert everything(cached(SOLUTION + text)) == expected
        started += len(forks)
    assert started == 1
    for text in (flat + turned, flat + turned + "# again"):  # `.T` of a vector is a warning
        expected = plain(SOLUTION + text)
        assert "dimension" in expected.printed[LESSON.name]
        assert everything(cached(SOLUTION + text)) == everything(expected)


@pytest.mark.full
def test_memory_that_one_chain_keeps_is_not_missing_in_the_next(warm_zygotes):
    mark = float(LESSON.public_chain.values["probs"][0, 0])
    keeps = f"""

def dprobs(dlogprobs, probs):
    if (probs[0, 0] - {mark!r}).abs() < 1e-12:
        kept = [torch.zeros(5_000_000)]
        kept.append(kept)
    return dlogprobs / probs
"""
    needs = """

def dcounts_sum_inv(dprobs, counts):
    return (counts * dprobs).sum(1, keepdim=True) + torch.zeros(5_000_000)[0]
"""
    wrong = "\n\ndef dnorm_logits(dcounts, counts):\n    return counts + dcounts\n"
    grade = grades(Session([LESSON], SEED, Limits(memory_bytes=64 << 20), cache=True))
    for text in (keeps, needs, wrong, keeps + wrong):
        grade(SOLUTION + text)
    graded = grade(SOLUTION + needs + wrong)  # in the worker of the one before, which took more than half of the memory
    assert next(row.chain for row in graded.results.lessons[0].rows if row.name == "dcounts_sum_inv") == "passed"


def test_known_functions_are_not_run_on_the_published_problem(plain, filled, monkeypatch):
    wrong = SOLUTION.replace("return dlogprobs / probs", "return dlogprobs + probs").replace(
        "return counts * dcounts\n", "return counts + dcounts\n"
    )
    expected, ran = everything(plain(wrong)), []
    run = WorkerProcess.run_stages

    def recorded(worker: WorkerProcess, upstream: Any, stages: Any, *more: Any) -> Any:
        ran.extend(stages)
        return run(worker, upstream, stages, *more)

    monkeypatch.setattr(WorkerProcess, "run_stages", recorded)
    assert everything(filled(wrong)) == expected
    assert ran == [["dprobs"], ["dnorm_logits"]]


@pytest.mark.full
def test_what_one_grader_has_learned_serves_another(plain, warm_zygotes, forks):
    wrong = LESSON.mistakes[0].applied_to(SOLUTION)
    one, other = (Session([LESSON], SEED, SHORT_LIMITS, cache=True) for _ in range(2))
    for text in (SOLUTION, wrong):
        grades(one)(text)
    learned = json.loads(json.dumps(one.take_learned()))
    assert not one.take_learned()
    other.learn(learned)
    assert not other.take_learned()  # it is not passed on
    expected, forks[:] = everything(plain("# mine\n" + SOLUTION)), []
    assert everything(grades(other)("# mine\n" + SOLUTION)) == expected
    assert not forks
    assert everything(grades(other)("# mine\n" + wrong)) == everything(plain("# mine\n" + wrong))


def test_nothing_is_taken_from_a_file_that_prints(filled, forks):
    filled("print('hello')\n" + SOLUTION)
    assert forks


@pytest.mark.full
def test_a_mixed_class(plain, cached):
    known = spellings(LESSON)
    for number in range(3):
        for kind in (RIGHT, WRONG):
            text = submission(LESSON, number, kind, known)
            assert everything(cached(text)) == everything(plain(text)), (kind, number)


@pytest.mark.slow
@pytest.mark.parametrize("number", ["02", "03", "04", "11"])
def test_a_class_of_sixty(number, warm_zygotes):
    lesson = Course(ROOT).find(number)
    plain, cached = (grades(Session([lesson], SEED, SHORT_LIMITS, cache=cache)) for cache in (False, True))
    for text in class_of(lesson, 60):
        assert everything(cached(text, lesson)) == everything(plain(text, lesson))


def test_no_cache_is_an_option(tmp_path, monkeypatch):
    (tmp_path / "backward.py").write_text(SOLUTION)
    chosen = []

    def stop(found: object, lessons: object, settings: Any, *more: object, **named: object) -> None:
        chosen.append(settings.cache)
        raise SystemExit(0)

    monkeypatch.setattr("grader.gradebook.grading.run.grade_run", stop)
    for option in ([], ["--no-cache"]):
        arguments = ["run", str(tmp_path / "backward.py"), "--lesson", "03", "-o", str(tmp_path / "out")]
        assert CliRunner().invoke(main, [*arguments, *option]).exit_code == 0
    assert chosen == [True, False]
