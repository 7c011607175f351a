"""Fits the area of the RPU's vector crossbar on ratios that the paper states, for momagen/papers/rpu/model/area.toml.

python scripts/fit_rpu_area.py
"""

from __future__ import annotations

from dataclasses import replace

from momagen.papers.rpu.explore.areas import FITTED, area_figures, misfit
from momagen.papers.rpu.explore.stated import stated
from momagen.papers.rpu.model.area import AreaModel, area_model

STEP, MOST = 0.01, 3.0
"""mm²; beyond that, banks would have no logic."""


def fitted() -> AreaModel:
    """The model that misses the stated ratios least."""
    models = [replace(area_model(), vbar=at * STEP) for at in range(1, int(MOST / STEP))]
    return min(models, key=misfit)


def main() -> None:
    model = fitted()
    print(f"[vbar] mm2 = {model.vbar:.2f}; logic of a bank: {model.bank:.4f} mm²; misfit {misfit(model):.4f}")
    found = area_figures(model)
    for key in FITTED:
        row = stated()[key]
        print(f"{row.what}: {found[key]:.3f}, stated {row.text}, {row.error(found[key]):+.1f} %")


if __name__ == "__main__":
    main()
