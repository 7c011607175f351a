"""The order of the rooms: each may import only what stands above it, and some things may not be said in some places."""

from __future__ import annotations

import ast
import re
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from momagen.targets import names

ROOT = Path(__file__).resolve().parents[2]
ORDER = [
    {"arguments", "errors", "data", "files", "html", "lazy", "notebook", "plots", "processes", "prove", "renamed",
     "screen", "signals", "tables", "templates", "threads"},
    {"ir"}, {"program"},
    {"params"}, {"formula"}, {"rewrite"}, {"languages"}, {"targets"}, {"values"}, {"kernels"}, {"kinds"}, {"plan"},
    {"lower"}, {"rpu"}, {"emit"}, {"runtime", "cuda", "simulate"}, {"verify", "bench", "explain"}, {"isa"},
    {"tune"}, {"api", "regen"}, {"he"}, {"clib"}, {"packages"}, {"hexl", "rns_context"}, {"papers"},
    {"cli", "__main__"},
]  # fmt: skip
"""Rooms of one row may use each other; later rows may use earlier ones."""
PACKAGE = ROOT / "momagen"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def _room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _rank(room: str) -> int:
    return next(rank for rank, rooms in enumerate(ORDER) if room in rooms)


def _of_types(tree: ast.AST) -> list[ast.AST]:
    """Return the statements that only type checkers execute."""
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return [each for block in blocks for each in ast.walk(block)]


def _imports(path: Path) -> set[str]:
    """Return the packages of momagen that a file imports, at once or when a function is called.

    Kinds name their functions in later packages, which are imported when they are called, and their types; these do
    not count.
    """
    found: set[str] = set()
    depth = len(path.relative_to(PACKAGE).parts)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unimported = _of_types(tree) if _room(path) == "kinds" else []
    for node in (node for node in ast.walk(tree) if node not in unimported):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level >= depth:
            found |= {f"momagen.{node.module or alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "on_call" and _room(path) != "kinds":
            found |= {str(ast.literal_eval(node.args[0]))}
    rooms = {name.split(".")[1] for name in found if name.startswith("momagen.")}
    return {room for room in rooms if any(room in row for row in ORDER)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_what_stands_above_it(path: Path) -> None:
    own = _rank(_room(path))
    below = {room for room in _imports(path) if _rank(room) > own}
    assert not below, f"{_room(path)} may not import {', '.join(sorted(below))}"


def test_only_the_command_line_imports_papers() -> None:
    """Whatever repeats a paper lies in momagen/papers, and nothing that generates kernels depends on it."""
    found = {_room(path) for path in FILES if "papers" in _imports(path)}
    assert found == {"cli", "papers"}


def test_rules_hold_no_python_and_lower_names_no_target() -> None:
    for path in (ROOT / "rules").glob("*.toml"):
        assert not re.search(r"\b(lambda|def|import|eval)\b", path.read_text(encoding="utf-8")), path.name
    for path in (PACKAGE / "lower").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not [name for name in names() if name != "c" and re.search(rf"[\"']{name}[\"']", text)], path.name


def test_ir_knows_neither_rules_nor_targets() -> None:
    for path in (PACKAGE / "ir").rglob("*.py"):
        assert _imports(path) <= {"ir"}, path.name


def _imported(path: Path) -> set[str]:
    """The files of ours that a file imports, by absolute or relative name, but for packages that it lies in."""
    parts, found = path.relative_to(ROOT).with_suffix("").parts, set[str]()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unimported = _of_types(tree) if _room(path) == "kinds" else []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node not in unimported:
            above = parts[: len(parts) - node.level] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            found |= {f"{base}.{alias.name}" for alias in node.names} | {base}
    own = ".".join(parts)
    return {name for name in found if not own.startswith(f"{name}.")}


def test_no_files_import_one_another_in_a_circle() -> None:
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in FILES if path.stem != "__init__"}
    order = TopologicalSorter({name: _imported(path) & set(names) for name, path in names.items()})
    order.prepare()  # CycleError names the circle


LOOKED_UP = 10
"""The largest number of places that look a target up by its name; all others pass the object."""


def _looks_up_a_target(node: ast.AST) -> bool:
    """Whether the node uses ``load_target``, also as an argument or as a function of :func:`momagen.lazy.on_call`."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "on_call":
        return ast.literal_eval(node.args[1]) == "load_target"
    return "load_target" in (getattr(node, "id", ""), getattr(node, "attr", ""))


def test_targets_are_passed_and_not_looked_up_by_name() -> None:
    """A name becomes a target where a user's text becomes a request, and in ``Target`` for related targets."""
    files = {str(path.relative_to(PACKAGE)): ast.walk(ast.parse(path.read_text(encoding="utf-8"))) for path in FILES}
    found = {name: sum(map(_looks_up_a_target, nodes)) for name, nodes in files.items()}
    assert 1 <= sum(found.values()) <= LOOKED_UP, {name: count for name, count in found.items() if count}
    assert not [name for name, count in found.items() if count and name.split("/")[0] in ("plan", "lower", "emit")]


def asked_kinds(text: str, classes: set[str]) -> list[str]:
    """Return the expressions that ask which kind a kernel is by its class: `isinstance`, and tables by `type`."""
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, asked]):
                names = {each.id for each in ast.walk(asked) if isinstance(each, ast.Name)}
                found += [node] * bool(names & classes)
            case ast.Dict(keys=keys):
                found += [node] * any(isinstance(key, ast.Name) and key.id in classes for key in keys)
    return [ast.unparse(node) for node in found]


