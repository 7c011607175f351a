"""Errors that are sentences, as Python and the command line show them."""

import pickle

import pytest

from momagen.cli import main
from momagen.errors import MomagenError, build_error

CONFLICT = "`root` cannot be combined with `moduli`; use `roots`"


def conflict() -> MomagenError:
    return build_error("`root` cannot be combined with `moduli`", "root", "use `roots`")


def test_a_sentence_that_names_the_argument_stands_alone() -> None:
    assert str(conflict()) == CONFLICT
    assert str(build_error('`limbs="full"` has no passes', "limbs")) == '`limbs="full"` has no passes'


def test_the_place_stands_in_front_of_other_sentences() -> None:
    assert str(build_error("the file is empty", "a.toml")) == "a.toml: the file is empty"
    assert str(conflict().at("a.toml, row 1")) == f"a.toml, row 1: {CONFLICT}"


def test_a_sentence_survives_pickling() -> None:
    assert str(pickle.loads(pickle.dumps(conflict()))) == CONFLICT


def test_the_command_line_names_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ntt", "--n", "8", "--moduli", "97,193", "--root", "5"]) == 2
    assert capsys.readouterr().err == "momagen: `--root` cannot be combined with `--moduli`; use `--roots`\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("`modulus_bits=20` is too small", "`--modulus-bits 20` is too small"),
        ('use `layout="u32"` on `avx2`', "use `--layout u32` on `avx2`"),
        ("use `negacyclic=True`", "use `--negacyclic`"),
    ],
)
def test_options_replace_arguments_with_values(
    text: str, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(given: object) -> int:
        raise build_error(text, "n", "see `avx2`")

    monkeypatch.setattr("momagen.cli.commands.kernels._run", refuse)
    assert main(["ntt", "--n", "8", "--modulus", "97"]) == 2
    assert capsys.readouterr().err == f"momagen: n: {line}; see `avx2`\n"
