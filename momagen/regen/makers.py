"""The module of typed functions that build kernels, generated from the declarations of their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from inspect import cleandoc
from textwrap import wrap

from momagen.kinds.arguments import MakerArgument, arguments_of
from momagen.kinds.kind import Kind
from momagen.kinds.modular.options.declared import OptionFields
from momagen.kinds.parameter import REQUIRED, Parameter, parameters_of
from momagen.kinds.registry import SHIPPED, kind_named
from momagen.templates import templates
from momagen.tune.wish import Wish

from .spelling import Token, spelled, tokens, value

WIDTH = 120
"""The number of columns of a line."""
GLUE = "\0"
"""A space at which no line ends."""
USED = (
    Token("checked_arguments", "momagen.arguments"), Token("Kernel", "momagen.api.kernel"),
    Token("advised", "momagen.api.make"), Token("resolved", "momagen.api.native"),
    Token("chosen_kind", "momagen.kinds.registry"), Token("taking", "momagen.api.request"), *tokens(Wish),
    Token("TypedDict", "typing"), Token("Unpack", "typing"),
)  # fmt: skip
"""The names that the module needs for every kind."""
OWN = "momagen."
WISDOM = MakerArgument("wisdom", Wish, None, (
    "Whether to add the options that :func:`momagen.tune` found to be fastest on this machine with the usual compiler:"
    " True for those in the default file, a path for those in that file, False for none. None reads the file that"
    " $MOMAGEN_WISDOM names, if it is set."
), by_position=False)  # fmt: skip
"""The argument of the functions whose options ``momagen tune`` searches."""
OPTIONS = "Choices between implementations, as for :func:`ntt`; ``momagen {} --help`` describes them."
"""The usual description of options."""


def makers() -> str:
    """Return the source of the module."""
    kinds = documented_kinds()
    types = [each.type for kind in kinds for each in (*_arguments(kind), *arguments_of(kind.command.options.values()))]
    types += [each.type for each in arguments_of(parameters_of(OptionFields).values())]
    found = {token for kind in types for token in tokens(kind)}
    sections = _imports([*USED, *(token for token in found if token.module)])
    return templates().get_template("api/makers.py.j2").render(
        imports=sections, options=list(_options()), functions=[_function(kind) for kind in kinds]
    )  # fmt: skip


def documented_kinds() -> Sequence[Kind]:
    """Return the kinds of momagen whose functions follow from declarations, one for each function."""
    found = dict[str, Kind]()
    for kind in map(kind_named, SHIPPED):
        if kind.manual:
            found.setdefault(kind.maker, kind)
    return [*found.values()]


def _arguments(kind: Kind) -> Sequence[MakerArgument]:
    """Return the arguments of the function of a kind."""
    command, own = kind.command, arguments_of(kind.parameters.values())
    first = [MakerArgument("kind", str, REQUIRED, kind.manual_of_kind, by_position=True)] * bool(kind.manual_of_kind)
    options = kind.manual_of_options or OPTIONS.format(kind.maker)
    last = MakerArgument("**options", Token(f"Unpack[{options_type(kind)}]"), REQUIRED, options, False)
    return [*first, *own, *[WISDOM] * command.is_tuned, *[last] * bool(command.options)]


def options_type(kind: Kind) -> str:
    """Return the name of the TypedDict of the options of a kind."""
    return f"{kind.maker.capitalize()}Options"


def _options() -> Iterator[Mapping[str, object]]:
    """Yield the parts of the TypedDicts of options: the options of each function, and of all kinds."""
    for kind in documented_kinds():
        if kind.command.options:
            yield _typed(options_type(kind), f":func:`momagen.{kind.maker}`", kind.command.options)
    yield _typed("AnyOptions", ":func:`momagen.tune`: those of the kind that is tuned", parameters_of(OptionFields))


def _typed(name: str, of: str, options: Mapping[str, Parameter]) -> Mapping[str, object]:
    rows = [f"{each.name}: {spelled(each.type)}" for each in arguments_of(options.values())]
    return {"name": name, "of": of, "rows": rows}


def _imports(names: Sequence[Token]) -> Sequence[Sequence[str]]:
    """Return the import statements: those of the standard library, and ours."""
    modules = {name.module: sorted({each.text for each in names if each.module == name.module}) for name in names}
    ours = sorted(module for module in modules if module.startswith(OWN))
    others = sorted(modules.keys() - set(ours))
    return [[_import(module, modules[module]) for module in section] for section in (others, ours)]


def _import(module: str, names: Sequence[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    listed = "".join(f"    {name},\n" for name in names)
    return line if len(line) <= WIDTH else f"from {module} import (\n{listed})"


def _function(kind: Kind) -> Mapping[str, object]:
    """Return the parts of a function that the template joins."""
    arguments = _arguments(kind)
    named = [each.name for each in arguments if each.name != "kind"]
    words = [name if name.startswith("*") else f"{name}={name}" for name in named]
    selected = f'chosen_kind(kind, "{kind.maker}").name' if kind.manual_of_kind else value(kind.name)
    return {
        "name": kind.maker, "parameters": _lines(_parameters(arguments), 4),
        "doc": _indented(docstring(kind.manual, arguments)), "call": _lines([selected, *words], 8),
        "decorator": f"taking({options_type(kind)})" if kind.command.options else "checked_arguments",
    }  # fmt: skip


def _parameters(arguments: Sequence[MakerArgument]) -> Iterator[str]:
    """Yield the parameters as a function declares them; a star precedes those that are passed by name."""
    positional = [each for each in arguments if each.by_position]
    yield from map(_parameter, positional)
    yield "*"
    yield from map(_parameter, arguments[len(positional) :])


def _parameter(argument: MakerArgument) -> str:
    usual = "" if argument.usual is REQUIRED else f" = {value(argument.usual)}"
    return f"{argument.name}: {spelled(argument.type)}{usual}"


def _lines(parts: Iterator[str] | Sequence[str], indent: int) -> str:
    """Return parts as indented lines, with a comma after each."""
    text = " ".join(f"{part},".replace(" ", GLUE) for part in parts)
    return "\n".join(_wrapped(text, " " * indent, " " * indent)).replace(GLUE, " ")


def docstring(manual: str, arguments: Sequence[MakerArgument]) -> str:
    """Return the docstring of a function: its manual with the section ``Args`` before the section ``Returns``."""
    head, returns, tail = cleandoc(manual).partition("Returns:\n")
    lines = [line for each in arguments for line in _wrapped(f"{each.name}: {each.doc}", " " * 8, " " * 12)]
    listed = "\n".join(line[4:] for line in lines)
    return f"{head}Args:\n{listed}\n\n{returns}{tail}\n"


def _wrapped(text: str, first: str, others: str) -> list[str]:
    return wrap(text, WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False,
                break_on_hyphens=False)  # fmt: skip


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines()).lstrip()
