"""Shared libraries of peers: a harness with the library's sources, compiled by a C compiler, cargo or go."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

from momagen import processes
from momagen.errors import MomagenError
from momagen.runtime import cache, find_compiler

from .tables import PEERS, Peer, PeerWay

LINKED = ("-O3", "-std=gnu11", "-shared", "-fPIC", "-Wl,--no-undefined")
CARGO = Path.home() / ".cargo" / "bin" / "cargo"
TOLD = 6
"""Lines of a refusal."""
PROFILE = '[profile.release]\nlto = "fat"\ncodegen-units = 1\n\n[workspace]\n'


def build_peer(peer: Peer, build: str) -> Path:
    """The shared library of a build ("avx2", "avx512"), made anew where what it is made of changed.

    Raises:
        MomagenError: the sources or the compiler are missing, or the compiler refuses.
    """
    root, way = peer.found()
    if build not in peer.builds:
        raise MomagenError(f"one of its builds, {', '.join(peer.builds)}", build, peer.title, "not raced")
    place = cache.root() / "peers" / f"{peer.name}-{build}"
    place.mkdir(parents=True, exist_ok=True)
    by = _by_go if way.module else _by_cargo if way.crates else _by_compiler
    return by(peer, build, root, way, place)


def _by_compiler(peer: Peer, build: str, root: Path, way: PeerWay, place: Path) -> Path:
    texts = {**way.files, **{to: _filled(root / of) for of, to in way.fill.items()}, **_undefined(root, way)}
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8")
    sources = [path for pattern in way.sources for path in sorted(root.glob(pattern))]
    flags = [flag.format(root=root) for flag in way.flags]
    compiler = find_compiler()
    command = [
        *compiler.command, *LINKED, *peer.builds[build]["flags"], f"-I{place}", f"-I{PEERS}", str(PEERS / peer.source),
        *map(str, sources), *flags,
    ]  # fmt: skip
    read = [PEERS / peer.source, *PEERS.glob("*.h"), *sources]
    key = cache.key(compiler.version, *command, *texts.values(), *(path.read_text(encoding="utf-8") for path in read))
    library = place / f"lib{peer.name}-{key}.so"
    if not library.exists():
        made = place / f"{os.getpid()}.so"
        _run([*command, "-o", str(made)], peer)
        made.replace(library)
    return library


def _filled(path: Path) -> str:
    return re.sub(r"@\w+@", "0", path.read_text(encoding="utf-8"))


def _undefined(root: Path, way: PeerWay) -> dict[str, str]:
    """Return sources, by their names, without the definitions of the macros that the harness defines instead."""
    return {
        Path(of).name: re.sub(rf"(?m)^#define {macro}\b.*$", "", (root / of).read_text(encoding="utf-8"))
        for of, macro in way.undefine.items()
    }


def _by_cargo(peer: Peer, build: str, root: Path, way: PeerWay, place: Path) -> Path:
    row = peer.builds[build]
    _renew(place / "Cargo.toml", manifest(peer, root, way, row.get("features", [])))
    (place / "src").mkdir(exist_ok=True)
    _renew(place / "src" / "lib.rs", (PEERS / peer.source).read_text(encoding="utf-8"))
    found = shutil.which("cargo") or (str(CARGO) if CARGO.exists() else "")
    if not found:
        raise MomagenError("cargo, from rustup.rs", "none", peer.title, "not raced")
    environment = {**os.environ, "RUSTFLAGS": " ".join(row.get("flags", [])), "CARGO_TARGET_DIR": str(place / "target")}
    _run([found, "build", "--release", "--manifest-path", str(place / "Cargo.toml")], peer, environment)
    return place / "target" / "release" / f"lib{peer.name}.so"


def _by_go(peer: Peer, build: str, root: Path, way: PeerWay, place: Path) -> Path:
    """Build the harness as a shared library; gnark-crypto chooses instructions at run time, so all builds are equal."""
    if not (go := shutil.which("go")):
        raise MomagenError("go, from go.dev", "none", peer.title, "not raced")
    requirement = f"require {way.module} v0.0.0\n\nreplace {way.module} => {root}\n"
    _renew(place / "go.mod", f"module {peer.name}\n\ngo 1.25\n\n{requirement}")
    _renew(place / "main.go", (PEERS / peer.source).read_text(encoding="utf-8"))
    library = place / f"lib{peer.name}.so"
    _run([go, "build", "-C", str(place), "-mod=mod", "-buildmode=c-shared", "-o", str(library)], peer)
    return library


def manifest(peer: Peer, root: Path, way: PeerWay, features: list[str]) -> str:
    """The text of Cargo.toml for a harness on crates of the folder ``root``."""
    chosen = f", default-features = false, features = {json.dumps(features)}" if features else ""
    crates = [f"{name} = {{ path = {json.dumps(str(root / at))}{chosen} }}\n" for name, at in way.crates.items()]
    package = f'[package]\nname = "{peer.name}"\nversion = "0.0.0"\nedition = "2021"\n\n'
    return f'{package}[lib]\ncrate-type = ["cdylib"]\n\n[dependencies]\n{"".join(crates)}\n{PROFILE}'


def _renew(path: Path, text: str) -> None:
    """Leave a file alone that has the text: cargo goes by times."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _run(command: list[str], peer: Peer, environment: dict[str, str] | None = None) -> None:
    done = processes.run(command, environment=environment)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "error" in line][:TOLD]
        raise MomagenError("sources that compile", "; ".join(said) or f"exit code {done.returncode}", peer.title)
