"""A name that is nearly right gets the right one, at once, and an option the help of its own command."""

from __future__ import annotations

import inspect
import pickle
import re
from pathlib import Path

import pytest

import momagen as mg
from momagen.api.automorphisms import Automorphism
from momagen.api.sharded import ShardedTransform
from momagen.cli import main
from momagen.cli.parser import commands_of
from momagen.errors import MomagenError, among, nearest
from momagen.explain import operation
from momagen.he import Ckks, preset
from momagen.targets import load_target, names
from momagen.targets.shipped import COMMON

MEANT = {
    "nt --n 16": ("ntt", "momagen --help"),
    "nnt": ("ntt", "momagen --help"),
    "mxq figures": ("mqx", "momagen --help"),
    "Explain add": ("explain", "momagen --help"),
    "--verison": ("--version", "momagen --help"),
    "ntt --n 16 --bits 64 --invers": ("--inverse", "momagen ntt --help"),
    "ntt --n 16 --modulus-bit=60": ("--modulus-bits", "momagen ntt --help"),
    "ntt -n 1024": ("--n", "momagen ntt --help"),
    "ntt -n=1024": ("--n", "momagen ntt --help"),
    "rpu ntt -n 1024": ("--n", "momagen rpu --help"),
    "cache clera": ("--clear", "momagen cache --help"),
    "completion bsh": ("bash", "momagen completion --help"),
    "lib vadd:bits=64 --outptu here": ("--output", "momagen lib --help"),
    "blas vmul --bits 64 --redcution barrett": ("--reduction", "momagen blas --help"),
    "ntt --n 16 --modulus goldilock": ("goldilocks", ""),
    "ntt --n 16 --bits 64 --target avx51": ("avx512", ""),
    "ntt --n 16 --bits 64 --target natve": ("native", ""),
    "ntt --n 16 --bits 64 --target AVX2": ("avx2", ""),
    "ntt --n 16 --bits 64 --order natral": ("natural", ""),
    "ntt --n 16 --bits 64 --layout u46": ("u64", ""),
    "ntt --n 16 --bits 64 --multiply karatsbua": ("karatsuba", ""),
    "ntt --n 16 --bits 64 --algorithm stokham": ("stockham", ""),
    "blas vmull --bits 64": ("vmul", ""),
    "tune vad --bits 64": ("vadd", ""),
    "explain mulmd": ("mulmod", ""),
    "explain mulmod --reduction barett": ("barrett", ""),
    "rules show multply_low": ("multiply_low", ""),
    "rules shw": ("show", ""),
    "targets avx51": ("avx512", ""),
    "lib vad:bits=64 --output out": ("vadd", ""),
    "lib vadd:bit=64 --output out": ("bits", ""),
    "lib vadd:bits=64 --output out --targets avx51": ("avx512", ""),
    "bench --section rac": ("race", ""),
    "isa chek": ("check", ""),
    "mqx validat": ("validate", ""),
    "mqx compare --timed yess": ("yes", ""),
    "rpu ntt --machine rpu-bets": ("rpu-best", ""),
    "rpu smi": ("sim", ""),
    "help environmnt": ("environment", ""),
}


