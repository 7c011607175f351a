"""What the text of a module for JAX defines, and what makes its tables."""

from __future__ import annotations

from typing import Any

from momagen.errors import MomagenError, build_error
from momagen.targets import Target


def run_text(name: str, text: str, target: Target) -> dict[str, Any]:
    """What the module ``text`` defines.

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
    remedy = "install it with python3 -m pip install 'momagen[jax]'"
    return build_error(f"JAX cannot be imported: {error}", f"target {target}", remedy)


def compiled_by(target: Target) -> str:
    """What compiles arrays here, with its version and the device: "XLA of jax 0.8.1 for cpu".

    Raises:
        MomagenError: JAX is missing.
    """
    try:
        import jax
    except ImportError as error:
        raise _missing(error, target) from None
    return f"XLA of jax {jax.__version__} for {jax.devices()[0].device_kind}"


def created(names: dict[str, Any], name: str, *given: object) -> dict[str, Any]:
    """The tables that a module's function ``name`` makes: arrays, also where JAX is tracing."""
    import jax

    with jax.ensure_compile_time_eval():
        made: dict[str, Any] = names[name](*given)
    return made
