"""A transform whose number of points is an argument of create: all sizes in one file, which share what they can."""

from __future__ import annotations

from collections import Counter

from momagen.kernels.spec.spec import Spec
from momagen.lower.writer import host_of
from momagen.targets import load_target

from .c.text import templates, word_numbers
from .codes import CODES, SIZED_CODES, UNKNOWN
from .inner import VERBS, inner, private
from .kernel import kernel
from .ntt import ends, headed, title
from .shared import Shared
from .source import Source, banner_of

PREFIX = "size"
"""Of what a single size calls its plan and its functions."""


def sized_source(spec: Spec) -> Source:
    """The C file and header of the transform of any size up to ``spec.n``."""
    made = {n: kernel(inner(spec.of_size(n), PREFIX)) for n in spec.sizes}
    rules = sum((source.rules_applied for source in made.values()), Counter[str]())
    operations = sum((source.operations for source in made.values()), Counter[str]())
    moduli, codes = _moduli(made), {f"{PREFIX}_{code}".upper(): f"{spec.name}_{code}".upper() for code in CODES}
    shared, rows = Shared(), []
    for n, source in made.items():
        names = shared.add(private(source.source, PREFIX, spec.name), n, codes)
        rows.append({"log_n": n.bit_length() - 1, **{verb: names[f"{PREFIX}_{verb}"] for verb in VERBS}})
    order, half = ("2n", "n") if spec.negacyclic else ("n", "n/2")
    numbers = {
        "head": banner_of(spec, headed(spec, title(spec)), moduli, rules), "body": shared.text().rstrip(),
        "name": spec.name, "upper": spec.name.upper(), "words": spec.arith.words, "max_n": spec.n,
        "log_max": spec.n.bit_length() - 1, "sizes": rows[::-1], "codes": SIZED_CODES, "unknown_code": UNKNOWN,
        "moduli": moduli, "order": order, "half_order": half, "inverse": spec.inverse, "ranges": spec.ranges,
        "ring": f"x^n {'+' if spec.negacyclic else '-'} 1", **ends(spec),
        **word_numbers(host_of(load_target(spec.target))),
    }  # fmt: skip
    texts = [templates().get_template(f"c/sizes.{end}.j2").render(numbers) for end in "ch"]
    return Source(spec, spec.name, texts[0], texts[1], rules, operations, _notes(made), moduli)


def _moduli(made: dict[int, Source]) -> str:
    """The moduli that are served, by size where sizes differ."""
    served: dict[str, list[int]] = {}
    for n, source in made.items():
        served.setdefault(source.moduli, []).append(n)
    if len(served) == 1:
        return next(iter(served))
    return "; ".join(f"{text} with n from {min(sizes)} to {max(sizes)}" for text, sizes in served.items())


def _notes(made: dict[int, Source]) -> list[str]:
    """What there is to say of sizes, each once."""
    told: dict[str, list[int]] = {}
    for n, source in made.items():
        for note in source.notes:
            told.setdefault(note, []).append(n)
    return [f"n = {', '.join(map(str, sorted(sizes)))}: {note}" for note, sizes in told.items()]
