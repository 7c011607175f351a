"""Arguments of operators on ciphertexts that are no integers or numbers."""

from __future__ import annotations

from typing import Any

import pytest

from momagen.errors import MomagenError
from momagen.he.parameters import HeParameters
from momagen.he.scheme import Ckks

ODD: list[Any] = [None, 1.5, "x", [1], 10**5000]


@pytest.mark.parametrize("steps", ODD, ids=lambda value: type(value).__name__)
def test_rotations_by_no_integer_are_refused(steps: Any) -> None:
    scheme, x = object.__new__(Ckks), object()  # refused before either is read
    with pytest.raises(MomagenError, match="steps"):
        scheme.rotate(x, steps)  # type: ignore[arg-type]
    with pytest.raises(MomagenError, match="limbs"):
        scheme.rescale(x, steps)  # type: ignore[arg-type]
    with pytest.raises(MomagenError, match="limbs"):
        scheme.drop(x, steps)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["degree", "limbs", "bits", "digits"])
def test_parameters_are_whole_numbers(name: str) -> None:
    for odd in ODD:
        with pytest.raises(MomagenError, match=f"parameters, {name}"):
            HeParameters(**{"degree": 64, "limbs": 2, "bits": 28, "digits": 2, name: odd})
