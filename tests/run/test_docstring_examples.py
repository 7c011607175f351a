"""The examples in the docstrings of public names: each of them runs and prints what its docstring says."""

from __future__ import annotations

import doctest

import pytest
from docs_site.public import public_objects

import momagen
import momagen.he


def _examples() -> list[doctest.DocTest]:
    """Return the examples of both packages, of their public names and of their methods, one set for each docstring."""
    finder, found = doctest.DocTestFinder(), list[doctest.DocTest]()
    for package in (momagen, momagen.he):
        found += doctest.DocTestFinder(recurse=False).find(package, package.__name__, globs={})
    for name, value in public_objects().items():
        found += finder.find(value, name, module=False, globs={})  # type: ignore[arg-type]
    return [each for each in found if each.examples]


EXAMPLES = {each.name: each for each in _examples()}


@pytest.mark.thorough
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_prints_what_it_says(name: str) -> None:
    output = list[str]()
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(EXAMPLES[name], out=output.append, clear_globs=False)
    assert not output, "".join(output)


def test_the_builders_have_examples() -> None:
    assert {"momagen", "momagen.he", "momagen.Kernel.inverse"} <= {*EXAMPLES}
    builders = ("ntt", "lde", "polymul", "basemul", "blas", "convert", "rescale", "moddown", "keyswitch", "explain")
    assert {f"momagen.{name}" for name in builders} <= {*EXAMPLES}
