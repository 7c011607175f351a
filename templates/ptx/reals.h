/* Floating-point operations on bit patterns, with the rounding mode of the instruction. Few compilers model rounding modes, so each
   operation loads its operands from memory after the mode is set, and stores its result before the mode is reset. */
#include <fenv.h>
#include <math.h>

enum { MG_RN = FE_TONEAREST, MG_RZ = FE_TOWARDZERO, MG_RM = FE_DOWNWARD, MG_RP = FE_UPWARD };
#define RN MG_RN

static inline double mg_real_f64(uint64_t x)
{
    double y;
    memcpy(&y, &x, sizeof y);
    return y;
}

static inline float mg_real_f32(uint32_t x)
{
    float y;
    memcpy(&y, &x, sizeof y);
    return y;
}

static inline uint64_t mg_bits_f64(double x)
{
    uint64_t y;
    memcpy(&y, &x, sizeof y);
    return x != x ? 0x7fffffffffffffff : y; /* the canonical NaN of the ISA */
}

static inline uint32_t mg_bits_f32(float x)
{
    uint32_t y;
    memcpy(&y, &x, sizeof y);
    return x != x ? 0x7fffffff : y;
}

#define MG_REAL(NAME, WORD, TYPE, ARGUMENTS, VALUE, SETS)                                                                          \
    static __attribute__((noinline, unused)) WORD NAME ARGUMENTS                                                                   \
    {                                                                                                                              \
        SETS;                                                                                                                      \
        const int before = fegetround();                                                                                           \
        if (mode != before)                                                                                                        \
            fesetround(mode);                                                                                                      \
        volatile TYPE result = VALUE;                                                                                              \
        if (mode != before)                                                                                                        \
            fesetround(before);                                                                                                    \
        return mg_result_##TYPE(result);                                                                                           \
    }

static inline uint64_t mg_result_double(double x) { return mg_bits_f64(x); }
static inline uint32_t mg_result_float(float x) { return mg_bits_f32(x); }

#define MG_ONE(F, TYPE) volatile TYPE x = mg_real_##F(a)
#define MG_TWO(F, TYPE) MG_ONE(F, TYPE); volatile TYPE y = mg_real_##F(b)
#define MG_THREE(F, TYPE) MG_TWO(F, TYPE); volatile TYPE z = mg_real_##F(c)

