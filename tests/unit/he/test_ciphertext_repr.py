"""What a ciphertext says of itself: its limbs, its scale, and the bound of its error."""

from __future__ import annotations

import numpy as np
import pytest

from momagen.he.ciphertext import Ciphertext


@pytest.mark.parametrize(("limbs", "text"), [(1, "1 RNS limb of 8192 points"), (3, "3 RNS limbs of 8192 points")])
def test_a_ciphertext_says_what_is_known_of_it(limbs: int, text: str) -> None:
    ciphertext = Ciphertext(np.zeros((2, limbs, 8192), np.uint32), 2.0**28, 2.0**14, 1.5)
    assert ciphertext.error == 2.0**-14
    known = "scale 2^28.00, error at most 6.1e-05, numbers up to 1.5"
    assert repr(ciphertext) == f"<momagen ciphertext of 4096 numbers: {text}, {known}>"
