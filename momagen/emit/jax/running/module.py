"""The execution of the text of a JAX module, and of the functions that compute its tables."""

from __future__ import annotations

from typing import Any

from momagen.errors import MomagenError, build_error
from momagen.targets import Target


def run_text(name: str, text: str, target: Target) -> dict[str, Any]:
    """Execute the text of a module, and return the names that it defines with their values.

    Args:
        name: The name of the module, for messages.
        text: The text.
        target: The target, for messages.

    Raises:
        MomagenError: JAX is missing.
    """
    found: dict[str, Any] = {}
    try:
        exec(compile(text, f"{name}.py", "exec"), found)
    except ImportError as error:
        raise _missing(error, target) from None
    return found


def _missing(error: ImportError, target: Target) -> MomagenError:
    """Return the error for a missing JAX."""
    remedy = "install it with python3 -m pip install 'momagen[jax]'"
    return build_error(f"JAX cannot be imported: {error}", f"target {target}", remedy)


def compiled_by(target: Target) -> str:
    """Return the compiler of arrays with its version and the device, such as "XLA of jax 0.8.1 for cpu".

    Raises:
        MomagenError: JAX is missing.
    """
    try:
        import jax
    except ImportError as error:
        raise _missing(error, target) from None
    return f"XLA of jax {jax.__version__} for {jax.devices()[0].device_kind}"


def created(names: dict[str, Any], name: str, *given: object) -> dict[str, Any]:
    """Return the tables that a function of a module computes, as concrete arrays even while JAX traces.

    Args:
        names: The names that the module defines, with their values.
        name: The name of the function.
        *given: Its arguments.
    """
    import jax

    with jax.ensure_compile_time_eval():
        made: dict[str, Any] = names[name](*given)
    return made
