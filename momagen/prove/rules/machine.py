"""The meanings of the operations of machines, in the notation of ``rules/operations.toml``.

Words are from 0 to 2^w - 1, flags are 0 or 1, and integers have any size and sign: the letters w, f and i after the
colon say which arguments and results are which. "c ≡ a + b (mod 2^w)" for a word c is the sum without its carry.
"""

MACHINE = """\
add        | a b: ww → fw      | f c | f · 2^w + c = a + b
addc       | a b d: wwf → fw   | f c | f · 2^w + c = a + b + d
addlo      | a b: ww → w       | c   | c = (a + b) mod 2^w
addclo     | a b d: wwf → w    | c   | c = (a + b + d) mod 2^w
sub        | a b: ww → fw      | f c | c - f · 2^w = a - b
subb       | a b d: wwf → fw   | f c | c - f · 2^w = a - b - d
sublo      | a b: ww → w       | c   | c = (a - b) mod 2^w
subblo     | a b d: wwf → w    | c   | c = (a - b - d) mod 2^w
mul        | a b: ww → ww      | h l | h · 2^w + l = a · b
mulhi      | a b: ww → w       | c   | c = (a · b) / 2^w
mullo      | a b: ww → w       | c   | c = (a · b) mod 2^w
mulhalf    | a b: ww → w       | c   | c = a mod 2^(w / 2) · b mod 2^(w / 2)
lt         | a b: ww → f       | f   | f = (a < b)
le         | a b: ww → f       | f   | f = (a ≤ b)
eq         | a b: ww → f       | f   | f = (a =? b)
and        | a b: ff → f       | f   | f = a · b
or         | a b: ff → f       | f   | f = a + b - a · b
not        | a: f → f          | f   | f = 1 - a
select     | d a b: fii → i    | c   | c = a if d otherwise b
word       | a: f → w          | c   | c = a
top        | a: w → f          | f   | f = a / 2^(w - 1)
addif      | d a b: fww → w    | c   | c = (a + d · b) mod 2^w
subif      | d a b: fww → w    | c   | c = (a - d · b) mod 2^w
inc        | a d: wf → w       | c   | c = (a + d) mod 2^w
dec        | a d: wf → w       | c   | c = (a - d) mod 2^w
shr        | a: w → w          | c   | c = a / 2^k
shl        | a: w → w          | c   | c = (a << k) mod 2^w
shrd       | a b: ww → w       | c   | c = (((a << w) + b) / 2^k) mod 2^w
low        | a: i → w          | c   | c = a mod 2^min(k, w)
lts        | a b: ww → f       | f   | f = ((a + 2^(w - 1)) mod 2^w < (b + 2^(w - 1)) mod 2^w)
select_top | d a b: iii → i    | c   | c = a if (d / 2^(w - 1)) mod 2 otherwise b
plus       | a b: ii → i       | c   | c = a + b
minus      | a b: ii → i       | c   | c = a - b
sar        | a: i → i          | c   | c = a / 2^k
sal        | a: i → i          | c   | c = a << k
clear      | a: i → i          | c   | c = a / 2^k << k
settle     | a: i → i          | c   | c = a
negative   | a: i → f          | f   | f = (a < 0)
signed     | a b: ww → i       | c   | c = (a + 2^(w - 1)) mod 2^w - 2^(w - 1)
mulhalves  | a b: ww → w       | c   | c = ((a >> h) · (b >> h)) mod 2^h · 2^h + (a · b) mod 2^h
subhalves  | a b: ww → w       | c   | c = ((a >> h) - (b >> h)) mod 2^h · 2^h + (a - b) mod 2^h
swaphalves | a: i → w          | c   | c = a mod 2^(w / 2) · 2^(w / 2) + (a >> w / 2) mod 2^(w / 2)
smulhalf   | a b: ii → w       | c   | c = (s · t) mod 2^w
umin       | a b: ii → i       | c   | c = a if x ≤ y otherwise b
umax       | a b: ii → i       | c   | c = b if x ≤ y otherwise a
mulhis     | a b: ii → i       | c   | c = (s · t) / 2^w
mullos     | a b: ii → i       | c   | c = (a · b + 2^(w - 1)) mod 2^w - 2^(w - 1)
sublos     | a b: ii → i       | c   | c = (a - b + 2^(w - 1)) mod 2^w - 2^(w - 1)
mulhrs     | a b: ii → i       | c   | c = ((s · t) / 2^(w - 2) + 1) / 2
fmalo      | c a b: iii → i    | d   | d = c + (a · b) mod 2^n
fmahi      | c a b: iii → i    | d   | d = c + (a mod 2^n · b mod 2^n) / 2^n
near       | c a: ii → i       | d   | d ≈ c + a / 2^k; 2 · abs((c - d) · 2^k + a) ≤ 2^k
rest       | a b: ii → i       | d   | d = a - b · 2^k
fmanear    | c a b: iii → i    | d   | d ≈ c + a · b / 2^k; 2 · abs((c - d) · 2^k + a · b) ≤ 2^k
fmarest    | c a b: iii → i    | d   | d = c · 2^k + a · b
fmadown    | c a b: iii → i    | d   | d = (c + a · b) / 2^k
fmsrest    | c a b: iii → i    | d   | d = a · b - c · 2^k
fnmarest   | c a b: iii → i    | d   | d = c · 2^k - a · b
mulleading | a b: ii → i       | d   | d ≈ a · b; 2^53 · abs(a · b - d) ≤ abs(a · b)
leading    | a b: ii → i       | d   | d ≈ a · 2^k + b; 2^53 · abs(a · 2^k + b - d) ≤ abs(a · 2^k + b)
"""
"""The name of each operation, its arguments and results with their kinds, the names of the results, and its meaning."""

SIGNED = "s = (a + 2^(w - 1)) mod 2^w - 2^(w - 1)\nt = (b + 2^(w - 1)) mod 2^w - 2^(w - 1)"
HALF = "h = w / 2"
LETS = {
    "mulhis": SIGNED, "mulhrs": SIGNED, "mulhalves": HALF, "subhalves": HALF,
    "smulhalf": "h = 2^(w / 2)\ns = (a + h / 2) mod h - h / 2\nt = (b + h / 2) mod h - h / 2",
    "umin": "x = a + 2^(2 · w + 64) if a < 0 otherwise a\ny = b + 2^(2 · w + 64) if b < 0 otherwise b",
    "fmalo": "n = k if 0 < k otherwise w",
}
LETS["umax"], LETS["fmahi"] = LETS["umin"], LETS["fmalo"]
"""The names that a meaning uses. umin and umax compare words without signs, of which negative ones are the largest."""

REQUIRES = {
    "signed": "-b ≤ (a + 2^(w - 1)) mod 2^w - 2^(w - 1); (a + 2^(w - 1)) mod 2^w - 2^(w - 1) < b",
    "umin": "-2^(2 · w + 63) < a; a < 2^(2 · w + 63); -2^(2 · w + 63) < b; b < 2^(2 · w + 63)",
    "fmadown": "(c + a · b) mod 2^k = 0",
}
REQUIRES["umax"] = REQUIRES["umin"]
"""The preconditions of the operations that have one."""
