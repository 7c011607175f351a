"""On a system without what only POSIX has, Python still imports momagen, generates, saves, loads and explains."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import momagen as mg
from momagen import files

ELSEWHERE = """
import os, signal, sys

BLOCKED = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "_posixshmem"}

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
import multiprocessing.connection, subprocess, tempfile  # what others make of the system is theirs
import gmpy2, jinja2, numpy, rich.console, sympy
for name in BLOCKED & set(sys.modules):
    del sys.modules[name]
for name in ("getuid", "geteuid", "getgid", "getegid", "getpgid", "killpg", "setsid", "setpgid", "fork", "forkpty",
             "fchmod", "fchown", "chown", "lchown", "mkfifo", "sched_getaffinity", "getloadavg",
             "sysconf", "uname", "nice", "wait3", "wait4", "getpriority"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGPIPE", "SIGQUIT", "SIGXFSZ",
             "pthread_sigmask", "pthread_kill", "setitimer", "alarm", "pause", "sigwait"):
    if hasattr(signal, name):
        delattr(signal, name)
"""
"""What Windows lacks, taken away."""


def elsewhere(text: str, folder: Path) -> str:
    root = str(Path(mg.__file__).parents[1])
    settings = {**os.environ, "PYTHONPATH": root, "MOMAGEN_CACHE": str(folder / "cache"), "CC": "none"}
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE + text], capture_output=True, text=True, env=settings, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.thorough
def test_generate_save_load_explain(tmp_path: Path) -> None:
    told = elsewhere(
        """
import momagen as mg
k = mg.ntt(64, bits=128, target="avx2")
k.save("here")
again = mg.load("here")
assert (again.source, again.header, again.spec) == (k.source, k.header, k.spec)
assert "shoup" in k.explain() or "conditional" in k.explain()
mg.library("small", ["ntt:n=8,bits=64"], targets=["c"]).save("small")
from momagen.cli import main
assert main(["blas", "vmul", "--bits", "64", "--no-verify", "--no-bench", "--output", "there"]) == 0
assert main(["explain", "add", "--bits", "128", "--target", "c64", "--json"]) == 0
print(k.name)
""",
        tmp_path,
    )
    assert told.endswith("ntt64_124b_avx2\n")
    here = mg.ntt(64, bits=128, target="avx2")
    assert (tmp_path / "here" / f"{here.name}.c").read_text() == here.source


def test_the_cache_and_wisdom_are_kept(tmp_path: Path) -> None:
    elsewhere(
        """
from pathlib import Path
from momagen.runtime import cache, sealed
from momagen.tune.wisdom import Wisdom, read, update
assert sealed.seal(cache.folder("compilers") / "x", "text") == sealed.unseal(cache.folder("compilers") / "x")
with cache.work() as work:
    assert work.is_dir()
assert update(Path("wisdom.json"), lambda known: known) == read(Path("wisdom.json"), needed=True) == Wisdom()
assert sorted(path.name for path in Path(".").iterdir()) == ["cache", "wisdom.json"]
""",
        tmp_path,
    )


@pytest.mark.thorough
def test_no_file_of_ours_needs_posix_to_be_imported(tmp_path: Path) -> None:
    names = sorted(
        ".".join(path.relative_to(Path(mg.__file__).parents[1]).with_suffix("").parts)
        for path in Path(mg.__file__).parent.rglob("*.py")
        if path.name not in ("__main__.py", "__init__.py") and "_data" not in path.parts
    )
    optional = "('matplotlib', 'hypothesis', 'IPython')"
    elsewhere(
        f"""
import importlib
for name in {names!r}:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        assert error.name.split(".")[0] in {optional}, (name, error)
""",
        tmp_path,
    )


@pytest.mark.parametrize("age", [0.0, files.ABANDONED + 1])
def test_a_lock_file_keeps_others_out_until_it_is_left_over(age: float, tmp_path: Path) -> None:
    other = tmp_path / files.LOCK
    with files._lock_file(other):
        os.utime(other, (0, other.stat().st_mtime - age))
        assert not files._made(other)
        assert files._made(other) == (age > 0)
    assert not other.exists()


def test_a_folder_that_takes_no_lock_file_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "ABANDONED", 0.1)
    monkeypatch.setattr(files, "_made", lambda path: False)
    with pytest.raises(PermissionError, match=files.LOCK), files._lock_file(tmp_path / files.LOCK):
        pass
