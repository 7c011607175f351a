"""Reading the processor's features, hiding them, and asking for missing ones."""

from __future__ import annotations

import platform

import pytest

from momagen.runtime import cpu_features, features, missing_features

X86 = "processor\t: 0\nvendor_id\t: x\nflags\t\t: fpu AVX2 avx512f avx512_vbmi2\nvmx flags\t: ept\n\nflags\t\t: other\n"
ARM = "processor\t: 0\nFeatures\t: fp asimd sve\nCPU part\t: 0xd40\n"


@pytest.fixture
def processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOMAGEN_DISABLE", raising=False)
    monkeypatch.setattr(features, "_real_features", lambda: features.parse_cpuinfo(X86) | {"x86_64"})


@pytest.mark.parametrize(
    ("text", "names"),
    [(X86, {"fpu", "avx2", "avx512f", "avx512_vbmi2"}), (ARM, {"fp", "asimd", "sve"}), ("", set())],
)
def test_cpuinfo(text: str, names: set[str]) -> None:
    assert features.parse_cpuinfo(text) == names


def test_this_machine_names_its_architecture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOMAGEN_DISABLE", raising=False)
    assert {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower()) in cpu_features()


@pytest.mark.usefixtures("processor")
def test_missing_features_in_order_under_either_spelling() -> None:
    assert missing_features(["adx", "avx512vbmi2", "avx512_vbmi2", "AVX2", "avx512ifma"]) == ["adx", "avx512ifma"]
    assert missing_features([]) == []


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("disable", ["avx512f,avx512vbmi2", " AVX512F , avx512_vbmi2,,nonsense"])
def test_disable_hides(monkeypatch: pytest.MonkeyPatch, disable: str) -> None:
    monkeypatch.setenv("MOMAGEN_DISABLE", disable)
    assert cpu_features() == {"fpu", "avx2", "x86_64"}
    assert missing_features(["avx2", "avx512f"]) == ["avx512f"]
