"""Wisdom on disk and in use: read, merged, refused, written by several at once, asked and not asked."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import momagen as mg
from momagen import MomagenError, __version__
from momagen.bench.measure.sample import Spread
from momagen.cli import main
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.options.record import KernelOptions
from momagen.kinds.modular.spec import Spec
from momagen.runtime import find_compiler
from momagen.tune import Wisdom, advice, advise, compilers, row
from momagen.tune.row import WisdomRow, key_for, parse_row, row_of
from momagen.tune.wisdom import parse, read, update
from momagen.tune.wish import default_path

GAIN = Spread(1.25, 1.2, 1.3, 101)


def spec_of(**more: Any) -> Spec:
    return make_spec("ntt", **{"n": 64, "bits": 128, **more})


def row_for(spec: Spec, options: dict[str, str] | None = None, by: str = "") -> WisdomRow:
    key = key_for(spec, find_compiler())
    found = {"radix": "2"} if options is None else options
    return row_of(key, found, by or key.compiler, GAIN, "cycles per butterfly", (10.0, 8.0))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A wisdom file with one row, for a transform of 64 points."""
    path = tmp_path / "wisdom.json"
    update(path, lambda known: known.merged([row_for(spec_of())]))
    return path


# Files


def test_what_is_written_is_read(file: Path) -> None:
    assert read(file).rows == (row_for(spec_of()),)
    assert file.read_text().startswith('{\n  "momagen wisdom": 3,\n  "rows": [\n    {\n      "kernel": "ntt",\n')
    assert '"radix": "2"' in file.read_text()


KEYS = (
    "kernel modulus_bits n columns inverse negacyclic order target given modulus cpu compiler options by ratio unit"
    " default tuned momagen"
)
"""The keys of a row in files of version 3, which must stay readable."""


def test_rows_have_the_keys_of_the_format() -> None:
    plain, moved = row_for(spec_of()), row_for(spec_of(coset=5))
    assert {*plain.to_dict()} == {*KEYS.split()} and {*moved.to_dict()} == {*KEYS.split(), "coset"}
    assert parse_row(moved.to_dict(), "row 1", Path("wisdom.json")) == moved
    assert moved.label == "ntt, 124-bit modulus, n = 64, coset 5, c"


def test_the_automorphism_changes_no_key() -> None:
    """It changes only the tables, so that the options for other automorphisms serve it, too."""
    assert key_for(spec_of(automorphism=5), find_compiler()) == key_for(spec_of(), find_compiler())


def test_no_file_is_no_wisdom(tmp_path: Path) -> None:
    assert read(tmp_path / "none.json") == Wisdom()
    with pytest.raises(MomagenError, match=r"none.json: there is no such wisdom file; create one with"):
        read(tmp_path / "none.json", needed=True)


def test_the_new_row_replaces_the_old_and_order_is_of_no_account() -> None:
    a, b = row_for(spec_of()), row_for(spec_of(n=128))
    newer = replace(a, options={"unroll": "4"})
    assert Wisdom().merged([a, b]).rows == Wisdom().merged([b]).merged([a]).rows
    assert set(map(str, Wisdom().merged([a, b]).merged([newer]).rows)) == {str(newer), str(b)}
    assert Wisdom().merged([a, b]).without(lambda row: row.n == 64).rows == (b,)


@pytest.mark.parametrize(
    "other",
    [
        {"n": 128}, {"bits": 64}, {"inverse": True}, {"negacyclic": True}, {"order": "natural"}, {"target": "c64"},
        {"columns": 4}, {"coset": 5}, {"options": {"multiply": "karatsuba"}}, {"options": {"bake": "yes"}},
    ],
)  # fmt: skip
def test_another_kernel_is_another_key(other: dict[str, Any]) -> None:
    known = Wisdom().merged([row_for(spec_of())])
    assert known.find(key_for(spec_of(), find_compiler()))
    assert not known.find(key_for(spec_of(**other), find_compiler()))


