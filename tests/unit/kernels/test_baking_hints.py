"""A kernel says where its modulus, baked in, would be reduced by its form."""

import pytest

from momagen.kinds.modular.derived.hints import hints
from momagen.kinds.modular.make_spec import make_spec
from momagen.params import known_fields

GOLDILOCKS = "q = 2^64 - 2^32 + 1"
MODULI = {name: field.modulus for name, field in known_fields().items()}
MODULI |= {"p224": 2**224 - 2**96 + 1, "largest": 2**60 - 93}
CASES = [
    ("ntt", "goldilocks", "avx2", GOLDILOCKS),
    ("ntt", "goldilocks", "c64", GOLDILOCKS),
    ("polymul", "goldilocks", "avx512", GOLDILOCKS),
    ("ntt", "goldilocks", "avx512ifma", ""),  # on digits, which are as good
    ("ntt", "goldilocks", "c", ""),  # whole products and carries: Montgomery's is as good
    ("ntt", "babybear", "avx2", ""),
    ("vmul", "curve25519", "c", "q = 2^255 - 19"),
    ("vmul", "p224", "c", "q = 2^224 - 2^96 + 1"),
    ("vmul", "largest", "c", ""),  # only the largest of its width
    ("vmul", "bn254-r", "c", ""),  # of no form
    ("vadd", "curve25519", "c", ""),  # a sum does not ask
]


@pytest.mark.parametrize(("kind", "name", "target", "form"), CASES)
def test_says_what_baking_gains(kind, name, target, form):
    asked = {"n": 64} if kind in ("ntt", "polymul") else {}
    asked |= {"modulus": MODULI[name], "target": target}
    said = list(hints(make_spec(kind, **asked)))
    assert [text.rpartition("form of ")[2] for text in said] == [form] * bool(form)
    assert not list(hints(make_spec(kind, **asked, options={"bake": "yes"})))
