"""CROSS (github.com/EfficientPPML/CROSS), called where it lies, in ``CROSS_ROOT``: nothing is copied or changed."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
import warnings
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace

from .entries import Missing

ROOT = "CROSS_ROOT"
FOLDERS = ("jaxite_word", "jaxite_word/pedagagy")
MODULES = ("util", "finite_field", "ntt_sm", "ntt_mm", "bconv", "bat", "modular_reduction", "ntt")
"""What contestants call, and what that imports."""
STAND_INS = {"curses": ("tigetflag",)}
"""Modules that a Python may lack, and the names that CROSS imports of them and never uses."""


def named() -> bool:
    """Whether the folder is named."""
    return bool(os.environ.get(ROOT))


@cache
def load() -> SimpleNamespace:
    """Its modules, which switch JAX to numbers of 64 bits.

    Raises:
        Missing: the folder is not named, is not CROSS, or does not import here.
    """
    if not named():
        raise Missing(f"{ROOT} is unset")
    folders = [Path(os.environ[ROOT]) / each for each in FOLDERS]
    if not all(folder.is_dir() for folder in folders):
        raise Missing(f"no {FOLDERS[-1]} in {ROOT}")
    sys.path[:0] = [str(folder) for folder in folders if str(folder) not in sys.path]
    _stand_in()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
    except ImportError as error:
        raise Missing(f"CROSS does not import: {error}") from None


def _stand_in() -> None:
    for name, needed in STAND_INS.items():
        if importlib.util.find_spec(f"_{name}") is None and name not in sys.modules:
            made = ModuleType(name)
            vars(made).update(dict.fromkeys(needed))
            sys.modules[name] = made


def version() -> str:
    """A digest of the files that are called, or why they are not."""
    try:
        modules = vars(load()).values()
    except Missing as missing:
        return str(missing)
    texts = (Path(str(module.__file__)).read_bytes() for module in modules)
    return f"sha256 {hashlib.sha256(b''.join(texts)).hexdigest()[:16]} of {', '.join(MODULES)}"
