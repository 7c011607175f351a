"""C files merged into one: items found, texts shared, names that clash renamed wherever they are mentioned."""

from __future__ import annotations

import pytest

from momagen.build import compile_program
from momagen.emit.shared import Shared, items

FIRST = """#include <stdio.h>

#define WORDS 2
/* A table of
   two. */
typedef struct {
    int a[WORDS]; /* ; { */
} pair;
typedef char checked[sizeof(int) == 4 ? 1 : -1];
static const int table[WORDS] = {1, 2};

#if defined(__GNUC__)
static int twice(int x) { return x + x; }
#else
static int twice(int x)
{
    return 2 * x;
}
#endif

static __attribute__((noinline)) int stage_0(int x)
{
    /* table */
    return x + table[0];
}

static int sum_2(const pair *p)
{
    return stage_0(twice(p->a[0])) + p->a[1];
}
"""
SECOND = (
    FIRST.replace("#include <stdio.h>", "#include <stdio.h>\n#include <string.h>")
    .replace("{1, 2}", "{10, 20}").replace("sum_2", "sum_4")
)  # fmt: skip
NAMES = ["", "WORDS", "pair", "checked", "table", "", "stage_0", "sum_2"]


def test_items_and_their_names() -> None:
    found = list(items(FIRST))
    assert [item.name for item in found] == NAMES
    assert "\n\n".join(item.text for item in found).replace("\n", "") == FIRST.replace("\n", "")
    assert [item.directive for item in found] == [True, True, False, False, False, True, False, False]


@pytest.mark.parametrize("text", ["static int f(void)\n{\n    return 1;\n", "#if 1\nint x;\n", "int f(void)\n"])
def test_a_file_that_does_not_end(text: str) -> None:
    with pytest.raises(ValueError, match="no end of"):
        list(items(text))


def test_what_differs_gets_another_name_and_what_does_not_is_shared() -> None:
    whole = Shared()
    first, second = whole.add(FIRST, 2, {}), whole.add(SECOND, 4, {})
    text = whole.text()
    assert (first["table"], second["table"]) == ("table", "table_4")
    assert (first["stage_0"], second["stage_0"]) == ("stage_0", "stage_0_4")
    assert "return x + table_4[0];" in text
    assert (first["pair"], second["pair"]) == ("pair", "pair")
    for line in ("#include <stdio.h>", "#include <string.h>", "typedef struct", "#if defined"):
        assert text.count(line) == 1
    assert text.index("stdio") < text.index("string.h") < text.index("typedef")


def test_functions_that_differ_in_the_number_of_their_name_are_one() -> None:
    whole = Shared()
    names = [whole.add(text, n, {}) for n, text in enumerate((FIRST, FIRST.replace("sum_2", "sum_7")))]
    assert names[1]["sum_7"] == names[0]["sum_2"] == "sum_2"
    assert "sum_7" not in whole.text()


def test_macros_of_one_value_stay_apart() -> None:
    whole = Shared()
    names = whole.add("#include <stdio.h>\nint x;\n#define LANES 4\n#define DIGITS 4\n", 2, {})
    assert (names["LANES"], names["DIGITS"]) == ("LANES", "DIGITS")


def test_names_from_elsewhere() -> None:
    whole = Shared()
    whole.add("int f(void)\n{\n    return SIZE_OK;\n}\n", 2, {"SIZE_OK": "NTT_OK"})
    assert "return NTT_OK;" in whole.text()


def test_the_whole_compiles_and_both_halves_do_what_they_did(tmp_path) -> None:  # type: ignore[no-untyped-def]
    import subprocess

    whole = Shared()
    first, second = whole.add(FIRST, 2, {}), whole.add(SECOND, 4, {})
    main = f"""
int main(void)
{{
    pair p = {{{{5, 7}}}};
    printf("%d %d", {first["sum_2"]}(&p), {second["sum_4"]}(&p));
    return 0;
}}
"""
    (tmp_path / "both.c").write_text(whole.text() + main)
    program = compile_program([tmp_path / "both.c"], name="both", flags=["-std=c99", "-Wall", "-Wextra", "-Werror"])
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "18 27"
