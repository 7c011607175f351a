"""The area model's values of the areas that the paper states."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

from momagen.papers.rpu.model.area import AreaModel, area, area_model
from momagen.rpu.machine.design import Design

from .stated import stated

LANES = (16, 32, 64, 128, 256)
"""The numbers of HPLEs between which the register file is compared."""
FITTED = ("area_at_4", "area_at_256", "area_banks_64", "area_banks_128", "area_banks_256", "vbar_principal")
"""The numbers to which the crossbar's area is fitted. The other numbers of the model do not depend on it."""


def area_figures(model: AreaModel | None = None) -> dict[str, float]:
    """Return the numbers by their keys in paper.toml."""
    model = model or area_model()
    of, machine = _Areas(model), model.reference.hples
    grown = [of.part("vrf", 2 * h, 128) / of.part("vrf", h, 128) for h in LANES[:-1]]
    vbar = of.part("vbar", 128, 256) - of.part("vbar", 128, 128)
    return {
        "area_total": of.total(128, 128),
        "area_hple": of.part("law", machine, 128) + of.part("vrf", machine, 128),
        "area_at_4": of.total(4, 256) / of.total(4, 32),
        "area_at_256": of.total(256, 256) / of.total(256, 32),
        **{f"area_banks_{2 * banks}": of.total(128, 2 * banks) / of.total(128, banks) for banks in (32, 64, 128)},
        "vbar_banks": of.part("vbar", 128, 256) / of.part("vbar", 128, 128),
        "vbar_principal": vbar / (of.total(128, 256) - of.total(128, 128) - vbar),
        "vbar_hples": of.part("vbar", 256, 128) / of.part("vbar", 128, 128),
        "law_hples": of.part("law", 256, 128) / of.part("law", 128, 128),
        "vrf_least": min(grown), "vrf_most": max(grown),
        "sbar_hples": of.part("sbar", 128, 128) / of.part("sbar", 64, 128),
        "sbar_last": of.part("sbar", 256, 128) / of.part("sbar", 128, 128),
    }  # fmt: skip


def misfit(model: AreaModel) -> float:
    """Return the sum of squared logarithms of the model's values of the ``FITTED`` numbers over the stated ones."""
    found = area_figures(model)
    return sum(_off(stated()[key].error(found[key])) ** 2 for key in FITTED)


def _off(percent: float | None) -> float:
    return log(1 + (percent or 0.0) / 100)


class _Areas:
    """The areas of the reference machine with other numbers of HPLEs and banks."""

    def __init__(self, model: AreaModel) -> None:
        self.model, self.known = model, dict[tuple[int, int], Mapping[str, float]]()

    def parts(self, hples: int, banks: int) -> Mapping[str, float]:
        design: Design = self.model.reference.having(hples=hples, banks=banks)
        return self.known.setdefault((hples, banks), area(design, self.model))

    def part(self, name: str, hples: int, banks: int) -> float:
        return self.parts(hples, banks)[name]

    def total(self, hples: int, banks: int) -> float:
        return sum(self.parts(hples, banks).values())
