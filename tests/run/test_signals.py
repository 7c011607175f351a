"""Signals while a compiler works: it ends, with what it started, and nothing of it stays on the disk."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import momagen as mg
from momagen.processes import run
from momagen.signals import ENDING, Ended, deferred, ending

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are told by /proc")
SLOW = """#!/bin/sh
case "$*" in
    *--version*) echo "clang version 1"; exit 0;;
    *trial.o*) cat > /dev/null; : > "${{TMPDIR}}/trial.s"; for last; do :; done; : > "$last"; exit 0;;
esac
: > "$TMPDIR/cc-left.s"
sleep 600 & echo started >> {log}
wait
"""
"""A compiler that passes its trial, and never ends with anything else: its child sleeps on."""
COMMANDS = {
    "ntt": ["ntt", "--n", "16", "--bits", "64"],
    "verify": ["verify", "saved"],
    "lib": ["lib", "vadd:bits=64", "--output", "mylib", "--targets", "c"],
    "tune": ["tune", "vadd", "--bits", "64", "--wisdom", "wisdom.json"],
}
CASES = [
    *((command, number) for command in ("ntt", "verify") for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
    ("lib", signal.SIGTERM), ("tune", signal.SIGTERM),
]  # fmt: skip
KEPT = {
    "verify": b"of 1 kernels, none so far", "lib": b"nothing was written to mylib", "tune": b"kept no result: ",
}  # fmt: skip
"""What a command says that it kept."""
HANGS = "#include <unistd.h>\nvoid hang(void) { for (;;) pause(); }\n"


@pytest.fixture(autouse=True)
def _heard() -> Iterator[None]:
    """Signals that the tests' caller ignored, as nohup does, would stay ignored in what the tests start."""
    before = {each: signal.getsignal(each) for each in ENDING}
    for each in ENDING:
        signal.signal(each, signal.default_int_handler if each == signal.SIGINT else signal.SIG_DFL)
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder with a saved kernel, a slow compiler, and room for the cache and temporary files; what a failing test
    leaves running ends."""
    mg.blas("vadd", bits=64).save(tmp_path / "saved")
    (tmp_path / "tmp").mkdir()
    (tmp_path / "slowcc").write_text(SLOW.format(log=tmp_path / "log"))
    (tmp_path / "slowcc").chmod(0o755)
    yield tmp_path
    for pid in running(tmp_path):
        os.kill(pid, signal.SIGKILL)


class Command(subprocess.Popen[bytes]):
    """A process that a failing test does not wait for."""

    def __exit__(self, *error: object) -> None:
        self.kill()
        super().__exit__(None, None, None)


def start(place: Path, command: list[str], compiler: str = "") -> Command:
    known = {"MOMAGEN_CACHE": str(place / "cache"), "TMPDIR": str(place / "tmp")}
    root = str(Path(mg.__file__).parents[1])
    asked = [sys.executable, "-m", "momagen", *command]
    settings = {**os.environ, **known, "CC": compiler or str(place / "slowcc"), "PYTHONPATH": root}
    return Command(asked, cwd=place, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def running(place: Path) -> list[int]:
    """The processes with the cache of ``place`` in their environment that are no zombies."""
    mark, found = f"MOMAGEN_CACHE={place / 'cache'}\0".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            alive = (folder / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
            if alive and mark in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def command(pid: int) -> bytes:
    """The command of a process; nothing if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def within(seconds: float, holds: Callable[[], object]) -> bool:
    limit = time.monotonic() + seconds
    while not (found := bool(holds())) and time.monotonic() < limit:
        time.sleep(0.05)
    return found


def left(place: Path) -> list[str]:
    """What lies where compilers worked."""
    return [str(path.relative_to(place)) for part in ("cache/work", "tmp") for path in (place / part).rglob("*")]


@pytest.mark.thorough
@pytest.mark.parametrize(("command", "number"), CASES, ids=lambda case: getattr(case, "name", case))
def test_nothing_stays_behind(command: str, number: signal.Signals, place: Path) -> None:
    with start(place, COMMANDS[command]) as momagen:
        assert within(60, (place / "log").exists)
        assert any("cc-left.s" in path for path in left(place)), "the compiler's files go to the work folder"
        momagen.send_signal(number)
        _, told = momagen.communicate(timeout=30)
    lines = [line for line in told.splitlines() if not line.endswith(b" so far)")]  # progress, on a slow machine
    assert momagen.returncode == 128 + number and len(lines) == (command in KEPT)
    assert all(line.startswith(b"momagen: interrupted: " + KEPT[command]) for line in lines)
    assert (running(place), left(place)) == ([], [])
    assert not (place / "mylib").exists() and not (place / "wisdom.json").exists()


