"""The variables of PTX code in global and constant memory, as arrays."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..syntax.operands import read_number
from ..syntax.parts import SIZES, PtxVariable, refused

LETTERS = {"b": "u", "u": "u", "s": "i", "f": "f"}
ADDRESS = re.compile(r"(?:generic\(\s*)?([$%_A-Za-z][\w$]*)\s*\)?\s*(?:\+\s*(\d+))?$")


def make_symbols(variables: Sequence[PtxVariable]) -> dict[str, NDArray[Any]]:
    """Return each variable as an array with its initial values, some of which are addresses of other variables.

    Raises:
        MomagenError: An initial value has another form.
    """
    arrays: dict[str, NDArray[Any]] = {
        each.name: np.zeros(max(each.count, 1), f"{LETTERS[each.type[0]]}{SIZES[each.type]}") for each in variables
    }
    for each in variables:
        _fill(each, arrays)
    return arrays


def _fill(variable: PtxVariable, arrays: Mapping[str, NDArray[Any]]) -> None:
    array = arrays[variable.name]
    bits, size = array.view(f"u{SIZES[variable.type]}"), SIZES[variable.type]
    for i, text in enumerate(variable.initial):
        number = read_number(text)
        if number is None and size == 8 and (found := ADDRESS.match(text)) and found[1] in arrays:
            bits[i] = arrays[found[1]].ctypes.data + int(found[2] or 0)
        elif number is None or (bool(number.real) != (variable.type[0] == "f") and number.value):
            raise refused(f"an initial value of type {variable.type}", text, 0, variable.name)
        else:
            bits[i] = number.value % (1 << 8 * size)
