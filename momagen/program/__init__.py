"""Programs: functions with loops on arrays of words, as data that is independent of a language.

:mod:`momagen.lower` builds programs, and :mod:`momagen.emit` prints them in the language of a target. The
interpreter runs them on Python integers to test the printers.
"""

from __future__ import annotations

from .build import Function
from .expressions import Binary, Call, Choice, Element, Expr, Name, Number, Real, Same, Type, choice, least, number
from .program import Field, Program
from .statements import (
    Again,
    Array,
    Assign,
    Become,
    Begin,
    Clear,
    Copy,
    Do,
    Each,
    If,
    Let,
    Load,
    LoadHalves,
    Prefetch,
    Return,
    RoundToNearest,
    Run,
    Scope,
    Statement,
    Static,
    Store,
    StoreHalves,
    Switch,
    Table,
    While,
    Woven,
)

__all__ = [
    "Again", "Array", "Assign", "Become", "Begin", "Binary", "Call", "Choice", "Clear", "Copy", "Do", "Each",
    "Element", "Expr", "Field", "Function", "If", "Let", "Load", "LoadHalves", "Name", "Number", "Prefetch",
    "Program", "Real", "Return", "RoundToNearest", "Run", "Same", "Scope", "Statement", "Static", "Store",
    "StoreHalves", "Switch", "Table", "Type", "While", "Woven", "choice", "least", "number",
]  # fmt: skip
