"""CMake projects around a library of kernels: their files, how they are written, and what each text says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import momagen as mg
from momagen.errors import MomagenError
from momagen.packages import Package
from momagen.rns_context import RnsPackage


@pytest.fixture(scope="module")
def small() -> RnsPackage:
    return mg.rns_context("fhe", max_n=8, modulus_bits=[28, 60], mod_up="fast", mod_down="exact", targets=["c"])


def test_files_are_named_for_the_package(small: RnsPackage) -> None:
    assert {"include/fhe.h", "include/fhe.hpp", "src/fhe_context.c", "examples/ckks.cpp", "LICENSE"} <= set(small.files)
    assert "kernels/include/fhe_kernels.h" in small.files
    assert not [path for path in small.files if "NAME" in path or path.endswith(".j2")]
    assert "src/fhe_context.c" in small.files["CMakeLists.txt"]
    assert repr(small) == "<momagen RNS context fhe; polynomials up to n = 8 for c>"


def test_texts_state_the_request(small: RnsPackage) -> None:
    header = " ".join(small.files["include/fhe.h"].split())
    command = (
        "momagen rns --name fhe --max-n 8 --modulus-bits 28,60 --mod-up fast --mod-down exact --targets c --output DIR"
    )
    assert command in header
    assert "#define FHE_MAX_N 8 " in header and "#define FHE_MAX_BITS 60 " in header
    assert "(exact ModDown)" in header and "from one basis to another, by the method fast:" in header
    sources = {path: text for path, text in small.files.items() if re.match(r"(src|include|examples|tests)/", path)}
    assert all("CC0-1.0" in text for text in sources.values())


@pytest.mark.parametrize(
    ("lengths", "kept"),
    [((28,), ["ntt50", "convert28"]), ((60,), ["ntt61", "convert60"]), ((30, 62), ["ntt50", "ntt62"])],
)
def test_only_classes_that_the_lengths_need(lengths: tuple[int, ...], kept: list[str]) -> None:
    made = mg.rns_context("fhe", max_n=8, modulus_bits=lengths, targets=["c"])
    names = {member.name for member in made.library.members}
    assert {*kept} <= names
    transforms = {name for name in names if name.startswith("ntt")}
    assert len(transforms) == len(lengths)


def test_a_changed_folder_is_left_alone_and_an_untouched_one_renewed(small: Package, tmp_path: Path) -> None:
    place = tmp_path / "fhe"
    assert len(small.save(place)) == len(small.files)
    assert small.save(place) == []
    (place / "src" / "fhe_rows.c").write_text("changed", encoding="utf-8")
    with pytest.raises(MomagenError, match="fhe_rows"):
        small.save(place)