/* min and max return the other operand if one is NaN, and treat -0 as less than 0. */
#define MG_ARITHMETIC(F, WORD, TYPE, FMA, SQRT)                                                                                    \
    MG_REAL(mg_add_##F, WORD, TYPE, (WORD a, WORD b, int mode), x + y, MG_TWO(F, TYPE))                                            \
    MG_REAL(mg_sub_##F, WORD, TYPE, (WORD a, WORD b, int mode), x - y, MG_TWO(F, TYPE))                                            \
    MG_REAL(mg_mul_##F, WORD, TYPE, (WORD a, WORD b, int mode), x * y, MG_TWO(F, TYPE))                                            \
    MG_REAL(mg_div_##F, WORD, TYPE, (WORD a, WORD b, int mode), x / y, MG_TWO(F, TYPE))                                            \
    MG_REAL(mg_fma_##F, WORD, TYPE, (WORD a, WORD b, WORD c, int mode), FMA(x, y, z), MG_THREE(F, TYPE))                           \
    MG_REAL(mg_rcp_##F, WORD, TYPE, (WORD a, int mode), 1 / x, MG_ONE(F, TYPE))                                                    \
    MG_REAL(mg_sqrt_##F, WORD, TYPE, (WORD a, int mode), SQRT(x), MG_ONE(F, TYPE))                                                 \
    static inline WORD mg_min_##F(WORD a, WORD b)                                                                                  \
    {                                                                                                                              \
        const TYPE x = mg_real_##F(a), y = mg_real_##F(b);                                                                         \
        return x != x ? mg_bits_##F(y) : y != y || x < y ? a : y < x ? b : a | b;                                                  \
    }                                                                                                                              \
    static inline WORD mg_max_##F(WORD a, WORD b)                                                                                  \
    {                                                                                                                              \
        const TYPE x = mg_real_##F(a), y = mg_real_##F(b);                                                                         \
        return x != x ? mg_bits_##F(y) : y != y || x > y ? a : y > x ? b : a & b;                                                  \
    }

MG_ARITHMETIC(f64, uint64_t, double, fma, sqrt)
MG_ARITHMETIC(f32, uint32_t, float, fmaf, sqrtf)
MG_REAL(mg_narrow, uint32_t, float, (uint64_t a, int mode), (float)x, volatile double x = mg_real_f64(a))

static inline uint64_t mg_widen(uint32_t a)
{
    return mg_bits_f64((double)mg_real_f32(a));
}

/* Converts a signed or unsigned 64-bit integer to a floating-point number with `digits` bits of precision, in integer arithmetic:
   compilers convert unsigned integers in several ways, some of which are wrong in some rounding modes. */
static uint64_t mg_rounded(uint64_t x, int is_signed, int mode, int digits)
{
    const int negative = is_signed && x >> 63;
    const uint64_t size = negative ? 0 - x : x;
    if (!size)
        return 0;
    const int top = 63 - (int)mg_clz(size), drop = top + 1 - digits;
    const int bias = digits == 53 ? 1023 : 127, width = digits == 53 ? 64 : 32;
    uint64_t kept = drop > 0 ? size >> drop : size << -drop;
    const uint64_t rest = drop > 0 ? size << (64 - drop) : 0, half = (uint64_t)1 << 63;
    const int up = mode == MG_RN ? rest > half || (rest == half && kept & 1) : mode == MG_RP ? rest && !negative
                 : mode == MG_RM ? rest && negative : 0;
    kept += (uint64_t)up; /* a carry out of the significand correctly increments the exponent */
    return kept - ((uint64_t)1 << (digits - 1)) + ((uint64_t)(top + bias) << (digits - 1)) + ((uint64_t)negative << (width - 1));
}

static inline uint64_t mg_f64_of(uint64_t x, int is_signed, int mode)
{
    return mg_rounded(x, is_signed, mode, 53);
}

static inline uint32_t mg_f32_of(uint64_t x, int is_signed, int mode)
{
    return (uint32_t)mg_rounded(x, is_signed, mode, 24);
}

/* Conversions to integers saturate; NaN gives 0. */
#define MG_LEAST_u32 0.0
#define MG_MOST_u32 0xffffffffu
#define MG_SIGNED_u32 0
#define MG_LEAST_u64 0.0
#define MG_MOST_u64 0xffffffffffffffffu
#define MG_SIGNED_u64 0
#define MG_LEAST_s32 (-0x1p31)
#define MG_MOST_s32 0x7fffffffu
#define MG_SIGNED_s32 1
#define MG_LEAST_s64 (-0x1p63)
#define MG_MOST_s64 0x7fffffffffffffffu
#define MG_SIGNED_s64 1

static inline double mg_to_integral(double x, int mode)
{
    return mode == MG_RN ? nearbyint(x) : mode == MG_RZ ? trunc(x) : mode == MG_RM ? floor(x) : ceil(x);
}

static inline uint64_t mg_rint_f64(uint64_t a, int mode)
{
    return mg_bits_f64(mg_to_integral(mg_real_f64(a), mode));
}

static __attribute__((unused)) uint64_t mg_whole(double x, int mode, double least, uint64_t most, int is_signed)
{
    if (x != x)
        return 0;
    x = mg_to_integral(x, mode);
    if (x <= least)
        return (uint64_t)(int64_t)least;
    if (x >= (double)most) /* (double)most is rounded up to a power of two if it has more than 53 bits */
        return most;
    return is_signed ? (uint64_t)(int64_t)x : (uint64_t)x;
}
