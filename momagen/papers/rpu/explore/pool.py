"""The execution of trials in several processes."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from momagen.bench.report.kept import KeptRows
from momagen.errors import MomagenError, build_error, reason
from momagen.processes import child
from momagen.threads import cores

from .trial import Outcome, RpuTrial, run_trial
from .worker import told

WORKER = "momagen.papers.rpu.explore.worker"
MOST_JOBS = 1024
Step = Callable[[str], None]
"""A function that is called with the name of each completed step."""
Answer = tuple[str, Outcome | MomagenError]


def jobs_of(asked: int | None) -> int:
    """Return the number of processes: ``asked``, or one for each core that this process may use.

    Raises:
        MomagenError: The number is out of range.
    """
    if asked is None:
        return cores()
    if not 1 <= asked <= MOST_JOBS:
        raise MomagenError(f"from 1 to {MOST_JOBS} processes", asked, "--jobs")
    return asked


def outcomes(
    trials: Sequence[RpuTrial], jobs: int, step: Step = lambda name: None, kept: KeptRows[Outcome] | None = None
) -> dict[str, Outcome]:
    """Return the outcomes of all trials by their labels, in the order of the trials.

    Args:
        trials: The trials.
        jobs: The number of trials that run at the same time. If it is 1, they run in this process.
        step: A function that is called with the label of each completed trial.
        kept: A store that keeps each outcome as soon as it is found, and that may contain outcomes of an
            earlier run; or None.

    Raises:
        MomagenError: A trial failed. The error is that of the first failure, after which no further trial
            begins.
    """
    earlier = {each.label: kept and kept.known(each.label) for each in trials}
    found = {label: rows[0] for label, rows in earlier.items() if rows}
    todo = [each for each in trials if each.label not in found]
    for label in found:
        step(label)
    for label, outcome in _alone(todo) if jobs == 1 else _apart(todo, min(jobs, len(todo))):
        found[label] = outcome
        if kept:
            kept.keep(label, [outcome])
        step(label)
    return {each.label: found[each.label] for each in trials}


def _alone(trials: Sequence[RpuTrial]) -> Iterator[tuple[str, Outcome]]:
    for each in trials:
        yield each.label, run_trial(each)


def _apart(trials: Sequence[RpuTrial], jobs: int) -> Iterator[tuple[str, Outcome]]:
    """Yield the labels and the outcomes of trials in separate processes, in the order in which they end."""
    todo, answers = queue.SimpleQueue[RpuTrial](), queue.SimpleQueue[Answer]()
    for each in trials:
        todo.put(each)
    programs = list[subprocess.Popen[bytes]]()
    threads = [threading.Thread(target=_work, args=(todo, answers, programs), daemon=True) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    try:
        for _ in trials:
            label, found = answers.get()
            if isinstance(found, MomagenError):
                raise found
            yield label, found
    finally:
        with suppress(queue.Empty):
            while True:
                todo.get_nowait()
        for program in programs:
            program.kill()
        for thread in threads:
            thread.join()


def _work(todo: queue.SimpleQueue[RpuTrial], answers: queue.SimpleQueue[Answer], programs: list[subprocess.Popen[bytes]]
          ) -> None:  # fmt: skip
    """Run trials one after another in a separate process."""
    try:
        with child(WORKER, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            programs.append(program)
            with suppress(queue.Empty):
                while True:
                    trial = todo.get_nowait()
                    answers.put((trial.label, _asked(program, trial)))
    except OSError as error:  # the process could not be started
        answers.put(("", build_error(f"a worker process cannot be started ({reason(error)})", WORKER)))


def _asked(program: subprocess.Popen[bytes], trial: RpuTrial) -> Outcome | MomagenError:
    assert program.stdin is not None and program.stdout is not None
    try:
        program.stdin.write(json.dumps(trial.to_dict()).encode() + b"\n")
        program.stdin.flush()
        line = program.stdout.readline()
        return Outcome(**told(json.loads(line)))
    except MomagenError as error:
        return error
    except (OSError, ValueError):
        return build_error("the worker process ended before it returned the result", trial.label)
