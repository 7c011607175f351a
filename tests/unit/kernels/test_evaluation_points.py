"""Where the values of a transform stand, against evaluation by definition; the inverse; the options as types."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import get_args

import pytest

import momagen as mg
from momagen.cli.commands import kernels
from momagen.cli.parser import commands_of
from momagen.formula.breakdown import ALGORITHMS
from momagen.formula.transforms import RADICES
from momagen.kernels.elementwise.blas import COMPARES
from momagen.kernels.elementwise.frame import CENTRING, PRODUCTS
from momagen.kernels.residues.arith import WIDE
from momagen.kernels.residues.reductions import SCHEMES
from momagen.kinds.modular import typed
from momagen.kinds.modular.commands import COMMANDS
from momagen.kinds.modular.lists import BLAS
from momagen.kinds.modular.make_spec import modular_kind
from momagen.kinds.modular.options.declared import OptionFields, OptionGroup, names_of
from momagen.kinds.modular.options.reading import FREE
from momagen.kinds.modular.options.record import KernelOptions
from momagen.kinds.modular.options.values import OPTIONS
from momagen.kinds.modular.sizes import ORDERS
from momagen.kinds.parameter import parameters_of
from momagen.rewrite import DEFAULTS, table
from momagen.targets.check import UNROLLS

pytestmark = pytest.mark.compiles

SHAPES = [
    {"negacyclic": negacyclic, "order": order, "inverse": inverse}
    for negacyclic in (False, True) for order in ("bitrev", "natural") for inverse in (False, True)
]  # fmt: skip


@pytest.mark.parametrize("n", [2, 8, 64])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_value_is_the_polynomials_at_its_point(n: int, shape: dict[str, object]) -> None:
    k = mg.ntt(n, bits=64, **shape)  # type: ignore[arg-type]
    q, coefficients = k.modulus, [3 * i * i + 1 for i in range(n)]
    found = [sum(c * pow(at, i, q) for i, c in enumerate(coefficients)) % q for at in k.points()]
    assert (k(found) if k.spec.inverse else k(coefficients)) == (coefficients if k.spec.inverse else found)
    assert k.points() == [pow(k.root, e, q) for e in k.order.tolist()]
    assert k.order.shape == (n,) and not k.order.flags.writeable


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_inverse_undoes_it_with_the_same_choices(shape: dict[str, object]) -> None:
    k = mg.ntt(
        16, modulus=193, root=pow(125, 4, 193) if not shape["negacyclic"] else None, radix=2, input_factor=2, **shape
    )  # type: ignore[arg-type]
    back, x = k.inverse(), [*range(100, 116)]
    assert back(k(x)) == x == k(back(x))
    assert (back.modulus, back.root, back.spec.options) == (k.modulus, k.root, KernelOptions(radix=2, input_factor=2))
    assert back.spec.inverse is not k.spec.inverse and back.inverse().spec == k.spec
    assert (back.spec.order, back.spec.negacyclic, back.spec.bits) == (k.spec.order, k.spec.negacyclic, k.spec.bits)


def test_the_inverse_asks_the_same_wisdom_and_takes_no_options_from_the_other_row(tmp_path: Path) -> None:
    file = tmp_path / "wisdom.json"
    tuned = mg.tune("ntt", n=64, bits=64, seconds=1, wisdom=file, compiler=None)
    k = mg.ntt(64, bits=64, wisdom=file)
    back = k.inverse()
    assert tuned and k.wisdom and back.wisdom and back.wisdom.path == file and back.wisdom.row is None
    assert back.spec.options == KernelOptions() and mg.ntt(64, bits=64).inverse().wisdom is None


MAKERS = {
    **{name: (getattr(mg, name), COMMANDS[name].options, (name,)) for name in ("ntt", "polymul", "basemul", "lde")},
    "blas": (mg.blas, COMMANDS["blas"].options, BLAS),
    "tune": (mg.tune, parameters_of(OptionFields), ("ntt", "polymul", *BLAS)),
}  # fmt: skip


@pytest.mark.parametrize("maker", MAKERS)
def test_makers_take_the_options_of_their_kernels(maker: str) -> None:
    function, declared, kernels = MAKERS[maker]
    wanted = {option: {v for k in kernels for v in modular_kind(k).option_values.get(option, ())} for option in OPTIONS}
    written = {option: set(each.values) for option, each in declared.items() if option not in FREE}
    assert written == {option: found for option, found in wanted.items() if found}
    assert not any(OPTIONS[option] for option in FREE)
    shown = inspect.signature(function).parameters
    assert {name for name in shown if name in OPTIONS} == {*declared} and "options" not in shown


def test_the_types_of_options_are_what_rules_and_kernels_choose_by() -> None:
    found: dict[str, set[str]] = {option: {value} for option, value in DEFAULTS.items()}
    for rule in table():
        option, _, value = rule.choice.partition(":")
        found.setdefault(option, set()).add(value)
    own = ("", "digits", "words")  # no choice, or one that a machine makes
    rules = {option: known for option, known in found.items() if option not in own and len(known) > 1}
    assert rules == {option: set(OPTIONS[option]) for option in names_of(OptionGroup.RULES)}
    tables = {
        "algorithm": ALGORITHMS, "radix": map(str, RADICES), "unroll": UNROLLS, "cmp": COMPARES,
        "reduction": (*SCHEMES, WIDE, *PRODUCTS),
    }  # fmt: skip
    assert {option: set(known) for option, known in tables.items()} == {name: set(OPTIONS[name]) for name in tables}


def test_switches_may_be_bool_and_none_is_nothing() -> None:
    assert mg.ntt(8, bits=64, bake=True, radix=None).spec.options == KernelOptions(bake=True)
    assert mg.ntt(8, bits=64, bake=False).spec.options == KernelOptions()  # it restates the default


def test_names_that_are_none_suggest_arguments_and_options() -> None:
    for name, meant in (
        ("bit", "bits"),
        ("negacylic", "negacyclic"),
        ("radxi", "radix"),
        ("modulusbits", "modulus_bits"),
    ):
        with pytest.raises(mg.MomagenError, match=rf"^ntt\(\): did you mean {meant}\? .*, got {name}$"):
            mg.ntt(8, **{"bits": 64, name: 3})  # type: ignore[arg-type]


def test_what_help_lists_without_the_tables_is_what_they_hold() -> None:
    assert get_args(typed.Elementwise) == BLAS and get_args(typed.Order) == ORDERS
    assert set(kernels.OPTIONS) == set(OPTIONS)
    assert parameters_of(OptionFields)["cmp"].param.default.startswith(CENTRING)


@pytest.mark.parametrize("command", ["ntt", "polymul", "basemul", "blas", "tune"])
def test_a_command_offers_the_options_of_its_maker_and_explains_no_value_that_it_does_not_take(command: str) -> None:
    actions = {action.dest: action for action in dict(commands_of())[command]._actions}
    taken = {name: each.values for name, each in MAKERS[command][1].items()}
    assert {option for option in OPTIONS if option in actions} == set(taken)
    for option, each in parameters_of(OptionFields).items():
        notes = each.param.notes
        text = str(actions[option].help) if option in actions else ""
        shown = {value for value in notes if f" {value}: " in text}
        assert shown == set(notes) & set(taken.get(option, ()))
    assert "barrett" in taken["reduction"] or "barrett" not in str(actions["reduction"].help).lower()
