"""The public names of momagen: what users import, and the classes of the objects that these functions return."""

from __future__ import annotations

from importlib import import_module

import momagen
import momagen.he

RESULTS = {
    "momagen.api.automorphisms": ("Automorphism",),
    "momagen.api.lookup.target_table": ("TargetInfo", "TargetTable"),
    "momagen.api.sharded": ("ShardedTransform",),
    "momagen.bench": ("Result",),
    "momagen.bench.report.swept": ("Swept",),
    "momagen.bench.x86.assembly": ("BranchReport",),
    "momagen.explain": ("Explanation",),
    "momagen.explain.explained_transform": ("ExplainedTransform",),
    "momagen.kinds.support": ("Support",),
    "momagen.rns_context": ("RnsPackage",),
    "momagen.tune": ("Tuned",),
    "momagen.verify": ("Report",),
}
"""The classes of objects that public functions and methods return, by the module from which they are imported."""


def names_of(package: str) -> list[str]:
    """Return the public names of a package, sorted, without the version."""
    return sorted(f"{package}.{name}" for name in import_module(package).__all__ if not name.startswith("__"))


def result_names() -> list[str]:
    """Return the full names of the classes in ``RESULTS``."""
    return [f"{module}.{name}" for module, names in RESULTS.items() for name in names]


def public_objects() -> dict[str, object]:
    """Return all public functions and classes by their full names."""
    names = [*names_of(momagen.__name__), *names_of(momagen.he.__name__), *result_names()]
    return {name: getattr(import_module(name.rpartition(".")[0]), name.rpartition(".")[2]) for name in names}
