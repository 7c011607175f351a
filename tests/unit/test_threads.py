"""Work on all cores: results in order, and an end to what nobody waits for."""

import sys
import time
from contextlib import closing

import pytest

from momagen.errors import MomagenError
from momagen.processes import run
from momagen.threads import GoOn, Stopped, side_by_side


def test_results_come_in_order() -> None:
    def later(number: int, go_on: GoOn) -> int:
        time.sleep(0.01 * (9 - number))
        go_on(0.5, "half of it")
        return number * number

    assert list(side_by_side(later, range(10))) == [n * n for n in range(10)]


def test_the_first_error_ends_all() -> None:
    begun, ended = set[int](), set[int]()

    def work(number: int, go_on: GoOn) -> None:
        begun.add(number)
        if number == 0:
            raise MomagenError("a kernel that fits", 0, "number")
        try:
            while True:
                go_on()
                time.sleep(0.01)
        except Stopped:
            ended.add(number)
            raise

    with pytest.raises(MomagenError, match="a kernel that fits"):
        list(side_by_side(work, range(50)))
    assert begun == ended | {0} and len(begun) < 50


def test_programs_of_a_caller_that_leaves_end() -> None:
    def work(seconds: float, go_on: GoOn) -> float:
        run([sys.executable, "-c", f"import time; time.sleep({seconds})"])
        return seconds

    start = time.monotonic()
    with closing(side_by_side(work, [0.0, 60.0, 60.0])) as found:
        assert next(found) == 0.0
        time.sleep(0.5)
    assert time.monotonic() - start < 30