@pytest.mark.parametrize("line", MEANT)
def test_what_was_meant(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The suggestion stands before everything that is expected."""
    meant, help_ = MEANT[line]
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.startswith("momagen: ")
    before, found, after = err.partition(f"did you mean {meant}?")
    assert found and "xpected" not in before.replace("unexpected", "")
    assert not help_ or after == f" (see {help_})\n"


COMMANDS = dict(commands_of())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_and_every_choice(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The name of each with a letter left out, and each long option with one dash only."""
    options = {each for each in COMMANDS[name]._option_string_actions if each.startswith("--")}
    choices = [each for action in COMMANDS[name]._actions for each in action.choices or ()]
    slips = [[word[:-2] + word[-1]] for word in (*options, *choices) if len(word.strip("-")) > 4]
    for words in (*slips, *[[option[1:], "1"] for option in options]):
        assert main([name, *words]) == 2
        err = capsys.readouterr().err
        assert "did you mean " in err and err.count("\n") == 1, (words, err)


@pytest.mark.parametrize("name", [name for name in COMMANDS if len(name) > 4])
def test_every_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Two neighbours swapped."""
    assert main([name[:-2] + name[:-3:-1]]) == 2
    assert f"; did you mean {name}? (see momagen --help)" in capsys.readouterr().err


VALUED = {
    "ntt": "ntt --n 16 --bits 64", "polymul": "polymul --n 16 --bits 64", "lde": "lde --n 16 --blowup 2 --bits 64",
    "basemul": "basemul --n 16 --depth 3 --bits 64", "blas": "blas axpy --bits 64", "explain": "explain ntt",
    "matmul": "matmul --matrix m.json --modulus 97", "convert": "convert --moduli 97,193 --to 257,",
}  # fmt: skip
LATE = {"blas --form", "blas --cmp"}
"""Options that are refused for another reason before their value is read."""


@pytest.mark.parametrize("name", VALUED)
def test_every_value_that_help_lists(name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The longest value of each option that lists its values as {a,b,…}, with a letter left out."""
    (tmp_path / "m.json").write_text("[[1, 2], [3, 4]]")
    words = VALUED[name].replace("m.json", str(tmp_path / "m.json")).split()
    for action in COMMANDS[name]._actions:
        listed = action.metavar[1:-1].split(",") if str(action.metavar).startswith("{") else []
        known = [each for each in listed if each.isalpha() and len(each) > 3]
        if not known or not action.option_strings or f"{name} {action.option_strings[0]}" in LATE:
            continue
        value = max(known, key=len)
        assert main([*words, action.option_strings[0], value[:-2] + value[-1]]) == 2
        err = capsys.readouterr().err
        assert f": did you mean {value}? Expected " in err, (action.dest, err)


@pytest.mark.parametrize("line", ["fft", "ntt --zzz", "blas vmul --inverse", "ntt --n 16 --bits 64 --target vax",
                                  "ntt -z", "-n 16", "rpu foo"])  # fmt: skip
def test_no_suggestion_where_nothing_is_near(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_an_unknown_target_lists_five_and_the_command_for_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    for target, begin in (("avx51", "did you mean avx512? Expected"), ("vax", "expected")):
        assert main(["targets", target]) == 2
        expected = "a target such as c, avx2, avx512, cuda or jax"
        line = f"momagen: target: {begin} {expected}, got {target} (run `momagen targets` to list all targets)\n"
        assert capsys.readouterr().err == line
    assert set(COMMON) <= set(names())


REFUSED = ["rpu foo", "isa foo", "mqx foo", "isa check", "rpu run", "rpu asm", "rpu report", "rpu ntt --get z", "fft",
           "rules show foo", "mqx sol --points 3", "isa ports c", "ntt --n 3 --bits 64", "help foo"]  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_the_name_of_the_program_is_printed_once(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It also stands where the line says what to call for help."""
    assert main(line.split()) == 2
    err = re.sub(r"see momagen [a-z -]*|`momagen [a-z]*`|names: momagen rules", "", capsys.readouterr().err)
    assert err.startswith("momagen: ") and err.count("momagen") == 1


FUNCTIONS = [
    name for name in mg.__all__ if inspect.isfunction(getattr(mg, name)) and name not in ("kernel", "supports")
]
"""All functions but those whose keywords depend on the kind of kernel."""
OWNERS = (mg.Kernel, mg.Library, ShardedTransform, Automorphism, Ckks)
"""The classes of what public functions return, and of what users construct."""
METHODS = [
    method
    for owner in OWNERS
    for name, method in inspect.getmembers(owner, inspect.isfunction)
    if not name.startswith("_") and "options" not in inspect.signature(method).parameters
]
CALLED = {each.__qualname__: each for each in (*(getattr(mg, name) for name in FUNCTIONS), *METHODS, preset)}
CALLED["Ckks"] = Ckks.__init__


@pytest.mark.parametrize("name", CALLED)
def test_every_keyword_of_every_public_function(name: str) -> None:
    """Each with a letter left out; the suggestion stands before the arguments that there are."""
    function = CALLED[name]
    parameters = inspect.signature(function).parameters.values()
    known = [each.name for each in parameters if each.kind in (each.KEYWORD_ONLY, each.POSITIONAL_OR_KEYWORD)]
    for keyword in (each for each in known if each != "self" and len(each) > 4):
        wrong = keyword[:-2] + keyword[-1]
        with pytest.raises(MomagenError) as error:
            function(**{wrong: 1})
        begin = f"{name.rpartition('.')[2]}(): did you mean {keyword}? Expected one of the arguments "
        assert str(error.value).startswith(begin) and str(error.value).endswith(f", got {wrong}"), str(error.value)
    with pytest.raises(MomagenError, match=r"\(\): expected (no argument|one of the arguments .*), got zzz$"):
        function(zzz=1)


@pytest.mark.compiles
def test_keywords_that_are_right_pass() -> None:
    """Those of a maker, and options that the maker itself refuses."""
    assert mg.ntt(n=16, bits=64, radix=4).verify(seed=1).ok
    with pytest.raises(MomagenError, match=r"^`radix` does not apply to vmul"):
        mg.blas("vmul", bits=64, radix=4)  # type: ignore[call-arg]
    with pytest.raises(MomagenError, match=r"^`n` does not apply to element-wise kernels"):
        mg.blas("vmul", bits=64, n=16)  # type: ignore[call-arg]


def test_from_python_too() -> None:
    for make in (
        lambda: mg.blas("vmull", bits=64), lambda: mg.ntt(16, bits=64, target="avx51"),
        lambda: operation("mulmd", 128, load_target("c")), lambda: mg.explain("mulmd"),
        lambda: operation("mul", 128, load_target("c"), options={"multiply": "karatsba"}),
    ):  # fmt: skip
        with pytest.raises(MomagenError, match=r"^\w+: did you mean .*\? Expected .*, got "):
            make()


def test_an_error_keeps_its_suggestion_at_another_place_and_in_another_process() -> None:
    error = among("a name among", ("first", "second"), "frist", "here")
    assert str(error) == "here: did you mean first? Expected a name among first, second, got frist"
    assert str(pickle.loads(pickle.dumps(error))) == str(error) and str(error.at("here")) == str(error)
    with pytest.raises(MomagenError, match=r"^modulus 'goldilock', character 1: did you mean goldilocks\?"):
        mg.ntt(16, modulus="goldilock")


NEAREST = {"avx51": "avx512", "AVX2": "avx2", "avx": "avx2", "jxa": "jax", "cc": "", "vax": "", "": "", "c6": "c64"}


@pytest.mark.parametrize("word", NEAREST)
def test_the_nearest_name(word: str) -> None:
    meant = f"did you mean {NEAREST[word]}?" if NEAREST[word] else ""
    assert nearest(word, ["c", "avx2", "avx512", "avx512ifma", "jax", "c64"]) == meant


def test_what_follows_two_dashes_is_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "show", "--", "--22"]) == 2
    assert "expected a rule's number or name, got --22" in capsys.readouterr().err
