"""What the language of a target asks of its other keys: a file that changes only the language is refused."""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.languages import LANGUAGES

from ..target import Target

FORMS = ("threads", "minor")
"""Keys that say which form programs have: threads of a GPU, or passes over arrays; without both, statements."""


def check_language(target: Target, where: str) -> None:
    """Refuse a target whose programs, registers or rows its language does not print.

    Raises:
        MomagenError: naming the key.
    """
    language = LANGUAGES[target.syntax]
    for key in FORMS:
        value, needed = getattr(target, key), key == language.form
        if bool(value) != needed:
            expected = f"{'a number from 1 on' if needed else '0'} where the language is {target.syntax}"
            raise MomagenError(expected, value, f"{where}, {key}")
    if language.form and target.lanes > 1:
        raise MomagenError(f"1 where the language is {target.syntax}", target.lanes, f"{where}, lanes")
    if language.temporaries:
        return
    for op, row in target.ops.items():
        if row.temp or not row.results:
            expected = f"result expressions alone where the language is {target.syntax}"
            raise MomagenError(expected, row.temp or row.link, f"{where}, [ops] {op}")


def check_host(target: Target, host: Target) -> Target:
    """Return ``host``, which does in scalar code what is not worth a vector of ``target``.

    Raises:
        MomagenError: it has another language, or words of another size.
    """
    for key in ("syntax", "word"):
        if (wanted := getattr(target, key)) != (found := getattr(host, key)):
            expected = f"a host whose {key} is {wanted}"
            raise MomagenError(expected, f"{host.name}: {found}", f"target {target.name}, host")
    return host