def test_what_a_killed_verification_began_ends_too(place: Path) -> None:
    """Nobody can act on SIGKILL; its child sees that it is gone."""
    with start(place, COMMANDS["verify"]) as momagen:
        assert within(60, (place / "log").exists)
        momagen.kill()
    assert within(10, lambda: not running(place))
    assert left(place) == [str(Path("tmp") / name) for name in os.listdir(place / "tmp")]


@pytest.mark.thorough
@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_gcc_and_what_it_started_end(place: Path) -> None:
    with start(place, ["ntt", "--n", "1024", "--bits", "512"], "gcc") as momagen:
        assert within(120, lambda: any(b"cc1" in command(pid) for pid in running(place)))
        momagen.terminate()
        momagen.communicate(timeout=30)
    assert momagen.returncode == 128 + signal.SIGTERM
    assert (running(place), left(place)) == ([], [])


def test_a_signal_that_was_ignored_stays_so(place: Path) -> None:
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        momagen = start(place, COMMANDS["ntt"])
    finally:
        signal.signal(signal.SIGHUP, before)
    with momagen:
        assert within(60, (place / "log").exists)
        momagen.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        assert momagen.poll() is None
        momagen.terminate()
        momagen.communicate(timeout=30)
    assert momagen.returncode == 128 + signal.SIGTERM


def test_a_kernel_deaf_to_signals_is_ended(place: Path) -> None:
    """Python's handlers wait for the call of a library to come back; here it never does."""
    text = f"""
import sys
from types import SimpleNamespace
from momagen.runtime import compile_shared, load
from momagen.cli import main

def run(given):
    load(compile_shared({HANGS!r}, name="hangs", flags=["-std=gnu99"])).hang()

class Parser:
    def parse_args(self, argv):
        return SimpleNamespace(run=run, verbose=False)

import momagen.cli
momagen.cli.build_parser = Parser
sys.exit(main([]))
"""
    known = {"MOMAGEN_CACHE": str(place / "cache"), "PYTHONPATH": str(Path(mg.__file__).parents[1])}
    with subprocess.Popen([sys.executable, "-c", text], env={**os.environ, **known}) as process:
        try:
            assert within(60, lambda: "hangs-" in Path(f"/proc/{process.pid}/maps").read_text())
            time.sleep(0.5)
            process.terminate()
            assert process.wait(20) == 128 + signal.SIGTERM
        finally:
            process.kill()


def test_a_signal_that_was_heard_ends_nothing_later() -> None:
    """What a caller of the command line does next must not hear of it again."""
    with pytest.raises(Ended), ending(lambda: None):
        signal.raise_signal(signal.SIGTERM)
    with deferred():
        pass


@pytest.mark.parametrize("command", ["ntt", "lib"])
def test_no_compiler_survives_a_kill(command: str, place: Path) -> None:
    """SIGKILL, which no process can handle."""
    with start(place, COMMANDS[command]) as momagen:
        assert within(30, (place / "log").exists)
        momagen.kill()
        assert within(5, lambda: not running(place)), running(place)


def test_no_child_of_a_killed_child_survives(place: Path) -> None:
    """The process that verifies a kernel is killed; the command that waits for it says so, and nothing runs on."""
    with start(place, COMMANDS["verify"]) as momagen:
        assert within(30, (place / "log").exists)
        others = [pid for pid in running(place) if pid != momagen.pid and b"momagen" in command(pid)]
        for pid in others or [momagen.pid]:
            os.kill(pid, signal.SIGKILL)
        assert within(30, lambda: not [pid for pid in running(place) if b"sleep" in command(pid)])


def test_a_program_ends_with_what_it_started() -> None:
    mark = "611"
    started = run(["/bin/sh", "-c", f"sleep {mark} >/dev/null 2>&1 & echo $!"])
    assert within(5, lambda: b"sleep" not in command(int(started.stdout)))
