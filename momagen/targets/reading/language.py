"""Checks of a target's keys against its language: a file that changes only ``syntax`` raises an error."""

from __future__ import annotations

from momagen.errors import MomagenError, build_error
from momagen.languages import LANGUAGES, REQUIRED_KEYS

from ..target import Target


def check_language(target: Target, where: str) -> None:
    """Check that the language of ``target`` can express its programs, its lanes and its operations.

    Raises:
        MomagenError: The language cannot; the message names the key.
    """
    language, required = LANGUAGES[target.syntax], REQUIRED_KEYS.get(target.machine)
    for key in REQUIRED_KEYS.values():
        value, needed = getattr(target, key), key == required
        if bool(value) != needed:
            expected = f"{'an integer of at least 1' if needed else '0'}, because `syntax` is {target.syntax}"
            raise MomagenError(expected, value, f"{where}, {key}")
    if required and target.lanes > 1:
        raise MomagenError(f"1, because `syntax` is {target.syntax}", target.lanes, f"{where}, lanes")
    if language.temporaries:
        return
    for op, row in target.ops.items():
        if row.temp or not row.results:
            problem = f"a row must have `results` and no `temp`, because `syntax` is {target.syntax}"
            raise build_error(problem, f"{where}, [ops] {op}")


def check_host(target: Target, host: Target) -> Target:
    """Return ``host``, the target whose scalar code computes the parts for which ``target`` uses no vectors.

    Raises:
        MomagenError: It has another language or another word size.
    """
    for key in ("syntax", "word"):
        if (wanted := getattr(target, key)) != (found := getattr(host, key)):
            problem = f"the host {host.name} has `{key}` {found}, but must have {wanted}, like its target"
            raise build_error(problem, f"target {target.name}, host")
    return host
