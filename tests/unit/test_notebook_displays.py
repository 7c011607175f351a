"""What notebooks show: HTML that is whole, needs nothing from elsewhere and escapes what it is given; progress bars."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import pytest

import momagen as mg
from momagen.bench.measure.kernel import Result
from momagen.bench.measure.sample import Spread
from momagen.bench.report.point import Point
from momagen.bench.report.swept import Swept
from momagen.explain import operation
from momagen.html import bar, card, code, folded, grid
from momagen.notebook import watched
from momagen.targets import load_target
from momagen.verify import Report

pytestmark = pytest.mark.compiles

REPORT = Report("ntt8", 3, ("all 0",), {"definition": 24}, (17,), (), 0.5)
NS = Spread(1.25, 1.0, 1.5, 9)
POINTS = Point("ntt", 60, 8, "c", ns=NS), Point("ntt", 60, 8, "gmp", note="<none>")
SHOWN: dict[str, tuple[Any, str]] = {
    "kernel": (mg.ntt(8, bits=64), "ntt8_60b_c.c"),
    "report": (REPORT, ">PASS<"),
    "wrong report": (replace(REPORT, end="a crash by SIGSEGV"), ">FAIL<"),
    "result": (Result("ntt8", "butterfly", NS, None, 1, 1, NS), "1.25"),
    "explanation": (operation("addmod", 128, load_target("c64")), "momagen explain addmod"),
    "plan": (mg.explain("ntt", n=64, modulus_bits=60), "index bits"),
    "targets": (mg.targets(), "avx512ifma"),
    "sweep": (Swept(POINTS, "a CPU & more"), "&lt;none&gt;"),
}  # fmt: skip


class Tags(HTMLParser):
    """The tags that are open, and every attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("what", SHOWN)
def test_it_shows_as_html_of_its_own(what: str) -> None:
    value, part = SHOWN[what]
    text, tags = value._repr_html_(), Tags()
    tags.feed(text)
    assert tags.open == [] and tags.attributes == {"style"} and part in text
    assert not any(word in text for word in ("<script", "http", "url(", "prefers-color-scheme"))


def test_every_display_has_a_monospaced_font() -> None:
    """Its first element names the font; no part of it names another one."""
    parts = [card("t", [("a", "b")]), grid(("x", "y"), [("1", "2")]), code("c"), bar(0.5, "half")]
    for text in (*parts, *(value._repr_html_() for value, _ in SHOWN.values())):
        fonts = re.findall(r'font-family:([^;"]*)', text)
        assert "font-family" in text[: text.index(">")], text
        assert {font.rsplit(",", 1)[-1] for font in fonts} == {"monospace"}


def test_colours_are_the_pages_own_but_for_the_badge() -> None:
    assert ";color:" not in card("t", [("a", "b")], grid(("x", "y"), [("1", "2")]), code("c"))
    assert "color:#fff;background:" in card("t", verdict=True)


def test_everything_is_escaped() -> None:
    text = card(
        "<b>", [("<i>", "a & b")], grid(("<u>",), [("<s>",)]), code("x < y"), folded("<p>", ""), bar(0.5, "<q>")
    )
    assert not any(tag in text for tag in ("<b>", "<i>", "<u>", "<s>", "<p>", "<q>")) and "a &amp; b" in text


class Display:
    """Stands for IPython in a notebook: ``cells`` has every picture."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, notebook: bool) -> None:
        self.cells: list[str] = []
        shell = SimpleNamespace(kernel=0) if notebook else SimpleNamespace()
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
        monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=self.display))

    def display(self, value: Any, display_id: bool) -> Display:
        assert display_id
        self.update(value)
        return self

    def update(self, value: Any) -> None:
        self.cells.append(value._repr_html_())


def test_a_notebook_shows_how_far_a_verification_is(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Display(monkeypatch, notebook=True)
    monkeypatch.setattr("momagen.notebook.PAUSE", 0.0)
    assert mg.ntt(8, bits=64).verify().ok
    assert len(shown.cells) > 3 and "width:0.0%" in shown.cells[0] and "width:100.0%" in shown.cells[-2]
    assert shown.cells[-1] == ""


def test_elsewhere_and_with_progress_of_the_callers_own_nothing_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []
    shown = Display(monkeypatch, notebook=True)
    with watched(lambda part, what: told.append(part)) as progress:
        progress(0.5, "half")
    assert told == [0.5] and shown.cells == []
    terminal = Display(monkeypatch, notebook=False)
    with watched(None) as progress:
        progress(0.5, "half")
    assert terminal.cells == []


def test_a_sweep_from_python() -> None:
    told: list[tuple[float, str]] = []
    found = mg.sweep(
        "vadd", modulus_bits=(60,), n=(64,), targets=("c",), seconds=0.01, progress=lambda *step: told.append(step)
    )
    assert (
        found.right and {row["name"] for row in found.rows()} == {"c"} and told == [(0.0, "vadd, 60-bit modulus, 64")]
    )
    with pytest.raises(mg.MomagenError):
        mg.sweep("vadd", modulus_bits=(60,), n=(64,), targets=("vax",))
