/* What a multiprocessor does in a cycle: long runs of one instruction, independent enough to fill its pipe.
   NAME(out, cycles, rounds): every thread runs rounds × UNROLL × CHAINS of it; cycles: of block 0. */
typedef unsigned int u32;
typedef unsigned long long u64;
#define CHAINS 8
#define UNROLL 32

/* STEP once in each chain, UNROLL times in a round; cycles: of block 0. */
#define TIMED(UNROLLED, CHAINED, STEP) \
    __syncthreads(); \
    const long long began = clock64(); \
    _Pragma("unroll 1") \
    for (u32 r = 0; r < rounds; r++) { \
        _Pragma("unroll") \
        for (int j = 0; j < UNROLLED; j++) { \
            _Pragma("unroll") \
            for (int i = 0; i < CHAINED; i++) { STEP } \
        } \
    } \
    __syncthreads(); \
    const long long took = clock64() - began; \
    if (blockIdx.x == 0 && threadIdx.x == 0) \
        cycles[0] = took;

#define KERNEL(NAME, TYPE, START, STEP) \
extern "C" __global__ void __launch_bounds__(1024) NAME(u32 *out, u64 *cycles, u32 rounds) \
{ \
    TYPE x[CHAINS]; \
    const u32 a = threadIdx.x * 2654435761u + rounds, b = a ^ 0x9e3779b9u; \
    const double f = 1.0 + a * 1e-18, g = b * 1e-18; \
    (void)f; (void)g; (void)a; (void)b; \
    for (int i = 0; i < CHAINS; i++) \
        x[i] = START; \
    TIMED(UNROLL, CHAINS, STEP;) \
    TYPE sum = x[0]; \
    for (int i = 1; i < CHAINS; i++) \
        sum += x[i]; \
    if (sum == (TYPE)0x12345678) \
        out[threadIdx.x] = 1; \
}

KERNEL(multiply, u32, a + i, asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x[i]) : "r"(a), "r"(b)))
KERNEL(add, u32, a + i, asm volatile("{ .reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2; }" : "+r"(x[i]) : "r"(a), "r"(b)))
KERNEL(fp64, double, f + i, asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x[i]) : "d"(f), "d"(g)))

/* A row of a product: the even columns of two digits, their carry handed on by IMAD.WIDE, as butterflies have them.
   BESIDE: an addition for each of the two products: they have a pipe of their own. */
#define ROWS(NAME, BESIDE) \
extern "C" __global__ void __launch_bounds__(1024) NAME(u32 *out, u64 *cycles, u32 rounds) \
{ \
    u32 x[CHAINS / 2][5], y[CHAINS / 2][2]; \
    const u32 a = threadIdx.x * 2654435761u + rounds, b = a ^ 0x9e3779b9u; \
    for (int i = 0; i < CHAINS / 2; i++) { \
        y[i][0] = a + i, y[i][1] = b + i; \
        for (int j = 0; j < 5; j++) \
            x[i][j] = a + i * 5 + j; \
    } \
    TIMED(UNROLL, CHAINS / 2, \
          asm volatile("mad.lo.cc.u32 %0, %4, %5, %0; madc.hi.cc.u32 %1, %4, %5, %1;" \
                       "madc.lo.cc.u32 %2, %6, %5, %2; madc.hi.cc.u32 %3, %6, %5, %3;" \
                       : "+r"(x[i][0]), "+r"(x[i][1]), "+r"(x[i][2]), "+r"(x[i][3]) : "r"(x[i][4]), "r"(b), "r"(a)); \
          BESIDE) \
    u32 sum = 0; \
    for (int i = 0; i < CHAINS / 2; i++) { \
        sum += y[i][0] + y[i][1]; \
        for (int j = 0; j < 5; j++) \
            sum += x[i][j]; \
    } \
    if (sum == 0x12345678) \
        out[threadIdx.x] = 1; \
}
#define ADD(Y) asm volatile("{ .reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2; }" : "+r"(Y) : "r"(a), "r"(b));

ROWS(wide_carry, )
ROWS(wide_beside, ADD(y[i][0]) ADD(y[i][1]))

extern "C" __global__ void __launch_bounds__(256) copy(uint4 *out, const uint4 *in, u32 count)
{
    const u32 i = blockIdx.x * 256 + threadIdx.x;
    if (i < count)
        out[i] = in[i];
}
