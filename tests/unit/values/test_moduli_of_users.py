"""Lists of moduli as users write them."""

from __future__ import annotations

import pytest

from momagen.errors import MomagenError
from momagen.values.moduli import bases_of


@pytest.mark.parametrize(("text", "moduli"), [("97,193", (97, 193)), ("97,", (97,)), ("0x61,3*2^6+1", (97, 193))])
def test_a_text_with_a_comma_is_a_list(text: str, moduli: tuple[int, ...]) -> None:
    assert bases_of({"moduli": text}, None) == [moduli]


def test_numbers_of_primes_share_no_prime() -> None:
    """251, 241, 239, 233 and 229 are the largest primes of 8 bits."""
    assert bases_of({"moduli": 2, "to": "3"}, 8) == [(251, 241), (239, 233, 229)]


@pytest.mark.parametrize("text", [",", "97,,193", "97,x"])
def test_a_list_without_a_number_at_every_place_is_an_error(text: str) -> None:
    with pytest.raises(MomagenError, match="moduli"):
        bases_of({"moduli": text}, None)
