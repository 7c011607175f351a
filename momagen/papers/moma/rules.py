"""What the paper states of its rules: which of them momagen has, and the word operations of both multiplications."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from momagen.data import folder
from momagen.papers.series import Place, ResultSeries, Value
from momagen.tables import read_toml

NUMBERS = range(19, 30)
"""The numbers of the rules in Table 1."""
METHODS = {"28": "schoolbook", "9": "Karatsuba"}
"""The rules for products of two-limb numbers by their number in the paper."""
UNIT = "word operations"
SUM = re.compile(r" [+-] ")


def model() -> list[ResultSeries]:
    """Return the series that follow from momagen's rule files."""
    return [_present(), *_operations()]


def _rules() -> Iterator[Mapping[str, Any]]:
    for path in sorted(folder("rules").glob("*.toml")):
        yield from read_toml(path, "rewrite rules in TOML", path.name).get("rule", ())


def _present() -> ResultSeries:
    """Return a 1 for each rule of Table 1 whose number a rule of momagen has, and a 0 for others."""
    known = {rule["id"] for rule in _rules() if "id" in rule}
    points: dict[Place, Value] = {f"({number})": int(str(number) in known) for number in NUMBERS}
    return ResultSeries("momagen", "rules", points, "table-1", "rules/*.toml")


def _operations() -> Iterator[ResultSeries]:
    """Yield the products and the additions of words in both rules, without carries."""
    for rule in _rules():
        if name := METHODS.get(rule.get("id", "")):
            lines = rule["to"].strip().splitlines()
            points: dict[Place, Value] = {
                "multiplications": sum(line.count(" · ") for line in lines),
                "additions": sum(len(SUM.findall(line)) * _words(line) for line in lines),
            }
            yield ResultSeries(
                f"momagen, {name}", "word operations", points, "text-multiplication", "rules/multiply.toml"
            )


def _words(line: str) -> int:
    """Return the number of words that a line assigns; carries are marked with ":1"."""
    left = line.split(" = ")[0].strip("[] ")
    return sum(":1" not in name for name in left.split(","))
