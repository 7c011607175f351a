"""Explanations as self-contained HTML pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from momagen import __version__
from momagen.data import folder
from momagen.rewrite import Rule

from .code import CodeLine
from .explanation import Explanation
from .naming import Power, Symbol, Token
from .notation import Line
from .steps import RewriteStep
from .text import SPLITTING, chip, reason_of

OPEN = 40
"""The number of lines above which a step is folded when the page opens."""
MOST = 1000
"""The largest number of lines of a step, and of the code, on a page."""

Data = dict[str, object]


@lru_cache(maxsize=1)
def _templates() -> Environment:
    loader = FileSystemLoader(folder("templates"))
    return Environment(loader=loader, undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True)


def page(told: Explanation) -> str:
    """Return the page of an explanation; see :meth:`momagen.explain.Explanation.html`."""
    widest = told.steps[0].level
    names = {name for step in told.steps[-1:] for line in step.lines for name in line.defines}
    total = sum(told.operations.values())
    products = sum(count for op, count in told.operations.items() if op.startswith("mul"))
    tiles = [
        (len(told.steps), "steps"), (sum(count for _, count in told.rules_applied), "rewrite rules applied"),
        (total, f"operations on {told.target.word}-bit words"), (products, "multiplications"),
    ]  # fmt: skip
    return _templates().get_template("html/explain.html.j2").render(
        version=__version__, title=f"{told.op}, {told.widths}, {told.target.name}", command=told.command(),
        op=told.op, widths=told.widths, note=told.aside, form=told.form, target=told.target,
        heading=[_tokens(line.tokens) for line in told.steps[0].lines],
        tiles=[tile for tile in tiles if tile[0]],
        steps=[_step(step, widest) for step in told.steps],
        code=[_code(line, names) for line in told.code[:MOST]], code_more=max(0, len(told.code) - MOST),
        operations=[(op, n, round(100 * n / max(told.operations.values()))) for op, n in told.operations.most_common()],
        rules_applied=[(_rule(rule), count) for rule, count in told.rules_applied],
        rules=[SPLIT, *({**_rule(rule), "why": reason_of(rule, told.by_form)} for rule, _ in told.rules_applied)],
    )  # fmt: skip


def _rule(rule: Rule) -> Data:
    return {
        "key": re.sub(r"\W", "-", rule.label), "chip": chip(rule), "label": rule.label, "left": rule.left,
        "right": rule.asked, "when": rule.guard.text, "why": rule.why, "source": f"{rule.source} · rules/{rule.file}",
    }  # fmt: skip


SPLIT: Data = {**SPLITTING, "key": "split", "chip": "(19)", "label": "(19)", "when": ""}


def _step(step: RewriteStep, widest: int) -> Data:
    lines = [_line(line) for line in step.lines[:MOST]]
    if step.splits:
        lines[0]["rule"] = SPLIT
    return {
        "title": step.title, "rules_applied": [(_rule(rule), count) for rule, count in step.rules_applied],
        "words": min(16, widest // step.level), "size": f"{step.level}-bit limbs", "lines": lines,
        "folded": len(lines) > OPEN, "count": len(step.lines), "more": len(step.lines) - len(lines),
    }  # fmt: skip


def _line(line: Line) -> Data:
    rule = _rule(line.rule) if line.fresh and line.rule else None
    return {"tokens": _tokens(line.tokens), "fresh": rule is not None, "path": line.path, "rule": rule}


def _tokens(tokens: Iterable[Token]) -> list[Data]:
    return [_token(token) for token in tokens]


def _token(token: Token) -> Data:
    if isinstance(token, Symbol):
        marks = {"sub": token.digit, "bits": token.bits}
        return {"kind": "symbol", "text": token.letter, **{k: "" if v is None else str(v) for k, v in marks.items()}}
    if isinstance(token, Power):
        return {"kind": "power", "text": str(token.exponent)}
    return {"kind": "text", "text": token.replace("-", "−")}


def _code(line: CodeLine, names: set[str]) -> Data:
    parts = re.split(r"(\w+)", line.text)
    return {"path": line.path, "parts": [{"text": part, "name": part in names} for part in parts if part]}
