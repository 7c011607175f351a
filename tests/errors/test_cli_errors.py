"""Bad input at the command line: one clear line on standard error, exit code 2, and no file anywhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from momagen.cli import main
from momagen.cli.make import check_folder
from momagen.errors import MomagenError

NTT = ["ntt", "--n", "16"]
FIELDS = "goldilocks, babybear, "

REFUSED = {
    "composite modulus": (
        [*NTT, "--modulus", "2^64-1"],
        "modulus: 18446744073709551615 is composite, and momagen finds roots of unity only modulo a prime",
    ),
    "even modulus": (
        [*NTT, "--modulus", "0x100"],
        "modulus: expected an odd modulus below 2^2048, got the even number 256",
    ),
    "n not a power of two": (
        ["ntt", "--n", "12", "--bits", "64"],
        "n: expected a power of two from 2 to 67108864, got 12",
    ),
    "no columns": ([*NTT, "--bits", "64", "--columns", "0"], "columns: expected at least 1, got 0"),
    "a number of columns that is none": (
        [*NTT, "--bits", "64", "--columns", "x"],
        "columns 'x', character 1: expected a number, a known prime or '(', got 'x' (known primes: " + FIELDS,
    ),
    "too many columns": (
        ["ntt", "--n", "2^20", "--bits", "64", "--columns", "65"],
        "columns: expected at most 64 columns of 1048576 residues, or 67108864 residues in all, got 65",
    ),
    "columns of any size": (
        ["ntt", "--n", "any", "--bits", "64", "--columns", "4"],
        "`--n any` cannot be combined with `--columns`",
    ),
    "columns of a product": (
        ["polymul", "--n", "16", "--bits", "64", "--columns", "4"], "unknown option --columns (see momagen polymul",
    ),
    "no blowup": (
        ["lde", "--n", "64", "--bits", "128", "--blowup", "3"],
        "blowup: expected a power of two of at least 2, got 3",
    ),
    "a coset of arrays": (
        ["ntt", "--n", "64", "--bits", "64", "--coset", "7", "--target", "jax"],
        "`--coset` is not available on jax; use a target such as c or cuda",
    ),
    "no levels": ([*NTT, "--bits", "64", "--depth", "0"], "depth: expected from 1 to 4 levels"),
    "too many levels": ([*NTT, "--bits", "64", "--depth", "5"], "depth: expected from 1 to 4 levels"),
    "levels of any size": (
        ["ntt", "--n", "any", "--bits", "64", "--depth", "3"],
        "`--depth` cannot be combined with `--n any`",
    ),
    "levels on a coset": (
        [*NTT, "--bits", "64", "--depth", "3", "--coset", "3", "--target", "cuda"],
        "`--coset` cannot be combined with `--depth`",
    ),
    "an automorphism of remainders": (
        [*NTT, "--bits", "64", "--depth", "3", "--automorphism", "3"],
        "`--automorphism` cannot be combined with `--depth`",
    ),
    "a modulus for fewer levels": (
        ["ntt", "--n", "256", "--depth", "8", "--modulus", "3329", "--negacyclic"],
        "n: expected a negacyclic size n such that 2n divides q - 1, got 256 (the largest for this modulus is 2^7)",
    ),
    "a modulus for fewer levels yet": (
        ["ntt", "--n", "512", "--depth", "8", "--modulus", "3329", "--negacyclic"],
        "depth: expected a negacyclic size n such that 2n divides q - 1, got 256 (the largest for this modulus is 2^7)",
    ),
    "products of long remainders": (
        ["polymul", "--n", "256", "--depth", "3", "--bits", "64"],
        "depth: expected factors of degree at most 16 for products, got degree 32",
    ),
    "products of remainders on a GPU": (
        ["basemul", "--preset", "ml-kem", "--target", "cuda"],
        "target: products of incomplete transforms are not available on cuda; use a target in C or Python",
    ),
    "polynomials by remainders on a GPU": (
        ["polymul", "--preset", "ml-kem", "--target", "cuda"],
        "target: products of incomplete transforms are not available on cuda; use a target in C or Python",
    ),
    "a root beside a preset": (
        ["ntt", "--preset", "ml-kem", "--root", "5"],
        "`--root` cannot be combined with `--preset`",
    ),
    "R shorter than the modulus": (
        ["blas", "vmul", "--modulus", "97", "--form", "montgomery", "--form-bits", "3"],
        "--form-bits: expected a number of bits from 7 (the length of the modulus) to 64",
    ),
    "R without its form": (
        ["blas", "vmul", "--modulus", "97", "--form-bits", "32"],
        "`--form-bits` can only be used with `--form montgomery`",
    ),
    "R that is no number": (
        ["blas", "vmul", "--modulus", "97", "--form", "montgomery", "--form-bits", "x"],
        "--form-bits: expected the number of bits k of the Montgomery factor R = 2^k, got 'x'",
    ),
    "inverses modulo no prime": (
        ["blas", "vinv", "--modulus", "15"],
        "modulus: expected a prime modulus, because the kernel inverts numbers, got 15",
    ),
    "sums modulo an even number": (
        ["blas", "dot", "--modulus", "10"],
        "modulus: expected an odd modulus for Montgomery's reduction, got the even number 10",
    ),
    "a fold of no known modulus": (
        ["blas", "vmul", "--modulus", "97", "--reduction", "special"],
        "`--reduction special` requires a baked-in modulus close to a power of two; use `--bake yes`",
    ),
    "unknown preset": (
        ["ntt", "--preset", "ml-kme"], "preset: did you mean ml-kem? Expected one of the presets ml-kem, ml-dsa, ",
    ),
    "a modulus beside a preset": (
        ["ntt", "--preset", "ml-kem", "--modulus", "7681"],
        "`--modulus` cannot be combined with `--preset`",
    ),
    "points beside a preset": (["ntt", "--preset", "ml-kem", "--n", "8"], "`--n` cannot be combined with `--preset`"),
    "a reference without a preset": (
        [*NTT, "--bits", "64", "--inverse", "--montgomery", "reference"],
        "`--montgomery reference` requires a preset; specify `--preset`",
    ),
    "a factor of a forward transform": (
        [*NTT, "--bits", "64", "--montgomery", "16"],
        "`--montgomery` does not apply to forward transforms",
    ),
    "a negative factor": (
        [*NTT, "--bits", "64", "--inverse", "--montgomery=-1"],
        "montgomery: expected a number of bits of R from 0 to 2048, got -1",
    ),
    "a factor on arrays": (
        ["ntt", "--preset", "ml-kem", "--inverse", "--montgomery", "16", "--target", "jax", "--no-verify"],
        "`--montgomery` is not available on jax; omit `--montgomery`",
    ),
    "n does not divide q - 1": (
        ["ntt", "--n", "64", "--modulus", "97"],
        "n: expected a cyclic size n such that n divides q - 1, got 64 (the largest for this modulus is 2^5)",
    ),
    "2n does not divide q - 1": (
        ["polymul", "--n", "32", "--modulus", "97", "--negacyclic"],
        "n: expected a negacyclic size n such that 2n divides q - 1, got 32 (the largest for this modulus is 2^4)",
    ),
    "root of wrong order": (
        [*NTT, "--modulus", "97", "--root", "96"],
        "root: expected a primitive 16-th root of unity modulo q, got 96 (its order is 2)",
    ),
    "root not below q": (
        [*NTT, "--modulus", "97", "--root", "97"],
        "root: expected a primitive 16-th root of unity modulo q, got 97, which is not between 1 and q - 1",
    ),
    "neither bits nor modulus": (
        NTT, "modulus: expected --bits, --modulus-bits, --modulus, --moduli or --preset, got none of them",
    ),
    "a modulus longer than its container": (
        [*NTT, "--bits", "64", "--modulus-bits", "65"],
        "--modulus-bits: expected at most the 64 bits of the container, got 65",
    ),
    "a container too long": (
        ["blas", "vadd", "--bits", "2049", "--modulus", "97"], "bits: expected between 8 and 2048 bits, got 2049",
    ),
    "a modulus of another length": (
        [*NTT, "--modulus", "97", "--modulus-bits", "8"], "modulus: expected a modulus of 8 bits, got 7 bits",
    ),
    "a modulus too short for n": (
        ["ntt", "--n", "4096", "--modulus-bits", "15"],
        "--modulus-bits: expected at least 16 bits for n = 4096, got 15 (2n must divide q - 1)",
    ),
    "a length that no modulus has": (
        ["ntt", "--n", "8", "--modulus-bits", "6"],
        "--modulus-bits: expected the length of some prime modulus for n = 8, got 6 (2n must divide q - 1)",
    ),
    "a modulus too long": (
        ["blas", "vadd", "--modulus-bits", "2049"], "--modulus-bits: expected between 2 and 2048 bits, got 2049",
    ),
    "a generator that is a square": (
        [*NTT, "--modulus", "97", "--generator", "4"],
        "generator: expected a generator of the multiplicative group modulo q, got 4 (it is a square, so its powers ",
    ),
    "a generator not below q": (
        [*NTT, "--modulus", "97", "--generator", "97"],
        "generator: expected a generator of the multiplicative group modulo q, got 97, which is not between 2",
    ),
    "a generator and a root": (
        [*NTT, "--modulus", "97", "--generator", "5", "--root", "8"],
        "`--generator` cannot be combined with `--root`",
    ),
    "an operation without a modulus": (
        ["explain", "mul", "--modulus-bits", "60"],
        "--modulus-bits: expected no value, as mul has no modulus, got 60",
    ),
    "a modulus without room for Barrett's quotient": (
        ["explain", "mulmod", "--modulus-bits", "125"],
        "--modulus-bits: expected between 2 and 124 bits in a 128-bit container, got 125",
    ),
    "modulus wider than bits": (
        [*NTT, "--bits", "32", "--modulus", "goldilocks"],
        "modulus: expected a modulus of at most 32 bits, got 64 bits",
    ),
    "no number": (
        [*NTT, "--modulus", "2^^3"],
        "modulus '2^^3', character 3: expected a number, a known prime or '(', got '^'",
    ),
    "no known prime": (
        ["blas", "vadd", "--bits", "wide"],
        f"bits 'wide', character 1: expected a number, a known prime or '(', got 'wide' (known primes: {FIELDS}",
    ),
    "too few bits": (
        ["ntt", "--n", "4096", "--bits", "16"],
        "bits: expected at least 20 bits for n = 4096, got 16 (q is below 2^(bits-4), and 2n must divide q - 1)",
    ),
    "unknown target": ([*NTT, "--bits", "64", "--target", "vax"], "target: expected a target such as c, avx2, "),
    "no target file": (
        [*NTT, "--bits", "64", "--target", "vax.toml"],
        "vax.toml: the target file cannot be read (No such file or directory)",
    ),
    "unknown order": (
        [*NTT, "--bits", "64", "--order", "up"],
        "order: expected one of bitrev, natural, got up",
    ),
    "unknown reduction": (
        [*NTT, "--bits", "64", "--reduction", "magic"],
        "reduction: expected one of approximate, lazy, tight",
    ),
    "unknown product": (
        [*NTT, "--bits", "64", "--multiply", "toom"],
        "multiply: expected one of schoolbook, karatsuba, karatsuba_words, got toom",
    ),
    "Karatsuba's products in carry chains": (
        [*NTT, "--bits", "256", "--target", "cuda", "--multiply", "karatsuba"],
        '`--multiply karatsuba` is not available on cuda, which adds products of words in carry chains; omit',
    ),
    "Karatsuba's products on a machine that computes modulo q": (
        ["ntt", "--n", "1024", "--bits", "128", "--target", "b512", "--multiply", "karatsuba"],
        '`--multiply karatsuba` is not available on b512, which computes modulo q; omit',
    ),
    "unknown radix": ([*NTT, "--bits", "64", "--radix", "3"], "radix: expected one of 2, 4, 8, 16, got 3"),
    "unknown factor": (
        [*NTT, "--bits", "64", "--input-factor", "3"],
        "--input-factor: expected one of 1, 2, 4, 8, 16, got 3",
    ),
    "a range beyond the words": (
        ["blas", "vmul", "--modulus", "goldilocks", "--output-factor", "2"],
        "--output-factor: expected a factor of at most 1 for a modulus of 64 bits in 1 word, got 2",
    ),
    "unknown comparison": (
        ["blas", "cmpadd", "--bits", "64", "--cmp", "gt"],
        "cmp: expected one of eq, lt, le, ne, nlt, nle, true, false, got gt",
    ),
    "nothing to compare": (["blas", "vadd", "--bits", "64", "--cmp", "lt"], "`--cmp` does not apply to vadd"),
    "unknown blas": (
        ["blas", "gemm", "--bits", "64"], "kernel: expected one of the kernels vadd, vsub, vmul, vmuladd, axpy, scal, ",
    ),
    "a transform as an operation on vectors": (
        ["blas", "ntt", "--bits", "64"], "kernel: expected one of the kernels vadd, vsub, vmul, vmuladd, axpy, scal, ",
    ),
    "unknown compiler": (
        [*NTT, "--bits", "64", "--compiler", "icc"],
        "compiler: expected a working C compiler, got icc (",
    ),
    "a compiler that makes nothing": (
        [*NTT, "--bits", "64", "--compiler", "true"],
        "compiler: expected a working C compiler, got true (true: made no object file and gave no message)",
    ),
    "a compiler without a name": (
        [*NTT, "--bits", "64", "--compiler", ""],
        'compiler: expected a working C compiler, got "" (',
    ),
    "unknown operation": (["explain", "divmod"], "operation: expected one of the operations add, addc, "),
    "operation too narrow": (["explain", "mul", "--bits", "5"], "bits: expected between 8 and 2048 bits, got 5"),
    "unknown product of mulmod": (
        ["explain", "mulmod", "--reduction", "magic"],
        "reduction: expected one of barrett, montgomery, shoup, got magic",
    ),
    "a reduction of what has none": (
        ["explain", "add", "--reduction", "barrett"],
        "reduction: expected no value, as add does not have this option, got barrett",
    ),
    "points of an operation": (
        ["explain", "add", "--n", "4096"],
        "`--n` applies only to the operation ntt",
    ),
    "no points of an operation": (["explain", "add", "--n", ""], "`--n` applies only to the operation ntt"),
    "an inverse operation": (
        ["explain", "ct", "--inverse"],
        "`--inverse` applies only to the operation ntt",
    ),
    "the ring of an operation": (
        ["explain", "gs", "--negacyclic"],
        "`--negacyclic` applies only to the operation ntt, not to gs",
    ),
    "the data flow of an operation": (
        ["explain", "addmod", "--algorithm", "ring"],
        "`--algorithm` applies only to the operation ntt, not to addmod",
    ),
    "the limbs of an operation": (
        ["explain", "mulmod", "--limbs", "full"],
        "`--limbs` applies only to the operation ntt, not to mulmod",
    ),
    "a modulus beyond its container": (
        ["explain", "ntt", "--bits", "64", "--modulus-bits", "100"],
        "--modulus-bits: expected at most the 64 bits of the container, got 100",
    ),
    "no container": (["explain", "add", "--bits", ""], "bits "),
    "a rule without a name": (["rules", "show", ""], "rules show: expected a rule's number or name, got \"\" ("),
    "a folder without a name": (
        ["lib", "vadd:bits=64", "--output", ""],
        'argument --output: expected the name of a file or folder, got ""',
    ),
    "a page without a name": (
        ["explain", "add", "--html", ""], 'argument --html: expected the name of a file or folder, got ""',
    ),
    "wisdom without a name": ([*NTT, "--bits", "64", "--wisdom", ""], 'argument --wisdom: expected the name of a '),
    "a page where a folder is": (
        ["explain", "add", "--html", "."],
        "html: expected a writable file, got . (it is a folder)",
    ),
    "unknown rule": (
        ["rules", "show", "99"],
        "rules show: expected a rule's number or name, got 99 (numbers: 19, 20, ",
    ),
    "no rule": (["rules", "show"], "rules show: expected a rule's number or name, got nothing"),
    "unknown target to show": (["targets", "vax"], "target: expected a target such as c, avx2, "),
    "unknown section": (["bench", "--section", "sprint"], "bench: expected one of the sections race, x86, stopwatch,"),
    "sweep of an unknown kernel": (
        ["bench", "--sweep", "--kernel", "ntt,fft"],
        "kernel: expected one of the kernels ntt, polymul, basemul, vadd, vsub, vmul, vmuladd, axpy, scal, vadds,",
    ),
    "sweep of too few bits": (
        ["bench", "--sweep", "--modulus-bits", "124,10", "--n", "4096"],
        "--modulus-bits: expected enough bits for a prime q such that 8192 divides q - 1, got 10",
    ),
    "sweep of few bits": (["bench", "--sweep", "--bits", "7"], "bits: expected between 8 and 2048 bits, got 7"),
    "sweep of two widths": (
        ["bench", "--sweep", "--bits", "64", "--modulus-bits", "60"],
        "--sweep: expected --bits or --modulus-bits, got both",
    ),
    "sweep of no number": (["bench", "--sweep", "--n", "2^10,2^^3"], "n '2^^3', character 3: expected a number, "),
    "sweep of an unknown target": (
        ["bench", "--sweep", "--target", "vax"], "target: expected a target such as c, avx2, ",
    ),
    "sweep of saved kernels": (["bench", "here", "--sweep"], "--sweep: expected no saved kernels, got here"),
    "sweep of a section": (
        ["bench", "--sweep", "--section", "race"], "--sweep: expected no option --section, got race"
    ),
    "no rival": (["bench", "--sweep", "--baseline", "no.so"], "baseline: expected the path of a shared library"),
    "plots to nowhere": (
        ["bench", "--sweep", "--plot", "png"],
        "`--plot` needs a folder for the plots; add `--output`",
    ),
    "plots without a sweep": (["bench", "--plot", "png"], "--plot: expected the option --sweep too, got none"),
    "plots of one point": (
        ["bench", "--sweep", "--plot", "svg", "--output", "plots", "--bits", "64", "--n", "64", "--target", "c"],
        "`--plot` needs at least two sizes or two widths; add sizes or widths",
    ),
    "rates without a sweep": (["bench", "--rates", "r.json"], "--rates: expected the option --sweep too, got none"),
    "rates that are not there": (
        ["bench", "--sweep", "--rates", "no/r.json"],
        "rates, no/r.json: the file cannot be read (No such file or directory)",
    ),
    "no repetitions": (["bench", "--sweep", "--repetitions", "0"], "repetitions: expected at least 1, got 0"),
    "no time for a race": (
        ["bench", "--seconds", "-1"],
        "seconds: expected a positive number of seconds, got -1",
    ),
    "two formats": (["bench", "--csv", "--json"], "bench: expected --csv or --json, got both"),
    "no saved kernels to time": (
        ["bench", "nowhere"],
        "bench: expected saved kernels (NAME.c, NAME.h, NAME.json), got nowhere",
    ),
    "no saved kernels": (
        ["verify", "nowhere"],
        "verify: expected saved kernels (NAME.c, NAME.h, NAME.json), got nowhere",
    ),
    "no time for a verification": (
        ["verify", "nowhere", "--seconds", "0"],
        "seconds: expected a positive number of seconds, got 0",
    ),
    "tuning nothing": (["tune"], "kernel: expected one of the kernels ntt, polymul, basemul, vadd, "),
    "tuning an unknown kernel": (["tune", "blas", "gemm"], "kernel: expected one of the kernels ntt, polymul, "),
    "tuning a conversion": (
        ["tune", "convert"], "kernel: kernels of the kind convert have no options that are searched; tune one of ntt, ",
    ),
    "tuning two kernels": (["tune", "vadd", "vsub"], "kernel: expected one of the kernels ntt, polymul, "),
    "tuning without time": (
        ["tune", "vadd", "--bits", "64", "--seconds", "0", "--wisdom", "w.json"],
        "seconds: expected a positive number of seconds, got 0",
    ),
    "tuning for no number of seconds": (
        ["tune", "vadd", "--bits", "64", "--seconds", "long", "--wisdom", "w.json"],
        "seconds: expected a positive number of seconds, got long",
    ),
    "tuning with an option that is none": (
        ["tune", *NTT, "--bits", "64", "--radix", "3", "--wisdom", "w.json"],
        "radix: expected one of 2, 4, 8, 16, got 3",
    ),
    "showing wisdom that is not there": (
        ["tune", "--show", "--wisdom", "w.json"],
        "w.json: there is no such wisdom file; create one with `momagen tune`",
    ),
    "merging wisdom that is not there": (
        ["tune", "--merge", "w.json", "--wisdom", "mine.json"],
        "w.json: there is no such wisdom file; create one with `momagen tune`",
    ),
    "showing and forgetting": (
        ["tune", "--show", "--forget"], "argument --forget: not allowed with argument --show (see momagen tune --help)"
    ),
    "using wisdom that is not there": (
        [*NTT, "--bits", "64", "--wisdom", "w.json"],
        "w.json: there is no such wisdom file; create one with `momagen tune`",
    ),
    "a sweep with wisdom that is not there": (
        ["bench", "--sweep", "--wisdom", "w.json"],
        "w.json: there is no such wisdom file; create one with `momagen tune`",
    ),
    "wisdom for the bars": (["bench", "--wisdom", "w.json"], "--wisdom: expected the option --sweep too, got none"),
    "limbs on words": (
        [*NTT, "--bits", "64", "--limbs", "reduced"],
        "`--limbs reduced` does not support the target c; omit `--limbs`",
    ),
    "unknown unrolling": ([*NTT, "--bits", "64", "--unroll", "3"], "unroll: expected one of 1, 2, 4, 8, got 3"),
    "unknown command": (["fft"], "unknown command fft (see momagen --help)"),
    "unknown option": ([*NTT, "--speed", "9"], "unknown option --speed ("),
    "one word too many": ([*NTT, "--bits", "64", "more"], "unexpected arguments: more (see momagen ntt --help)"),
    "option without value": (["ntt", "--bits"], "argument --bits: expected one argument (see momagen ntt --help)"),
}


def refusal(args: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The line on standard error, without its prefix."""
    assert main(args) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("momagen: ") and err.count("\n") == 1
    return err.removeprefix("momagen: ")


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("json", [False, True])
def test_one_line_and_no_files(
    case: str, json: bool, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args, message = REFUSED[case]
    monkeypatch.chdir(tmp_path)
    output = ["--output", "out"] if args[0] in ("ntt", "polymul", "basemul", "blas") and args[-1] != "--bits" else []
    asked = [args[0], *output, *["--json"] * json, *args[1:]] if args[0] != "fft" else args
    assert refusal(asked, capsys).startswith(message)
    assert list(tmp_path.iterdir()) == []


C64 = 'inherits = "c64"\nname = "t"'
CUDA = 'inherits = "cuda"\nname = "t"'
IFMA = 'inherits = "avx512ifma"\nname = "t"'

TARGETS = {
    'name = "t': "t.toml: expected a target file in TOML, got ",
    C64 + "\ncolour = 3": "t.toml: expected only the keys across, ahead, architecture, attribute, block, carries,",
    'name = "t"': "t.toml: expected the key `title`, got only name",
    'inherits = "vax"\nname = "t"': "t.toml, inherits: expected a target such as c, avx2, ",
    'inherits = "c64"\nname = 3': "t.toml, name: expected a string, got 3",
    C64 + "\nheaders = [1]": "t.toml, headers: expected a list of strings, got [1]",
    C64 + "\nops = 3": "t.toml, ops: expected a table, got 3",
    C64 + "\nword = 33": "t.toml, word: expected one of 8, 16, 32, 64, 128, got 33",
    C64 + "\nregisters = -3": "t.toml, registers: expected an integer from 4 to 1024, got -3",
    C64 + "\nlongest = 0": "t.toml, longest: expected an integer from 1 to 1099511627776, got 0",
    C64 + "\ndigit = 1": "t.toml, digit: expected 0 or an integer from 32 to 60, got 1",
    C64 + "\nreal = 31": "t.toml, real: expected 0 or an integer from 32 to 50, got 31",
    C64 + "\nreal = 60": "t.toml, real: expected 0 or an integer from 32 to 50, got 60",
    C64 + "\nahead = 99999999999999999999": "t.toml, ahead: expected an integer from 0 to 1099511627776, got",
    C64[:-4] + '"my t"': "t.toml, name: expected a name of letters, digits and _ only, because it becomes part of C",
    C64[:-4] + '""': "t.toml, name: expected a name of letters, digits and _ only, because it becomes part of C",
    C64 + '\n[options]\ncarry = ["signed"]': "t.toml, [options] carry: expected one of the values signed, unsigned,",
    C64 + '\nsyntax = "rust"': "t.toml, syntax: expected one of the languages c, cuda, python, jax, b512, got rust",
    C64 + '\n[ops]\naddlo = {results = 1}': "t.toml, [ops] addlo: expected `results` with 1 expression, got",
    C64 + '\n[ops]\naddlo = "{a:>9999999999}"': "t.toml, [ops] addlo: expected placeholders without a format other",
    C64 + "\n" + "x." * 30 + "x = 1": "t.toml: expected at most 16 levels of tables and lists, got more",
    C64 + "\nops = " + "[" * 5000: "t.toml: expected a target file in TOML, got maximum recursion depth exceeded",
    C64 + f'\n[permutes.p]\ntext = "t"\ntakes = "{" ".join(["0|1"] * 40)}"': "t.toml, [permutes] p: expected at most ",
    C64 + "\nregisters = true": "t.toml, registers: expected an integer, got True",
    C64 + '\n[options]\ncarry = "foo"': "t.toml, [options] carry: expected one of the values signed, unsigned, got",
    C64 + '\n[options]\nfoo = "bar"': "t.toml, [options]: expected one of the options borrow, carry, compare,",
    C64 + '\n[options]\nunroll = "2"': "t.toml, [options]: expected one of the options borrow, carry, compare,",
    C64 + "\n[sums]\nunroll = 3": "t.toml, [sums] unroll: expected one of the values 1, 2, 4, 8, got 3",
    C64 + "\n[tiles]\nforward = [1]": "t.toml, [tiles]: expected KEY = [FROM, TO], with the key forward, inverse,",
    C64 + "\n[tiles]\nforward = [9, 1]": "t.toml, [tiles]: expected KEY = [FROM, TO], with the key forward, inverse,",
    C64 + "\n[tiles]\nforward = [true, 3]": "t.toml, [tiles]: expected KEY = [FROM, TO], with the key forward,",
    C64 + '\n[tiles]\nup = [1, 2]': "t.toml, [tiles]: expected KEY = [FROM, TO], with the key forward, inverse,",
    C64 + "\n[points]\nforward = [9, 1]": "t.toml, [points]: expected KEY = [FROM, TO], with the key forward or",
    C64 + "\n[points]\nproducts = [1, 9]": "t.toml, [points]: expected KEY = [FROM, TO], with the key forward or",
    C64 + '\n[long]\naxpy = "9"': "t.toml, [long]: expected KERNEL = BYTES, a non-negative integer, got axpy = '9'",
    C64 + "\nthreads = 96": "t.toml, threads: expected 0 or a power of two, got 96",
    C64 + "\nsharing = 0": "t.toml, sharing: expected an integer of at least 1, got 0",
    C64 + '\n[resident]\nmany = 2': "t.toml, [resident]: expected BITS = BLOCKS, with a positive number of bits and 1",
    C64 + '\n[resident]\n064 = 2': "t.toml, [resident]: expected BITS = BLOCKS, with a positive number of bits and 1",
    C64 + '\n[resident]\n64 = 0': "t.toml, [resident]: expected BITS = BLOCKS, with a positive number of bits and 1",
    C64 + '\n[resident]\n64 = 65': "t.toml, [resident]: expected BITS = BLOCKS, with a positive number of bits and 1",
    C64 + '\n[radix]\nmany = 8': "t.toml, [radix]: expected WORDS = RADIX, with a positive number of words and one of",
    C64 + '\n[radix]\n1 = 3': "t.toml, [radix]: expected WORDS = RADIX, with a positive number of words and one of",
    C64 + '\n[resident]\n64 = "2"': "t.toml, [resident]: expected BITS = BLOCKS, with a positive number of bits and 1",
    C64 + '\n[ops]\nmul = { link = "m {r}" }': "t.toml, [ops] mul: expected the key `link` only for the operations",
    C64 + '\n[ops]\naddc = { link = "add {r}" }': "t.toml, [ops] addc: the row needs `results` with 2 expressions,",
    C64 + '\n[carries]\nup = ""': "t.toml, [carries]: expected only the keys in, out, load_carry, load_borrow,",
    CUDA + '\n[ops]\naddlo = "{a} + {b}"': "t.toml, [ops] addlo: the row needs the key `link`, because the target has",
    CUDA + '\n[ops]\naddc = { link = 3 }': "t.toml, [ops] addc, link: expected a non-empty string, got 3",
    CUDA + '\n[ops]\naddc = { link = "{c}" }': "t.toml, [ops] addc, link: expected only the placeholders {a}, {b},",
    CUDA + '\n[carries]\nout = false': "t.toml, [carries]: expected an entry `out` whose value is a string, got only",
    CUDA + '\n[carries]\nkeep_carry = "{a}"': "t.toml, [carries] keep_carry: expected only the placeholders {r}, got",
    CUDA + '\n[types]\nword_in = false': "t.toml, [types]: expected an entry `word_in` whose value is a string, got",
    CUDA + '\n[ops]\nmad_low = false': "t.toml, [ops] addc: the row needs `results` with 2 expressions, not only a",
    C64 + "\nlanes = 3": "t.toml, lanes: expected a power of two from 1 to 64, got 3",
    C64 + "\nlanes = 4": "t.toml, [moves]: expected an entry `lanes` whose value is a string, got only load,",
    C64 + '\n[ops]\nsqrt = "{a}"': "t.toml, [ops]: expected one of the operations add, addc, addlo, addclo, sub,",
    C64 + '\n[ops]\nmul = "{a} * {b}"': "t.toml, [ops] mul: expected `results` with 2 expressions, got {'results':",
    C64 + '\n[ops]\naddlo = "{a} + {z}"': "t.toml, [ops] addlo: expected only the placeholders {a}, {b}, {k},",
    C64 + '\n[ops]\naddlo = "{a + {b}"': "t.toml, [ops] addlo: expected ",
    C64 + '\n[moves]\nload = "{p}[{x}]"': "t.toml, [moves] load: expected only the placeholders {i}, {p}, got {x}",
    C64 + '\n[permutes]\nturn = 3': "t.toml, [permutes] turn: expected a table with the keys text and takes, and",
    C64 + '\n[permutes.turn]\ntext = "t({a})"\ntakes = "2"': "t.toml, [permutes] turn, takes: expected 1 lane number",
    C64 + '\n[permutes.turn]\ntext = "t({z})"\ntakes = "1"': "t.toml, [permutes] turn: expected only the placeholders",
    C64 + '\n[permutes.turn]\ntext = "t({a})"\ntakes = "0|x"': "t.toml, [permutes] turn, takes: expected 1 lane",
    C64 + '\n[permutes.turn]\ntext = "t"\ntakes = "0"\nweights = [1, 2]': "t.toml, [permutes] turn: expected as many",
    C64 + '\nlanes = 2\n[moves]\nlanes = "{lanes}"': "t.toml, [types]: expected an entry `no` whose value is a",
    C64 + '\nlanes = 2\n[types]\nno = "0"\nyes = "3"\n[moves]\nlanes = "{lanes}"': "t.toml: a target with vectors",
    C64 + '\n[prelude]\n"add mine" = ""': "t.toml, [prelude]: expected names of operations, or any of carry, select,",
    C64 + '\n[prelude]\nselect = 3': "t.toml, [prelude] select: expected a string, got 3",
    C64 + '\nstandins = "mine.h"': "t.toml, standins: expected the name of a file in momagen's folder",
    C64 + "\n[ops]\nlow = false": "t.toml: a target needs a row `low` in [ops]",
    C64 + "\n[ops]\nlt = false\nlts = false": "t.toml: a target needs a row `lt` or `lts` in [ops]",
    IFMA + "\n[ops]\nsal = false": "t.toml: a target needs a row `sal` in [ops], because `digit` is not 0",
    IFMA + "\nreal = 48\n[ops]\nrmul = false": "t.toml: a target needs a row `rmul` in [ops], because `real` is not 0",
    C64 + '\nfeatures = ["avx1024"]': "target t: this CPU lacks avx1024, and the target has no stand-ins",
}


@pytest.mark.parametrize("text", TARGETS)
def test_broken_target_file(text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, out = tmp_path / "t.toml", tmp_path / "out"
    file.write_text(text, encoding="utf-8")
    line = refusal([*NTT, "--bits", "64", "--target", str(file), "--output", str(out)], capsys)
    assert line.startswith(TARGETS[text])
    assert not out.exists()


def test_target_that_lacks_an_operation(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    types = 'word = "w"\nflag = "w"\nconst = "{x}"'
    moves = 'load = "{p}[{i}]"\nbroadcast = "{p}[{i}]"\nstore = "{p}[{i}] = {a};"'
    head = 'name = "t"\ntitle = "nothing"\nword = 64\nlanes = 1\nsyntax = "c"'
    head += '\nmemory = [{ name = "cache", bytes = 64, line = 64 }]'
    file.write_text(f"{head}\n[types]\n{types}\n[moves]\n{moves}\n[ops]\n", encoding="utf-8")
    line = refusal(["explain", "add", "--target", str(file)], capsys)
    assert line == "t.toml: a target needs a row `addlo` in [ops]\n"


@pytest.mark.parametrize("command", [[*NTT, "--bits", "64"], ["regen"], ["explain", "add", "--html"]])
def test_file_in_the_way_of_a_folder(command: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    where = [str(file / "page.html")] if command[-1] == "--html" else ["--output", str(file)]
    line = refusal([*command, *where], capsys)
    assert "expected a writable folder, got " in line and f"({file} is not a folder)" in line
    assert file.read_text(encoding="utf-8") == "mine"


def test_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(MomagenError) as caught:
        check_folder(tmp_path / "new" / "kernels")
    new = tmp_path / "new" / "kernels"
    assert (
        str(caught.value) == f"output: expected a writable folder, got {new} (no permission for {tmp_path})"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("bare")
def test_no_compiler_at_all(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    line = refusal([*NTT, "--bits", "64", "--output", str(tmp_path / "out")], capsys)
    assert line == (
        "compiler: expected a C compiler ($CC, clang, gcc or the ziglang wheel), got none "
        "(python3 -m pip install 'momagen[cc]', or apt install clang)\n"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("bare")
def test_no_compiler_is_needed_to_generate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main([*NTT, "--bits", "64", "--output", str(out), "--no-verify", "--no-bench"]) == 0
    assert capsys.readouterr().err == ""
    assert {path.name for path in out.iterdir()} == {f"ntt16_60b_c{suffix}" for suffix in (".c", ".h", ".json")}


@pytest.mark.parametrize("shown", [False, True])
def test_a_mistake_of_ours_is_one_line_too(
    shown: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("momagen.cli.commands.rules.rows", lambda: 1 // 0)
    monkeypatch.setenv("MOMAGEN_TRACEBACK", "1" if shown else "")
    if shown:
        with pytest.raises(ZeroDivisionError):
            main(["rules"])
    else:
        assert main(["rules"]) == 3
        assert capsys.readouterr().err.startswith(
            "momagen: internal error, please report it: ZeroDivision"
        )


@pytest.mark.parametrize("text", ["{", '{"momagen wisdom": 1, "rows": []}', '{"momagen wisdom": 2, "rows": [{}]}'])
@pytest.mark.parametrize(
    "command",
    [[*NTT, "--bits", "64"], ["tune", *NTT, "--bits", "64"], ["tune", "--show"], ["tune", "--forget"]],
)
def test_broken_wisdom(
    command: list[str], text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "w.json"
    file.write_text(text)
    monkeypatch.chdir(tmp_path)
    assert refusal([*command, "--wisdom", str(file)], capsys).startswith(str(file))
    assert file.read_text() == text and list(tmp_path.iterdir()) == [file]


def test_tuning_what_this_cpu_cannot_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOMAGEN_DISABLE", "avx2")
    file = tmp_path / "w.json"
    line = refusal(["tune", *NTT, "--bits", "64", "--target", "avx2", "--wisdom", str(file)], capsys)
    assert line == (
        "target avx2: expected a CPU with avx2, fma, got one without avx2 (emulated kernels cannot be timed)\n"
    )
    assert not file.exists()


def test_wisdom_to_no_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    line = refusal(["tune", "vadd", "--bits", "64", "--wisdom", str(file / "w.json")], capsys)
    assert line.startswith("wisdom: expected a writable folder, got ")
