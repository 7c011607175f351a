"""NVRTC: programs compile without a GPU, and what does not compile is one clear error."""

from __future__ import annotations

from pathlib import Path

import pytest

from momagen.cuda import library, nvrtc
from momagen.cuda.nvrtc import architectures, compile_cuda, nvrtc_version
from momagen.errors import MomagenError

pytestmark = pytest.mark.compiles

COPY = """extern "C" __global__ void copy(const unsigned* x, unsigned* z) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[i] + 1u;
}
"""


@pytest.fixture
def compiler() -> None:
    if nvrtc_version() is None:
        pytest.skip(f"no NVRTC ({library.INSTALL})")


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOMAGEN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_kernel_gives_ptx_machine_code_and_its_registers(compiler: None, empty_cache: Path) -> None:
    made = compile_cuda(COPY, "sm_90")
    assert ".visible .entry copy(" in made.ptx and ".target sm_90" in made.ptx
    assert made.cubin.startswith(b"\x7fELF") and "registers" in made.log
    assert made.version == nvrtc_version() and 0 < made.seconds < 60


def test_a_virtual_architecture_gives_ptx_alone(compiler: None) -> None:
    assert compile_cuda(COPY, "compute_90").cubin == b""


def test_128_bit_integers_need_no_option(compiler: None) -> None:
    source = 'extern "C" __global__ void f(unsigned __int128* x) { x[0] *= x[1]; }'
    assert "mul.hi.u64" in compile_cuda(source).ptx


def test_the_second_compilation_is_read_from_the_cache(
    compiler: None, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = compile_cuda(COPY, "sm_90")
    monkeypatch.setattr(nvrtc, "_compiled", lambda *_: pytest.fail("compiled again"))
    assert compile_cuda(COPY, "sm_90") == first
    with pytest.raises(pytest.fail.Exception):
        compile_cuda(COPY + "// another text", "sm_90")


def test_an_error_names_file_and_line(compiler: None, empty_cache: Path) -> None:
    with pytest.raises(MomagenError, match=r"bad\.cu: expected CUDA C\+\+ .*bad\.cu\(2\).*\"y\" is undefined"):
        compile_cuda("__global__ void f(int* x) {\n x[0] = y; }", name="bad.cu")
    assert not list(empty_cache.glob("kernels/nvrtc-*"))


def test_an_option_that_nvrtc_lacks_is_refused_in_its_words(compiler: None) -> None:
    with pytest.raises(MomagenError, match="INVALID_OPTION"):
        compile_cuda(COPY, options=["--no-such-option"])


@pytest.mark.parametrize("arch", ["sm90", "sm_90; rm", "90", ""])
def test_a_name_that_is_no_architecture_is_refused(arch: str) -> None:
    with pytest.raises(MomagenError, match="architecture: expected an architecture such as sm_90 or compute_90, got"):
        compile_cuda(COPY, arch)


def test_an_architecture_before_its_time_says_which_cuda_knows_it(compiler: None) -> None:
    with pytest.raises(MomagenError, match=r"architectures that .* supports: sm_\d+.*got sm_20.*CUDA 12"):
        compile_cuda(COPY, "sm_20")
    assert "sm_90" in architectures()


def test_without_the_library_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_found", lambda: ())
    with pytest.raises(MomagenError, match="pip install nvidia-cuda-nvrtc"):
        compile_cuda(COPY)
    assert nvrtc_version() is None and architectures() == ()


def test_a_file_that_is_no_library_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libnvrtc.so.12").write_text("not a library")
    monkeypatch.setattr("momagen.cuda.places._wheels", lambda: [tmp_path])
    monkeypatch.setattr("momagen.cuda.places._toolkits", lambda: iter(()))
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    assert library._found.__wrapped__() == ()
