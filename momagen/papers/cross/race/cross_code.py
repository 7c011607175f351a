"""The code of CROSS (github.com/EfficientPPML/CROSS), in the folder ``CROSS_ROOT``; nothing is copied or changed."""

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

from .entries import MissingContestant

ROOT = "CROSS_ROOT"
FOLDERS = ("jaxite_word", "jaxite_word/pedagagy")
MODULES = ("util", "finite_field", "ntt_sm", "ntt_mm", "bconv", "bat", "modular_reduction", "ntt")
"""The modules that contestants call, and the modules that these import."""
STAND_INS = {"curses": ("tigetflag",)}
"""The modules that a Python may lack, and the names that CROSS imports from them and never uses."""


def named() -> bool:
    """Return whether ``CROSS_ROOT`` is set."""
    return bool(os.environ.get(ROOT))


@cache
def load() -> SimpleNamespace:
    """Return the modules of CROSS, which switch JAX to 64-bit numbers.

    Raises:
        MissingContestant: The folder is not named, is not CROSS, or cannot be imported.
    """
    if not named():
        raise MissingContestant(f"{ROOT} is unset")
    folders = [Path(os.environ[ROOT]) / each for each in FOLDERS]
    if not all(folder.is_dir() for folder in folders):
        raise MissingContestant(f"no {FOLDERS[-1]} in {ROOT}")
    sys.path[:0] = [str(folder) for folder in folders if str(folder) not in sys.path]
    _stand_in()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
    except ImportError as error:
        raise MissingContestant(f"CROSS does not import: {error}") from None


def _stand_in() -> None:
    for name, needed in STAND_INS.items():
        if importlib.util.find_spec(f"_{name}") is None and name not in sys.modules:
            made = ModuleType(name)
            vars(made).update(dict.fromkeys(needed))
            sys.modules[name] = made


def version() -> str:
    """Return a digest of the imported files, or the reason why they cannot be imported."""
    try:
        modules = vars(load()).values()
    except MissingContestant as missing:
        return str(missing)
    texts = (Path(str(module.__file__)).read_bytes() for module in modules)
    return f"sha256 {hashlib.sha256(b''.join(texts)).hexdigest()[:16]} of {', '.join(MODULES)}"
