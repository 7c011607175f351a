"""Broken rules are refused before they rewrite anything: the message names the file, the rule and the text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from momagen.errors import MomagenError
from momagen.ir import Op
from momagen.rewrite import RuleTable, check_shrinks, load_file, table
from momagen.rewrite.rules import operations

GOOD = {"name": "mine", "from": "[c0, c1] = [a0, a1] - [b0, b1]", "to": "[δ0:1, c1] = a1 - b1\nc0 = a0 - b0 - δ0",
        "why": "a test"}  # fmt: skip


def written(folder: Path, rows: list[dict[str, str]]) -> Path:
    """A rule file with these rows."""
    path = folder / "mine.toml"
    tables = ["\n".join(["[[rule]]", *(f"{key} = '''{text}'''" for key, text in row.items())]) for row in rows]
    path.write_text("\n".join(tables), encoding="utf-8")
    return path


def load(folder: Path, **changes: str) -> None:
    """Load the good rule with some keys changed (removed, where empty), as the table loads its rules."""
    row = {key: value for key, value in {**GOOD, **changes}.items() if value}
    for rule in load_file(written(folder, [row])):
        check_shrinks(rule)


def test_the_good_rule_is_good(tmp_path: Path) -> None:
    load(tmp_path)
    assert [rule.where for rule in load_file(tmp_path / "mine.toml")] == ["mine.toml, rule mine"]


@pytest.mark.parametrize("content, got", [
    (b"[[rule]\nname = 1", "line 1"), (b"[[rule]]\nname = 'x", "end of document"), (b"\xff\xfe", "'utf-8' codec"),
])  # fmt: skip
def test_a_broken_file(tmp_path: Path, content: bytes, got: str) -> None:
    (tmp_path / "mine.toml").write_bytes(content)
    with pytest.raises(MomagenError, match=rf"^mine\.toml: (expected a rule file|the file cannot be read).*{got}"):
        load_file(tmp_path / "mine.toml")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(MomagenError, match=r"none\.toml: the file cannot be read \(No such file or directory\)$"):
        load_file(tmp_path / "none.toml")


def test_a_file_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[rule]\nname = 'x'\n")
    with pytest.raises(MomagenError, match=r"mine\.toml: expected tables \[\[rule\]\], got dict"):
        load_file(tmp_path / "mine.toml")


@pytest.mark.parametrize("key", ["from", "to", "why"])
def test_a_missing_key(tmp_path: Path, key: str) -> None:
    rest = ", ".join(name for name in GOOD if name != key)
    with pytest.raises(MomagenError) as caught:
        load(tmp_path, **{key: ""})
    assert str(caught.value) == f"mine.toml, rule mine: expected the key “{key}”, got {rest}"


def test_a_missing_name(tmp_path: Path) -> None:
    with pytest.raises(MomagenError, match=r"mine\.toml, rule \?: expected the key “name”, got from, to, why"):
        load(tmp_path, name="")


def test_an_unknown_key(tmp_path: Path) -> None:
    message = r"mine\.toml, rule mine: did you mean when\? Expected keys among choice, .*, got whne"
    with pytest.raises(MomagenError, match=message):
        load(tmp_path, whne="k < w")


BAD = {
    "bad sign": ({"to": "c0 = a0 & b0"}, "'c0 = a0 & b0': expected the rule notation, got & b0"),
    "open bracket": ({"to": "[c0, c1 = a0 · b0"}, "'[c0, c1 = a0 · b0': expected “]”, got ="),
    "nothing after =": ({"to": "c0 ="}, "'c0 =': expected a name, a number or a bracket, got the end"),
    "rest of a line": ({"to": "c0 = a0 b0"}, "'c0 = a0 b0': expected the end of the statement, got b0"),
    "no otherwise": ({"to": "c0 = a0 if b0 < a0"}, "'c0 = a0 if b0 < a0': expected “otherwise”, got the end"),
    "distance": ({"to": "c0 = a0 >> ·"}, "'c0 = a0 >> ·': expected a name, a number or a bracket, got ·"),
    "assumption": ({"to": "c0 = a0; assume c0 < b0·2"},
                   "'assume c0 < b0·2': expected a bound such as q, 2·q or 2^w, got the end"),
    "unknown operation": ({"to": "c0 = frob(a0)"}, "expected a known operation, got frob"),
    "arguments": ({"to": "c0 = csub(a0)"}, "expected 2 arguments of csub, got 1"),
    "undefined name": ({"to": "c1 = a1 - q2; c0 = c1"}, "expected a name defined before its use, got q2"),
    "used too early": ({"to": "c0 = a0 - c1; c1 = a1 - b1"}, "expected a name defined before its use, got c1"),
    "result not defined": ({"to": "c1 = a1 - b1"}, "expected a name defined before its use, got c0"),
    "undefined distance": ({"to": "c1 = a1 >> j; c0 = c1"}, "expected one of w, k, word, h, i, got j"),
    "a word for a flag": ({"to": "c0 = a0 if a1 otherwise b0; c1 = a1"},
                          "expected a flag where select takes one, got a word"),
    "a bit of a word": ({"to": "[d:1, c1] = [a0, a1]; c0 = a0"},
                        "expected a carry, a comparison or logic for “d:1”, got [a0, a1]"),
    "three words and a carry": ({"to": "[d:1, c1] = a1 + b1 + a0; c0 = a0"},
                                "expected at most two words and one carry in a sum with carry out, got 3"),
    "modulo a word": ({"to": "c1 = a1 mod b1; c0 = a0"},
                      "expected a sum, a difference or [carry:1, …] before “mod”, got a1"),
    "not the high half": ({"to": "c1 = ⌊a1 · b1 / 2^(w - 1)⌋; c0 = a0"},
                          "expected the high half, ⌊a · b / 2^w⌋, got 2^(w - 1)"),
    "two parts with bits": ({"to": "[c0:w, c1:w] = a0"},
                            "'[c0:w, c1:w] = a0': expected two parts, the low one with its bits, got ]"),
    "a bit and a part": ({"to": "[c0:1, c1:w] = a0"},
                         "'[c0:1, c1:w] = a0': expected two parts, the low one with its bits, got ]"),
    "a number of names": ({"to": "c0 = mac(0, 0, a0, b0)"}, "expected 2 names for as many results, got 1"),
    "two results in one": ({"to": "c0 = a0 + mac(0, 0, a0, b0)"},
                           "expected one result inside an expression, got 2 of mac(0, 0, a0, b0)"),
    "an open repetition": ({"to": "repeat k {; c0 = a0"}, "expected “}” after “repeat”, got repeat k {; c0 = a0"),
    "a repetition of nothing": ({"to": "repeat {; c0 = a0; }"}, "'repeat {': expected “=”, got {"),
    "an open bar": ({"to": "c0 = a0; assume |c0 < 2·b0"}, "'assume |c0 < 2·b0': expected “|”, got <"),
    "guard": ({"when": "k <> w"}, "expected a guard such as “k < w and w ≥ 2 word”, got k <> w"),
    "guard of nothing": ({"when": "k"}, "expected a guard such as “k < w and w ≥ 2 word”, got k"),
    "name in a guard": ({"when": "q < 2^w"}, "expected one of w, k, word, h in “q < 2^w”, got q"),
    "two statements": ({"from": "c0 = a0; c1 = a1"},
                       "expected one assignment on the left-hand side, got c0 = a0; c1 = a1"),
    "no statement": ({"from": "# nothing"}, "expected one assignment on the left-hand side, got # nothing"),
    "assumption on the left": ({"from": "assume a < 2·b"},
                               "expected one assignment on the left-hand side, got assume a < 2·b"),
    "no operation on the left": ({"from": "c0 = a0"}, "expected an operation, got a0"),
    "number on the left": ({"from": "c = [a0, 0] + b"},
                           "'c = [a0, 0] + b': expected names or brackets of names as arguments, got 0"),
    "operation inside the left": ({"from": "c = (a + b) < d"},
                                  "'c = (a + b) < d': expected names or brackets of names as arguments, got a + b"),
    "distance on the left": ({"from": "c = a >> 3"}, "'c = a >> 3': expected the distance k, got 3"),
    "half on the left": ({"from": "c = ⌊a · b / 2^k⌋"}, "expected the high half, ⌊a · b / 2^w⌋, got 2^(k)"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_text(tmp_path: Path, case: str) -> None:
    changes, text = BAD[case]
    with pytest.raises(MomagenError) as caught:
        load(tmp_path, **changes)
    assert str(caught.value) == f"mine.toml, rule mine: {text}"


def test_a_rule_that_does_not_shrink(tmp_path: Path) -> None:
    with pytest.raises(MomagenError) as caught:
        load(tmp_path, to="[c0, c1] = [a0, a1] - [b0, b1]")
    assert str(caught.value) == (
        "mine.toml, rule mine: expected only operations smaller than '[c0, c1] = [a0, a1] - [b0, b1]' "
        "(rewriting must end), got sublo at 2 digits in '[c0, c1] = [a0, a1] - [b0, b1]'"
    )


@pytest.mark.parametrize("left, to, op", [
    ("[c:1, s] = a + b", "[c:1, s] = a + b + (a < a)", "addc"),
    ("s = a - b", "[c:1, s] = a - b", "sub"),
    ("δ = a < b", "δ = a ≤ b", "le"),
    ("c = a · b", "[d, c] = a · b", "mul"),
    ("t = shoup{k}(y, v, v', q)", "[t, _] = butterfly{k}(y, y, v, q, q)", "butterfly"),
])  # fmt: skip
def test_an_operation_may_not_grow_at_its_own_width(tmp_path: Path, left: str, to: str, op: str) -> None:
    with pytest.raises(MomagenError, match=rf"rule mine: expected only operations smaller .*, got {op} at 1 digits"):
        load(tmp_path, **{"from": left, "to": to})


def test_two_rules_are_told_apart(tmp_path: Path) -> None:
    """The second rule of a file is at fault, under its own name and number."""
    path = written(tmp_path, [GOOD, {**GOOD, "name": "other", "id": "99", "to": "c0 = a0"}])
    good, other = load_file(path)
    check_shrinks(good)
    with pytest.raises(MomagenError, match=r"^mine\.toml, rule \(99\) other: expected a name .*, got c1$"):
        check_shrinks(other)


def test_a_table_refuses_a_rule_whenever_its_operation_is_asked_for(tmp_path: Path) -> None:
    """Rules of other operations are not read, so that generation need not wait for them."""
    path = written(tmp_path, [{**GOOD, "to": "c0 = a0"}])
    rules = RuleTable(load_file(path))
    assert rules.of("umin") == []
    for _ in range(2):
        with pytest.raises(MomagenError, match=r"^mine\.toml, rule mine: expected a name .*, got c1$"):
            rules.of(rules.rules[0].op)


@pytest.mark.parametrize("key", ["999", "frobnicate", ""])
def test_an_unknown_rule_is_refused(key: str) -> None:
    got = key or '""'
    with pytest.raises(MomagenError, match=rf"^rule: expected a rule id or name \(20, 21, .*top_bit\), got {got}$"):
        table().find(key)


def test_a_rule_is_found_by_number_and_by_name() -> None:
    assert [rule.name for rule in table().find("22")] == ["add", "add_with_carry"]
    assert [rule.id for rule in table().find("karatsuba")] == ["9"]


TWICE = {"args": "a: w → w", "means": "c = (2 · a) mod 2^w; 0 ≤ c < 2^w"}
BAD_OPERATIONS = {
    "unknown key": ({"mean": "c = a"}, "did you mean means? Expected keys among args, commutes, "),
    "no kinds": ({"args": "a → w"}, "expected arguments and kinds such as y v q: www → w, got a → w"),
    "kinds of others": ({"args": "a b: w → w"}, "expected arguments and kinds such as y v q: www → w, got a b: w → w"),
    "no meaning": ({"means": ""}, "expected what a result is, such as "),
    "no relation": ({"means": "c > a"},
                    "expected what a result is, such as t ≡ y · v (mod q); 0 ≤ t < 2 · q, got c > a"),
    "range of another": ({"means": "c = a; 0 ≤ b < 2"},
                         "'a; 0 ≤ b < 2': expected the rule notation, got ; 0 ≤ b < 2"),
    "open bracket": ({"means": "c = (2 · a"}, "'(2 · a': expected “)”, got the end"),
    "requires": ({"requires": "a <"}, "'a <': expected a name, a number or a bracket, got the end"),
}  # fmt: skip


@pytest.fixture
def operation(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Op]:
    monkeypatch.setattr(operations, "register", lambda op: op)
    return lambda **changes: operations.Declared("twice", {**TWICE, **changes}, "mine.toml").op


def test_a_declared_operation(operation: Callable[..., Op]) -> None:
    assert operation().meaning(4, 0, 9) == (2,) and operation().bounds(4, 0, (1, 9)) == ((0, 15),)
    lazy = operation(means="c ≡ a (mod 3); 0 ≤ c < 6")
    assert lazy.meaning(4, 0, 8) == (2,) and lazy.agrees is not None
    assert [c for c in range(16) if lazy.agrees(4, 0, (8,), (c,))] == [2, 5]


@pytest.mark.parametrize("case", BAD_OPERATIONS)
def test_a_bad_operation(operation: Callable[..., Op], case: str) -> None:
    changes, text = BAD_OPERATIONS[case]
    with pytest.raises(MomagenError) as caught:
        op = operation(**changes)
        assert op.requires(4, 0, 3) and op.meaning(4, 0, 3)
    assert str(caught.value).startswith(f"mine.toml, twice: {text}")
