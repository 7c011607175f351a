"""Certificates as files: what was proven of which kernel, and the steps of the proof."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from momagen.errors import MomagenError, reason
from momagen.files import write

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
"""The version of the format, which changes when the meaning of a field or step changes."""
SUFFIX = ".proof.json.gz"
"""The end of the name of a certificate; its beginning is the name of the kernel."""
FIELDS = {"name": str, "claim": str, "inputs": str, "version": str, "seconds": float, "sessions": list}
"""The fields of a certificate, with their types in JSON."""


@dataclass(frozen=True)
class Certificate:
    """The proof of a kernel's claim.

    Attributes:
        name: The kernel.
        claim: What was proven.
        inputs: The SHA-256 hash of the manifest and of the preprocessed sources, as hexadecimal digits.
        version: The version of momagen that found the proof.
        seconds: The time that this took.
        sessions: For each checker, in the order of their creation, the steps that answer its questions.
    """

    name: str
    claim: str
    inputs: str
    version: str
    seconds: float
    sessions: list[Any]

    def save(self, folder: Path) -> Path:
        """Write the certificate into a folder, compressed, and return its path."""
        path = place_of(folder, self.name)
        text = json.dumps({"format": FORMAT, **asdict(self)}, separators=(",", ":"), ensure_ascii=False)
        write(path, gzip.compress(text.encode(), mtime=0))
        return path


def place_of(folder: Path, name: str) -> Path:
    """Return the path of the certificate of a kernel in a folder."""
    return folder / f"{name}{SUFFIX}"


def load(path: Path) -> Certificate:
    """Read a certificate.

    Raises:
        MomagenError: There is none, or it is no certificate of this version.
    """
    try:
        content = json.loads(gzip.decompress(path.read_bytes()))
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise MomagenError(f"a certificate (NAME{SUFFIX})", path, "check", reason(error)) from None
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise MomagenError(f"a certificate in format {FORMAT}", "other content", str(path))
    if content.keys() != FIELDS.keys() or any(type(content[key]) is not kind for key, kind in FIELDS.items()):
        raise MomagenError(f"the fields {', '.join(FIELDS)}", "others", str(path))
    return Certificate(**content)
