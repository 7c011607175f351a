"""The record of a kernel's options: reading, writing, and its agreement with the types that makers show."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest

import momagen as mg
from momagen.errors import MomagenError
from momagen.kinds.modular.lists import MADE
from momagen.kinds.modular.make_spec import modular_kind
from momagen.kinds.modular.options.declared import OptionGroup
from momagen.kinds.modular.options.reading import FREE, read_options
from momagen.kinds.modular.options.record import KernelOptions
from momagen.kinds.modular.options.values import OPTIONS
from momagen.plan.schedule.codec import canonical

SAMPLES = {
    "factors": ("4x16", "2"), "form_bits": ("64", "0"), "threads": ("1", "1024"),
    "schedule": (canonical(mg.ntt(8, modulus_bits=30).schedule),),
}  # fmt: skip
"""Values of the options whose values no list contains."""


@pytest.mark.parametrize("kind", MADE)
def test_every_value_of_every_kind_is_read_and_written_back(kind: str) -> None:
    own = modular_kind(kind)
    for option in own.option_values:
        for text in SAMPLES.get(option) or own.option_values[option]:
            found = read_options(own, {option: text})
            assert found.texts() == {option: text} and found.names() == (option,)
            assert read_options(own, found.to_dict()) == read_options(own, found) == found


def test_values_have_the_types_of_python() -> None:
    given = {"radix": "8", "bake": "yes", "prefetch": "no", "factors": "128x512", "form_bits": "64", "threads": "4",
             "input_factor": "any", "output_factor": "2", "multiply": "karatsuba"}  # fmt: skip
    assert read_options(None, given) == KernelOptions(
        radix=8, bake=True, prefetch=False, factors=(128, 512), form_bits=64, threads=4, input_factor="any",
        output_factor=2, multiply="karatsuba",
    )  # fmt: skip
    alike = {"radix": np.int64(8), "bake": True, "prefetch": False, "factors": [128, 512], "threads": 4}
    ntt = modular_kind("ntt")
    same = read_options(ntt, {name: given[name] for name in alike})
    assert read_options(ntt, alike) == same and hash(same) == hash(read_options(ntt, alike))


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("ntt", {"radix": 3}, "radix: expected one of 2, 4, 8, 16, got 3"),
        ("ntt", {"radix": True}, "radix: expected one of 2, 4, 8, 16, got yes"),
        ("vadd", {"radix": 2}, "`radix` does not apply to vadd"),
        ("vadd", {"factors": "4x16"}, "`factors` does not apply to vadd"),
        ("ntt", {"speed": 9}, "options: expected one of the options .*, got speed"),
        ("ntt", {"factors": (3, 5)}, "factors: expected powers of two"),
        ("ntt", {"threads": 0}, "threads: expected a number from 1 to 1024, got '?0"),
        ("vmul", {"form_bits": "many"}, "form_bits: expected the number of bits"),
        ("ntt", {"bake": object}, "bake: expected a string, a number or a list"),
    ],
)  # fmt: skip
def test_what_is_no_option_or_no_value_is_refused(kind: str, given: dict[str, object], message: str) -> None:
    with pytest.raises(MomagenError, match=message):
        read_options(modular_kind(kind), given)


def test_every_option_has_values_or_a_function_that_reads_them() -> None:
    assert {name for name, known in OPTIONS.items() if not known} == FREE.keys() == SAMPLES.keys()


def test_options_are_selected_by_name_and_by_group() -> None:
    options = KernelOptions(radix=4, levels=3, limbs="reduced", carry="signed", prefetch=False)
    assert options.names(OptionGroup.TILING, OptionGroup.LIMBS) == ("levels", "prefetch", "limbs")
    assert options.rule_choices() == {"carry": "signed"}
    assert options.only(["radix", "dense"]) == KernelOptions(radix=4)
    assert options.without("radix", "levels", "limbs", "dense") == KernelOptions(carry="signed", prefetch=False)
    assert options.updated(KernelOptions(radix=8, chain=16)) == replace(options, radix=8, chain=16)
    assert options.phrases() == ["carry signed", "levels 3", "limbs reduced", "prefetch no", "radix 4"]
    assert KernelOptions().names() == () and KernelOptions().texts() == {}


def test_signatures_of_makers_list_the_values() -> None:
    shown = inspect.signature(mg.ntt).parameters
    assert shown["radix"].annotation == "Literal[2, 4, 8, 16] | None" and shown["threads"].annotation == "int | None"
    assert shown["factors"].annotation == "str | tuple[int, ...] | None"
