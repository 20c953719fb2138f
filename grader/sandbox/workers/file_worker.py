"""A student's file in a worker: the requests to it, and the answer where none comes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from grader.calling.answer import Answer, AnswerOutcome
from grader.calling.autograd_used import SWITCHED_ON
from grader.calling.protocol import CallRequest
from grader.calling.steps import Joint
from grader.reference.problem import Problem
from grader.sandbox.isolation.usage import Usage
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.messages import Load, PackedProblem, PackedRequest, Run, ask, checked_names, pack_problem
from grader.sandbox.workers.printed import Output
from grader.sandbox.workers.waiting import WORKER_FAILURES, DeadlineMissed, TimeAccount, WireError, WorkerLost
from grader.sandbox.workers.worker_process import WorkerProcess

PACKED_PROBLEMS: WeakKeyDictionary[Problem, dict[frozenset[str], PackedProblem]] = WeakKeyDictionary()
"""Problems as they were sent, by the names whose upstream gradients were left out."""


def pack_once(problem: Problem, left_out: Collection[str] = ()) -> PackedProblem:
    """The problem without the upstream gradients of the names in `left_out`.

    * Hidden problems are sent with random upstream gradients, each drawn on its own: none is the gradient of another.
    * One function for all gradients (`Joint`) is sent forward values only: what is above a row is another row.
    * The published problem is sent with the true upstream gradients, which are the references of the rows above. It is
      sent after the student's own chain has run on it, and decides no points: only its bits are reported.
    * The student's own chain is sent upstream gradients only where no step of the student's returns them.

    `python -m bench attacks sent` compares every tensor that is sent with every reference.
    """
    known, key = PACKED_PROBLEMS.setdefault(problem, {}), frozenset(left_out)
    if key not in known:
        upstream = {name: gradient for name, gradient in problem.fed.items() if name not in key}
        known[key] = pack_problem(problem.dtype, problem.values, upstream, problem.groups)
    return known[key]


@dataclass(frozen=True)
class StudentFile:
    """`files` is {file name: bytes}, `main` the graded one, `steps` its functions that return gradients.

    With `joint`, that function returns all gradients. `not_allowed` are parts of PyTorch that are removed in the
    worker, see library_off.py.
    """

    files: Mapping[str, bytes]
    main: str
    steps: Sequence[str] = ()
    joint: Joint | None = None
    not_allowed: Sequence[str] = ()


class FileWorker:
    """A worker with `file` in it, its graded one already run: started when it is needed, and again after it has ended.

    Each answer is sent as soon as it is there, so where none comes, the step that is due is at fault. A step that hangs
    or ends its process is not run again; those after it are, in a new process.
    Every method that runs something raises ZygoteDied, and Interrupted once the interrupt descriptor is readable.

    Attributes:
        process: the present worker; None before the first one is started and after one was discarded.
        time: what all its workers may use.
        joint: the function that returns all gradients, if one does.
        given_up: {step or function: its answer}, of those that are not run again.
        functions: the names of the file's functions, once it was loaded.
        plain_functions: those of them that need no watching, see calling/observing.py.
        note: why statements outside the functions were left out, if any were.
        switched_on: a worker reported that PyTorch differentiates again.
    """

    def __init__(
        self,
        zygote: ZygoteProcess,
        file: StudentFile,
        *,
        time: TimeAccount | None = None,
        interrupt: int | None = None,
        memory: bool = False,
    ) -> None:
        """`time` may be shared with other files; by default it has the zygote's limit for itself.

        `interrupt` is a descriptor: once it is readable, a wait for a worker raises Interrupted. For `memory` see Load.
        """
        self._zygote, self._limits, self.interrupt = zygote, zygote.limits, interrupt
        self.time = zygote.account(zygote.limits.total_seconds) if time is None else time
        self.file, self.joint, self.given_up = file, file.joint, dict[str, Answer]()
        self._memory = memory
        self.process: WorkerProcess | None = None
        self.functions: tuple[str, ...] = ()
        self.plain_functions: frozenset[str] = frozenset()
        self.note = ""
        self._load_failure: Answer | None = None
        self._printed = Output(zygote.limits.output_bytes)  # by workers that have ended
        self._has_printed_loading = False
        self.switched_on = False

    # The worker ------------------------------------------------------------------------------------------------------

    def start(self) -> WorkerProcess | None:
        """The present worker, or a new one in which the file was run; None where there is a load failure."""
        if self.process is None and self._load_failure is None and self.time.is_used_up:
            seconds = self._limits.total_seconds
            message = f"It was not run: earlier steps used up the {seconds:g} seconds of this submission."
            self._load_failure = Answer("timeout", message=message)
        elif self.process is None and self._load_failure is None:
            worker = self.process = self._zygote.worker()
            self._zygote.running = self.file.main
            if self.interrupt is not None:
                worker.set_interrupt_fd(self.interrupt)
            worker.wait_until_locked_in()
            self._load_failure = self._load(worker)
            self._zygote.running = ""
            if self._load_failure is not None:
                self.close()
        return self.process

    def _load(self, worker: WorkerProcess) -> Answer | None:
        """Have the file run; None where it did."""
        seconds = self._limits.import_seconds
        request = ask(Load(self.file.files, self.file.main, self.file.not_allowed, self._memory))
        try:
            worker.ask([request])
            (answer,) = worker.answers([request], seconds, self.time)
            if answer.outcome != "returned":
                outcome: AnswerOutcome = "forbidden" if answer.outcome == "forbidden" else "raised"
                return answer._replace(outcome=outcome)
            match answer.value:
                case [functions, plain, str(note)]:
                    self.functions, self.note = checked_names(functions), note
                    self.plain_functions = frozenset(checked_names(plain))
                    return None
            raise WireError("no account of a file")
        except DeadlineMissed:
            what = f"The file itself did not finish running within {seconds:g} seconds"
            return Answer("timeout", message=f"{what}: is there a loop outside the functions?")
        except WorkerLost as error:
            return Answer("crashed", message=f"While the file was being run: {error}")

    @property
    def load_failure(self) -> Answer | None:
        """What went wrong when the file was run, if it did; the same answer then stands for every step."""
        self.start()
        return self._load_failure

    def close(self) -> None:
        """End the present worker, if there is one, and keep what it printed; of the file itself only once."""
        if (worker := self.process) is not None:
            worker.close()
            self._printed.append(worker.output, loading=not self._has_printed_loading)
            self.process, self._has_printed_loading = None, True

    @property
    def output(self) -> Output:
        """What all workers have printed so far, the present one included."""
        whole = Output(self._limits.output_bytes)
        whole.append(self._printed)
        if self.process is not None:
            whole.append(self.process.output, loading=not self._has_printed_loading)
        return whole

    # Requests --------------------------------------------------------------------------------------------------------

    def _ask(self, requests: Sequence[PackedRequest], running: str = "") -> tuple[list[Answer], Answer | None]:
        """(the answers of the present worker, why no more came): then it is gone, and the next answer was due.

        `running` is what to show in place of the requested names.
        """
        assert self.process is not None
        due = [name for each in requests for name in each.names]
        answers: list[Answer] = []
        seconds = self._limits.step_seconds
        if any(each.watched for each in requests):  # it returned in time when nobody watched
            seconds = self._limits.total_seconds
        self._set_running(running or due[0])
        try:
            self.process.ask(requests)
            for answer in self.process.answers(requests, seconds, self.time):
                answers.append(answer)
                self.switched_on |= answer.message == SWITCHED_ON
                self._set_running(due[len(answers)] if len(answers) < len(due) else "")
        except WORKER_FAILURES as error:
            self.close()
            return answers, self._answer_for(error)
        return answers, None

    def _set_running(self, name: str) -> None:
        """Note which function runs; "" where it may be one of several."""
        self._zygote.running = self.joint.name if self.joint is not None and name in self.file.steps else name

    def _answer_for(self, error: Exception) -> Answer:
        """The answer of a step or a function whose worker ended or missed the deadline."""
        if not isinstance(error, DeadlineMissed):
            return Answer("crashed", message=str(error))
        if self.time.is_used_up:
            total = f"{self._limits.total_seconds:g} seconds of this submission"
            return Answer("timeout", message=f"It had not returned when the {total} were used up.")
        return Answer("timeout", message=f"It did not return within {self._limits.step_seconds:g} seconds.")

    def call(self, of: str, request: CallRequest) -> Answer:
        """One call; `of` is the function or class that it is about.

        A function that hangs or ends its process is not called again.
        """
        if of in self.given_up:
            return self.given_up[of]
        if self.start() is None:
            return self._load_failure or Answer("crashed")
        answers, failure = self._ask([ask(request)], running=of)
        answer = failure or answers[0]
        if answer.outcome in ("timeout", "crashed", "forbidden"):
            self.close()
            self.given_up[of] = answer
        return answer

    def call_measured(self, name: str, args: Sequence[object], memory: bool = True) -> tuple[Answer, Usage | None]:
        """One call in a worker of its own, and what that worker used; None without a value.

        With `memory`, its largest resident memory is measured, which takes processor time; else only its time.
        """
        other = FileWorker(self._zygote, self.file, time=self.time, interrupt=self.interrupt, memory=memory)
        other.given_up, other._has_printed_loading = self.given_up, True
        try:
            answer = other.call(name, CallRequest(name, args))
            used = other.process.end_and_measure() if other.process is not None else None
        finally:
            other.close()
        self.switched_on |= other.switched_on
        self._printed.append(other.output)
        return answer, used if answer.outcome == "returned" else None

    # Steps -----------------------------------------------------------------------------------------------------------

    def discloses(self, problem: Problem) -> bool:
        """Whether steps are fed true upstream gradients: the references of the rows above."""
        return not problem.random_upstream and self.joint is None

    def run(
        self, problems: Iterable[Problem], steps: Sequence[str], watched: bool = False
    ) -> dict[Problem, dict[str, Answer]]:
        """{problem: {step: answer}} for `steps` on each problem; with `watched` see Run."""
        found: dict[Problem, dict[str, Answer]] = {problem: {} for problem in problems}
        while self.start() is not None:
            due = {p: [s for s in steps if s not in found[p] and s not in self.given_up] for p in found}
            places = [(problem, step) for problem, missing in due.items() for step in missing]
            if not places:
                break
            requests = [
                # a joint function needs no upstream gradients
                pack_once(problem, problem.upstream if self.joint is not None else ()).with_run(
                    Run(missing, joint=self.joint, watched=watched)
                )
                for problem, missing in due.items()
                if missing
            ]
            answers, failure = self._ask(requests)
            for (problem, step), answer in zip(places, answers, strict=False):
                found[problem][step] = answer
                if answer.outcome in ("forbidden", "timeout") and answer.seen is None:  # it is not run again
                    self.given_up[step] = answer
            if failure is not None:  # the step that was due is at fault; a joint function is at fault for all of them
                unanswered = [step for _, step in places[len(answers) :]]
                self.given_up |= dict.fromkeys(unanswered if self.joint else unanswered[:1], failure)
        other = self._load_failure or Answer("crashed")
        return {p: {step: found[p].get(step) or self.given_up.get(step, other) for step in steps} for p in found}

    def run_chain(self, problem: Problem, above: Mapping[str, Collection[str]]) -> dict[str, Answer]:
        """{step: answer}, each step fed the student's own upstream gradients. `above` are the steps above each step."""
        every = self.file.steps
        steps = [s for s in every if s not in self.given_up and self.given_up.keys().isdisjoint(above[s])]
        # upstream gradients are sent only where no step of the student's returns them
        packed = pack_once(problem, problem.upstream if self.joint is not None else [step[1:] for step in every])
        own, answers = {step: sorted(above[step]) for step in steps}, list[Answer]()
        if steps and self.start() is not None:
            answers, _ = self._ask([packed.with_run(Run(steps, own, self.joint))])
        results = dict(zip(steps, answers, strict=False))
        return {step: results.get(step, Answer("skipped")) for step in every}
