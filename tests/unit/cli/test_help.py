"""Help texts: short, complete, and each with its default."""

from __future__ import annotations

import argparse
import re

import pytest

from momagen.cli import main
from momagen.cli.commands.kernels import ELEMENTWISE
from momagen.cli.parser import COMMANDS, EPILOG, HELP_TUNING, CommandParser, build_parser, commands_of
from momagen.kinds.modular.lists import BLAS
from momagen.params import known_fields

WIDE, LINES, LONGEST = 100, 60, 80
"""The width of the terminal; the most lines of `momagen ntt --help`, and of the help of other kernels."""
PARSERS = dict(commands_of())
KERNELS = ("ntt", "polymul", "basemul", "lde", "blas", "tune")
DEFAULT = re.compile(r"\(default: [^()]*(\([^()]*\)[^()]*)*\)$")
ACTIONS = [
    pytest.param(name, action, id=f"{name} {'/'.join(action.option_strings) or action.dest}")
    for name, parser in PARSERS.items() for action in parser._actions if action.help != argparse.SUPPRESS
]  # fmt: skip
STYLE = re.compile(r"such as|in front of|e\.g\.|\bso many\b|\bbeside\b|\bis told\b|\bas it stands\b|\bgoes by\b")
"""Words of an earlier style, and one expression that the style allows."""


def is_needed(action: argparse.Action) -> bool:
    """Return whether the user must give an argument: it has no default."""
    return action.required and action.nargs not in ("?", "*")


@pytest.mark.parametrize(("name", "action"), ACTIONS)
def test_help_ends_with_the_default(name: str, action: argparse.Action) -> None:
    text = action.help or ""
    assert text and not text.endswith("."), text
    assert DEFAULT.search(text) or action.nargs == 0 or is_needed(action), text
    assert text.count("(default:") <= 1


@pytest.mark.parametrize(("name", "action"), ACTIONS)
def test_help_is_one_phrase(name: str, action: argparse.Action) -> None:
    text = (action.help or "").split()
    first = text[0].strip(",:;")
    assert first not in ("of", "for", "to", "as", "from", "by", "in", "at", "with", "which", "whether"), action.help
    assert not (set(STYLE.findall(action.help or "")) - {"such as"}), action.help


def test_ntt_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDE))
    lines = {name: PARSERS[name].format_help().count("\n") for name in KERNELS}
    assert lines["ntt"] <= LINES and max(lines.values()) <= LONGEST, lines


@pytest.mark.parametrize("name", KERNELS)
def test_help_of_tuning(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDE))
    with pytest.raises(SystemExit) as stopped:
        main([name, HELP_TUNING])
    shown, usual = capsys.readouterr().out, PARSERS[name].format_help()
    assert not stopped.value.code and "--reduction" in shown and "--target" not in shown.partition("Tuning:")[2]
    assert "--unroll" in shown and "--unroll" not in usual and HELP_TUNING in usual
    options = {option for action in PARSERS[name]._actions for option in action.option_strings if option[:2] == "--"}
    assert not {option for option in options if option not in shown + usual}


def test_other_commands_have_no_help_of_tuning() -> None:
    assert {name for name, parser in PARSERS.items() if HELP_TUNING in parser._option_string_actions} == set(KERNELS)


def test_commands_are_described_by_sentences() -> None:
    assert all(re.fullmatch(r"[A-Z][a-z]+,? .*[.…]", row.text) for row in COMMANDS.values())
    assert build_parser().description
    assert set(ELEMENTWISE) == set(BLAS)


@pytest.mark.parametrize(
    "words",
    [line.split("     ")[0].split()[1:] for text in (EPILOG, *(str(parser.epilog) for parser in PARSERS.values()))
     for line in text.splitlines() if line.startswith("  momagen ")],
    ids=" ".join,
)  # fmt: skip
def test_examples_are_command_lines(words: list[str]) -> None:
    words = words[: words.index("|")] if "|" in words else words
    assert build_parser().parse_args(words).run


def test_lines_of_epilogs_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDE))
    for name, parser in PARSERS.items():
        assert isinstance(parser, CommandParser)
        body = parser.format_help().partition("\n\n")[2].splitlines()
        assert not [line for line in body if len(line) > WIDE and "{" not in line], name


def test_named_moduli(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "moduli"]) == 0
    shown = capsys.readouterr().out
    assert all(re.search(rf"^{name} +{field.bits} ", shown, re.MULTILINE) for name, field in known_fields().items())
