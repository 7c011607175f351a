"""The headers of kernels on the rows of an RNS basis explain what their functions take."""

from __future__ import annotations

import re

import pytest

import momagen as mg

KERNELS = {
    "convert": lambda target: mg.convert([193, 97], to=[257], target=target),
    "rescale": lambda target: mg.rescale([193, 257, 97], target=target),
    "keyswitch": lambda target: mg.keyswitch([193, 97], target=target),
    "moddown": lambda target: mg.moddown([193, 97], target=target),
}


@pytest.mark.parametrize("target", ["c", "cuda"])
@pytest.mark.parametrize("kind", KERNELS)
def test_comments_name_every_argument_of_create(kind: str, target: str) -> None:
    kernel = KERNELS[kind](target)
    assert kernel.header
    (found,) = re.findall(r"/\*((?:(?!\*/).)*)\*/\n[^\n]*_create\(([^)]*)\);", kernel.header, re.DOTALL)
    comment, arguments = found
    names = [re.split(r"\W+", argument)[-1] for argument in arguments.split(",")]
    assert [name for name in names if not re.search(rf"(?<!')\b{name}\b", comment)] == []
