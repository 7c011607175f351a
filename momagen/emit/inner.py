"""Kernels within a kernel's file: their own functions and plans, under names that nothing outside sees."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from momagen.kernels.spec.spec import Spec

VERBS = ("create", "execute", "destroy")


@dataclass(frozen=True)
class InnerSpec(Spec):
    """The specification of a kernel within; ``prefix``: what it calls its plan and its functions."""

    prefix: str = ""

    @property
    def name(self) -> str:
        return self.prefix


def inner(spec: Spec, prefix: str) -> InnerSpec:
    """``spec`` for a kernel within."""
    return InnerSpec(**{each.name: getattr(spec, each.name) for each in fields(Spec)}, prefix=prefix)


def private(text: str, prefix: str, name: str) -> str:
    """The file of a kernel within that of the kernel ``name``: without its header comment and its texts of codes, and
    with functions of its own."""
    text = text.partition("*/\n")[2].replace(f'#include "{prefix}.h"', f'#include "{name}.h"')
    text = re.sub(rf"^const char \*{prefix}_error_text.*?^\}}\n", "", text, flags=re.DOTALL | re.MULTILINE)
    plan = rf"^struct {prefix}_plan \{{(.*?)^\}};"
    text = re.sub(plan, rf"typedef struct {{\1}} {prefix}_plan;", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(rf"^(?=(?:{prefix}_plan \*|void |int ){prefix}_\w+\()", "static ", text, flags=re.MULTILINE)