def kind_classes() -> set[str]:
    """Return the classes of kinds and of their requests that declare parameters."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in (PACKAGE / "kinds").rglob("*.py"))
    named = {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    return {name for name in named if name.endswith(("Spec", "Kind"))} - {"Kind"}


def test_only_kinds_ask_for_the_class_of_a_kind() -> None:
    classes, others = kind_classes(), [path for path in FILES if _room(path) != "kinds"]
    found = {str(path): asked_kinds(path.read_text(encoding="utf-8"), classes) for path in others}
    assert not {name: each for name, each in found.items() if each}


def test_questions_for_the_class_of_a_kind_are_found() -> None:
    assert {"RescaleSpec", "ConversionSpec", "RowsKind"} <= kind_classes()
    text = "isinstance(a, RescaleSpec); isinstance(a, int | RescaleSpec); {RescaleSpec: 1}; isinstance(a, int)"
    assert len(asked_kinds(text, {"RescaleSpec"})) == 3


MOST = 14
"""Files of a folder, beside what says that it is one."""


def test_no_folder_has_more_files_than_a_reader_takes_in() -> None:
    folders = {path.parent for path in FILES}
    crowded = {str(folder): len(files) for folder in folders if len(files := [*folder.glob("[!_]*.py")]) > MOST}
    assert not crowded


def test_files_of_tests_have_names_of_their_own() -> None:
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert not [name for name, count in names.items() if count > 1]  # pytest would import only one of them


@pytest.mark.parametrize("path", sorted((ROOT / "templates" / "python").rglob("*.j2")), ids=lambda path: path.name)
def test_a_new_language_needs_no_loop_of_a_transform_in_templates(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\b(twiddle|butterfl|half|levels?|radix|power)", text), path.name


def test_languages_build_no_intermediate_representation() -> None:
    for path in (PACKAGE / "emit").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\bBuilder\b|\bInstr\(|\bBlock\(|\bValue\(", text), path.name


CACHES = re.compile(r"\b(CACHE|LINE)\b|^[A-Z_, ]+ = .*<< ?10\b", re.MULTILINE)
"""A size of a memory, or its line, as a constant of a file."""


@pytest.mark.parametrize("room", ["formula", "kernels", "lower", "plan"])
def test_no_cache_is_known_but_by_target_files(room: str) -> None:
    for path in (PACKAGE / room).rglob("*.py"):
        assert not CACHES.search(path.read_text(encoding="utf-8")), path.name


SPELLED = ("chains.h.j2", "team.c.j2")
"""Operations of targets as they are spelled in C, and threads that wait for each other. Others are frames of files, or
prose."""
LOOP = re.compile(r"\b(for|while|do)\b *[({]")
ARITHMETIC = re.compile(r"[\w)\]}]( (\+|-|\*|/|%|<<|>>|&|\||\^)=? [\w({]|\+\+|--)")
IN_FRAMES = {
    "kernel.c.j2": ["for (size_t b = 0; b < batch;"], "memory.c.j2": ["grain", "sizeof room"],
    "host.cu.j2": ["mg_launch", "launch < end", "launch->", "moduli", "MOST_BLOCKS", "ALIGNED", "arg", "numbers",
                  "vectors", "groups", "given_X", "words"],
    "checked.cu.j2": ["& aligned"],
    "kernel.cu.j2": ["for (uint32_t i = 0; i < n;"],
    "plan.c.j2": ["plan->moduli", "m++", "plan->row[0]", "+ m * WORDS", "i += done", "job->"],
    "rows.c.j2": ["plan->moduli", "batch", "+ m * WORDS", "* WORDS;", "plan->row[0]", "m++", "+ at"],
}  # fmt: skip
"""What may be computed there, by the words of its lines: one transform of a batch after another, addresses, launches of
a list."""


def _computed(text: str) -> list[str]:
    """The lines of a template's C that loop or compute, but for how many bytes memory takes."""
    text = re.sub(r"\{%.*?%\}|\{#.*?#\}|/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"sizeof\(X\) \* ", "", re.sub(r"\{\{.*?\}\}", "X", text))
    lines = [line.strip() for line in text.splitlines() if not line.lstrip().startswith("#")]
    return [line for line in lines if LOOP.search(line) or ARITHMETIC.search(line)]


def test_templates_hold_no_loop_and_no_arithmetic() -> None:
    every = [path for folder in ("c", "cuda") for path in (ROOT / "templates" / folder).rglob("*.j2")]
    for path in (path for path in every if path.name not in SPELLED and not path.name.endswith(".txt.j2")):
        allowed = IN_FRAMES.get(path.name, [])
        found = [line for line in _computed(path.read_text(encoding="utf-8")) if not any(a in line for a in allowed)]
        assert not found, (path.name, found)
    assert len(_computed("z[w] = x[w] << s;\nmu[w] -= less;\nwhile (n) {\nz++;\nd = a * b;")) == 5


MAPPING_READS = ("get", "pop", "setdefault")


def option_reads(text: str) -> list[str]:
    """Return the expressions that read something called options with a string: a subscript, `.get` and `in`."""
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Subscript(value=mapping, slice=ast.Constant(value=str())):
                found.append((mapping, node))
            case ast.Call(func=ast.Attribute(value=mapping, attr=method), args=[ast.Constant(value=str()), *_]):
                found += [(mapping, node)] * (method in MAPPING_READS)
            case ast.Compare(left=ast.Constant(value=str()), ops=[ast.In() | ast.NotIn()], comparators=[mapping]):
                found.append((mapping, node))
    return [ast.unparse(node) for mapping, node in found if re.search(r"\boptions(\.keys\(\))?$", ast.unparse(mapping))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_option_is_read_as_a_string(path: Path) -> None:
    """The options of a kernel are a record, whose fields have types: `spec.options.radix`."""
    assert not option_reads(path.read_text(encoding="utf-8"))


def test_reads_of_options_as_strings_are_found() -> None:
    text = 'spec.options["a"], options.get("b", 1), "c" in own.options, "d" not in options.keys(), options.pop("e")'
    assert len(option_reads(text)) == 5
    assert not option_reads('spec.options.radix, options[0], options.get(name), name in options, known["options"]')


@pytest.mark.thorough
def test_a_class_has_a_name_of_its_own() -> None:
    """The prover shares nothing with the generator, so that the two may use the same names."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
    named = [(node.name, _room(path) == "prove") for path, tree in trees.items()
             for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]  # fmt: skip
    twice = {name for name, place in named if named.count((name, place)) > 1}
    assert not twice


RENDERER = "momagen/plots/renderer.py"


def _drawing() -> set[str]:
    """Return the files that import matplotlib, by a statement or by name."""
    found = set()
    for path in [*(ROOT / "momagen").rglob("*.py"), *(ROOT / "scripts").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        if "matplotlib" not in text:
            continue
        nodes = list(ast.walk(ast.parse(text)))
        names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        by_name = re.search(r"import_module\(\s*[\"']matplotlib", text)
        if by_name or any(name.split(".")[0] == "matplotlib" for name in names):
            found.add(str(path.relative_to(ROOT)))
    return found


def test_only_the_renderer_imports_matplotlib() -> None:
    assert _drawing() == {RENDERER}
