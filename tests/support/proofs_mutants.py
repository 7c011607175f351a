"""Systematic faults in generated C source: each kind of edit, at every place where it applies."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A source with one fault: the kind of the fault, the line before and after the edit, and the whole text."""

    share: str
    before: str
    after: str
    text: str

    @property
    def name(self) -> str:
        """What was changed."""
        return f"{self.share}: {self.before.strip()} => {self.after.strip()}"


Edit = tuple[str, Callable[[re.Match[str]], list[str]]]


def _others(*choices: str) -> Callable[[re.Match[str]], list[str]]:
    return lambda found: [choice for choice in choices if choice != found.group()]


def _near(found: re.Match[str]) -> list[str]:
    number = int(found.group(1), 0)
    return [
        found.group().replace(found.group(1), str(other)) for other in (number + 1, max(number - 1, 0), number * 2 + 3)
    ]


def _swapped(found: re.Match[str]) -> list[str]:
    names = re.split(r",\s*", found.group(2))
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names)) if "&" not in names[i] + names[j]]
    results = []
    for i, j in pairs:
        other = list(names)
        other[i], other[j] = other[j], other[i]
        results.append(f"{found.group(1)}({', '.join(other)});")
    return results


EDITS: dict[str, list[Edit]] = {
    "types": [
        (r"\buint64_t\b(?! \*)", _others("uint32_t", "uint16_t", "int64_t", "unsigned char", "u128")),
        (r"\bu128\b", _others("uint64_t", "uint32_t")),
        (r"\bunsigned char\b", _others("uint64_t", "signed char", "int")),
        (r"\bsize_t\b", _others("uint32_t", "int")),
    ],
    "subscripts": [
        (r"\[(\d+)\]", _near),
        (r"\b([xyzc])\[", lambda m: [f"{other}[" for other in "xyzc" if other != m.group(1)]),
    ],
    "steps": [
        (r"\b([xyzis])\+\+", lambda m: [f"{m.group(1)} += 2", m.group(1), f"{m.group(1)}--"]),
        (r"\b[xyz] \+= (\d+)", _near),
        (r"^\s*[xyz](\+\+| \+= \d+);$", lambda m: [";"]),
    ],
    "bounds": [
        (r"i < n\b", _others("i <= n", "i < n - 1", "i < n + 1", "i != n", "i < 2 * n", "i < n / 2")),
        (r"size_t ([iw]) = (\d)", lambda m: [f"size_t {m.group(1)} = {int(m.group(2)) + 1}"]),
        (r"([w]) < (\w+);", lambda m: [f"w < {m.group(2)} - 1;", f"w <= {m.group(2)};", f"w < {m.group(2)} + 1;"]),
        (r"if \(!n\)", _others("if (n < 2)", "if (n)", "if (0)")),
    ],
    "helpers": [
        (r"\b(mg_\w+)\(([^()]*)\);", _swapped),
        (r"^\s*(?!const|uint64_t|unsigned|return|u128)[\w*\[\]]+ = [^=].*;$", lambda m: [";"]),
        (
            r"\b([abqt])([01])\b(?=[,);])",
            lambda m: [
                m.group(1) + str(1 - int(m.group(2))),
                {"a": "b", "b": "a", "q": "a", "t": "a"}[m.group(1)] + m.group(2),
            ],
        ),
        (r"\bunsigned char c = 0\b", _others("unsigned char c = 1")),
    ],
    "assembly": [
        (
            r"\b(addq|adcq|subq|sbbq|cmovcq|cmovnzq|leaq)\b",
            _others("addq", "adcq", "subq", "sbbq", "cmovcq", "cmovnzq"),
        ),
        (r"(\w+q) (%\[\w+\]), (%\[\w+\])", lambda m: [f"{m.group(1)} {m.group(3)}, {m.group(2)}", ""]),
        (r"movl \$0", _others("movl $1")),
        (r'"([+=])&r"', lambda m: [f'"{m.group(1)}r"', '"=&r"' if m.group(1) == "+" else '"+&r"']),
        (
            r"%\[(\w)(\d)\]",
            lambda m: (
                [f"%[{other}{m.group(2)}]" for other in "abq" if other != m.group(1)]
                + [f"%[{m.group(1)}{1 - int(m.group(2)) % 2}]"]
            ),
        ),
        (
            r"\[(\w+)\] (\"[^\"]*\"|MG_\w+)\((\w+)\)",
            lambda m: [f"[{m.group(1)}] {m.group(2)}({other})" for other in ("a0", "b0", "q0") if other != m.group(3)],
        ),
    ],
    "constants": [
        (r"(?<![\w\[#\".])(\d+)(?=[;),\s])(?!.*#)", _near),
        (r"UINT64_C\((0x[0-9a-f]+)\)", _near),
    ],
    "operators": [
        (r"(?<= )\+(?= )", _others("-", "*", "|")),
        (r"(?<= )-(?= )", _others("+", "^")),
        (r"(?<=\w )\*(?= \w)", _others("+", "&")),
        (r"(?<= )(<<|>>)(?= )", _others("<<", ">>")),
        (r"(?<= )(<|>|==|!=|<=|>=)(?= )", _others("<", ">", "==", "!=", "<=", ">=")),
        (r"(?<= )(&&|\|\|)(?= )", _others("&&", "||")),
        (r"(?<= )[&|^](?= )", _others("&", "|", "^")),
        (r"!(?=\w)", _others("")),
    ],
}


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of code: no comments, directives or messages."""
    in_comment = False
    for at, line in enumerate(text.split("\n")):
        if "_error_text(" in line and not line.endswith(";"):
            return
        starts = line.strip().startswith("/*")
        if not in_comment and not starts and line.strip() and not line.strip().startswith("#"):
            yield at, line
        in_comment = (in_comment or starts) and "*/" not in line


def mutants(text: str, share: str) -> list[Mutant]:
    """Return every mutant of one kind."""
    lines = text.split("\n")
    found = []
    for at, line in _lines(text):
        for pattern, replacements in EDITS[share]:
            for match in re.finditer(pattern, line):
                for new in replacements(match):
                    after = line[: match.start()] + new + line[match.end() :]
                    if after != line:
                        whole = "\n".join([*lines[:at], after, *lines[at + 1 :]])
                        found.append(Mutant(share, line, after, whole))
    return found


def sample(text: str, share: str, count: int, seed: int) -> list[Mutant]:
    """Return a random choice of the mutants of one kind, always the same for a seed."""
    found = mutants(text, share)
    return random.Random(f"{seed} {share}").sample(found, min(count, len(found)))