def test_another_modulus_of_the_length_is_the_same_key() -> None:
    first = spec_of()
    q = mg.ntt(128, bits=128).modulus
    assert q != first.modulus and q.bit_length() == first.width
    known = Wisdom().merged([row_for(first)])
    assert known.find(key_for(spec_of(bits=None, modulus=q), find_compiler()))
    baked = {"options": {"bake": "yes"}}
    known = Wisdom().merged([row_for(spec_of(**baked))])
    assert not known.find(key_for(spec_of(bits=None, modulus=q, **baked), find_compiler()))


def test_another_cpu_or_compiler_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    known, compiler = Wisdom().merged([row_for(spec_of())]), find_compiler()
    assert not known.find(key_for(spec_of(), replace(compiler, version="clang 99")))
    monkeypatch.setattr(row, "cpu", lambda: "another CPU")
    assert not known.find(key_for(spec_of(), compiler))


def test_a_target_file_is_known_by_its_contents(tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    target.write_text('inherits = "c"\nname = "mine"\ntitle = "one"\n')
    first = key_for(spec_of(target=str(target)), find_compiler())
    other = tmp_path / "other" / "mine.toml"
    other.parent.mkdir()
    other.write_text('inherits = "c"\nname = "mine"\ntitle = "two"\n')
    assert first.target.startswith("mine ")
    assert key_for(spec_of(target=str(other)), find_compiler()).target != first.target


def test_the_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert default_path() == tmp_path / ".config" / "momagen" / "wisdom.json"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert default_path() == tmp_path / "xdg" / "momagen" / "wisdom.json"
    monkeypatch.setenv("MOMAGEN_WISDOM", "~/mine.json")
    assert default_path() == tmp_path / "mine.json"


def changed(**fields: object) -> Callable[[dict[str, Any]], object]:
    return lambda raw: raw["rows"][0].update(fields)


def dropped(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda raw: raw["rows"][0].pop(name)


FILE = "{file}"
LABEL = r"row 1 \(ntt, 124-bit modulus, n = 64, c\)"
BROKEN: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "version": (lambda raw: raw.update({"momagen wisdom": 4}), "{file}, momagen wisdom: expected version 3, got 4$"),
    "older": (
        lambda raw: raw.update({"momagen wisdom": 1}),
        r"{file}, momagen wisdom: expected version 3, got 1 \(an older version of momagen wrote it; delete it and",
    ),
    "no version": (lambda raw: raw.pop("momagen wisdom"), "{file}: expected a table with the key “momagen wisdom”"),
    "rows": (lambda raw: raw.update(rows={}), "{file}: expected the keys momagen wisdom and rows, which is a list"),
    "a row": (lambda raw: raw["rows"].insert(0, 3), "{file}, row 1: expected a table, got 3"),
    "missing": (dropped("cpu"), "{file}, row 1: expected the key “cpu”, got kernel, modulus_bits, "),
    "unknown": (changed(colour="red"), "{file}, row 1: expected only the keys kernel, modulus_bits, .*, got colour"),
    "kind": (changed(n="64"), "{file}, row 1, n: expected an integer, got '64'"),
    "truth": (changed(n=True), "{file}, row 1, n: expected an integer, got True"),
    "ratio": (changed(ratio={"median": 1}), "{file}, row 1, ratio: expected the key “low”, got median"),
    "option": (changed(options={"speed": "9"}), f"{FILE}, {LABEL}, options: expected one of the options .*, got speed"),
    "value": (changed(options={"radix": "3"}), f"{FILE}, {LABEL}, radix: expected one of 2, 4, 8, 16, got 3"),
    "no text": (changed(options={"radix": 2}), "{file}, row 1, options: expected options whose values are strings"),
    "another result": (
        changed(options={"output_factor": "2"}),
        f"{FILE}, {LABEL}, options: expected one of the options .*, got output_factor",
    ),
    "given": (changed(given={"speed": "9"}), r"{file}, row 1 \(.*\), options: expected one of the options .* speed"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_named_and_stays(case: str, file: Path) -> None:
    change, message = BROKEN[case]
    raw = json.loads(file.read_text())
    change(raw)
    file.write_text(json.dumps(raw))
    before = file.read_bytes()
    for use in (read, lambda path: update(path, lambda known: known.merged([row_for(spec_of(n=8))]))):
        with pytest.raises(MomagenError, match=message.replace("{file}", str(file))):
            use(file)
    assert file.read_bytes() == before and list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "wisdom in JSON, got Expecting"), ("[]", "got a list"), ("", "wisdom in JSON, got Expecting")],
)
def test_no_wisdom_at_all(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(MomagenError, match=message):
        parse(text, tmp_path / "w.json")


def test_no_text_at_all(tmp_path: Path) -> None:
    (tmp_path / "w.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MomagenError, match=r"the wisdom file cannot be read .'utf-8' codec"):
        read(tmp_path / "w.json")


def test_a_file_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(MomagenError, match="wisdom: expected a wisdom file that can be written"):
        update(tmp_path / "file" / "w.json", lambda known: known)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_link_stays_a_link(file: Path) -> None:
    link = file.with_name("link.json")
    link.symlink_to(file)
    update(link, lambda known: known.merged([row_for(spec_of(n=128))]))
    assert link.is_symlink() and len(read(file).rows) == 2


WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from momagen.tune.wisdom import read, update
path, first = Path(sys.argv[1]), int(sys.argv[2])
(row,) = (row for row in read(path).rows if row.n == 64)
for n in range(first, first + 25):
    update(path, lambda known: known.merged([replace(row, n=n)]))
"""


@pytest.mark.thorough
def test_writers_at_once_lose_nothing(file: Path) -> None:
    package = str(Path(mg.__file__).parent.parent)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(file), str(first)], env={"PYTHONPATH": package})
        for first in (1000, 2000, 3000)
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert {row.n for row in read(file).rows} == {64} | {first + i for first in (1000, 2000, 3000) for i in range(25)}
    assert list(file.parent.iterdir()) == [file]  # neither locks nor halves


# Use


def test_nothing_is_asked_unless_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = mg.ntt(64, bits=128)
    assert plain.wisdom is None and "wisdom" not in plain.explain()
    tuned = mg.ntt(64, bits=128, wisdom=file)
    assert tuned.spec.options == KernelOptions(radix=2) and tuned.source == mg.ntt(64, bits=128, radix=2).source
    monkeypatch.setenv("MOMAGEN_WISDOM", str(file))
    for wish in (None, True):
        assert mg.ntt(64, bits=128, wisdom=wish).source == tuned.source
    assert mg.ntt(64, bits=128, wisdom=False).source == plain.source
    monkeypatch.setenv("MOMAGEN_WISDOM", "")
    assert mg.ntt(64, bits=128).source == plain.source


@pytest.mark.parametrize("text", [None, "{"], ids=["missing", "broken"])
def test_a_file_that_is_named_must_be_there(text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual place may be empty; one that the variable names, or the caller, is not passed over."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert mg.ntt(64, bits=128, wisdom=True).spec.options == KernelOptions()
    path = tmp_path / "named.json"
    if text:
        path.write_text(text)
    monkeypatch.setenv("MOMAGEN_WISDOM", str(path))
    for wish in (None, True, path):
        with pytest.raises(MomagenError, match=r"named\.json: "):
            mg.ntt(64, bits=128, wisdom=wish)
    assert mg.ntt(64, bits=128, wisdom=False).spec.options == KernelOptions()


def test_options_of_digits_are_wisdom_too() -> None:
    found = {"quotients": "computed", "constants": "memory", "chain": "8"}
    row = row_for(spec_of(target="avx512ifma"), found)
    known = parse(str(Wisdom().merged([row])), Path("w.json"))
    assert known.rows == (row,) and row.found == "chain 8, constants memory, quotients computed"


@pytest.mark.compiles
def test_a_tuned_kernel_says_so_and_is_right(file: Path) -> None:
    kernel = mg.ntt(64, bits=128, wisdom=file)
    said = f"radix 2, 1.25 × as fast as the default (1.2 … 1.3) ({file})"
    assert kernel.explain().endswith(f"wisdom: {said}") and said in kernel._repr_html_()
    assert "--radix 2" in kernel.source and str(file) not in kernel.source
    assert kernel.verify().ok
    assert kernel.with_modulus(mg.ntt(128, bits=128).modulus).wisdom == kernel.wisdom


def test_where_there_is_no_row(file: Path) -> None:
    kernel = mg.ntt(128, bits=128, wisdom=file)
    assert kernel.spec.options == KernelOptions()
    assert kernel.explain().endswith(f"wisdom: none, for this kernel, CPU and compiler ({file})")


def test_options_of_the_user_are_another_question(file: Path) -> None:
    assert mg.ntt(64, bits=128, wisdom=file, multiply="karatsuba").spec.options == KernelOptions(multiply="karatsuba")


def test_every_maker_asks(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    product, pointwise = make_spec("polymul", n=64, bits=128), make_spec("vmul", bits=128)
    update(path, lambda known: known.merged([row_for(product), row_for(pointwise, {"unroll": "2"})]))
    assert mg.polymul(64, bits=128, wisdom=path).spec.options == KernelOptions(radix=2)
    assert mg.blas("vmul", bits=128, wisdom=path).spec.options == KernelOptions(unroll=2)


def test_another_version_of_momagen_is_no_witness(file: Path) -> None:
    update(file, lambda known: known.merged([replace(known.rows[0], momagen="0.0.1")]))
    said = advise(spec_of(), file)
    assert said and said.row is None and said.spec == spec_of()
    assert said.reason == f"by momagen {__version__}, only by 0.0.1"


@pytest.mark.compiles
def test_another_compiler_counts_where_none_was_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gcc = replace(find_compiler(), kind="gcc", version="gcc 99")
    update(file, lambda known: known.merged([row_for(spec_of(), by="gcc 99")]))
    absent = advise(spec_of(), file)
    assert absent and (absent.row, absent.compiler, absent.reason) == (None, None, "but for gcc 99")
    monkeypatch.setattr(advice, "list_compilers", lambda: [find_compiler(), gcc])
    said = advise(spec_of(), file)
    assert said and said.compiler == gcc and said.spec.options == KernelOptions(radix=2)
    named = advise(spec_of(), file, find_compiler().command[0])
    assert named and named.row is None
    assert mg.ntt(64, bits=128, wisdom=file).compile().compiler == gcc


@pytest.mark.thorough
def test_a_radix_that_is_refused_is_said_of_its_row(file: Path) -> None:
    spec = spec_of(bits=1024, target="avx2")
    update(file, lambda known: known.merged([row_for(spec, {"radix": "16"})]))
    with pytest.raises(MomagenError, match=r"wisdom\.json, .*avx2.*, radix: expected a radix whose codelet"):
        mg.ntt(64, modulus=spec.modulus, root=spec.root, target="avx2", wisdom=file)


@pytest.mark.thorough
@pytest.mark.compiles
def test_a_sweep_says_so_too(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = spec_of(bits=1024, target="avx2")
    update(file, lambda known: known.merged([row_for(spec, {"radix": "16"})]))
    bits = spec.modulus.bit_length()
    main(f"bench --sweep --modulus-bits {bits} --n 64 --target avx2 --plain --repetitions 3 --wisdom {file}".split())
    assert re.search(r"wisdom\.json, .*avx2.*, radix: expected a radix", " ".join(capsys.readouterr().out.split()))


def test_options_that_do_not_fit_the_kernel(file: Path) -> None:
    update(file, lambda known: known.merged([row_for(spec_of(), {"reduction": "barrett"})]))
    where = f"{file}, ntt, 124-bit modulus, n = 64, c, reduction"
    expected = f"{where}: expected one of approximate, lazy, tight, montgomery, got barrett"
    with pytest.raises(MomagenError) as caught:
        mg.ntt(64, bits=128, wisdom=file)
    assert str(caught.value) == expected


def test_a_machine_without_a_compiler_still_generates(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str | None = None) -> None:
        raise MomagenError("a C compiler", "none", "compiler")

    monkeypatch.setattr(compilers, "find_compiler", nothing)
    assert mg.ntt(64, bits=128, wisdom=file).explain().endswith(f"wisdom: none, as no compiler works here ({file})")
