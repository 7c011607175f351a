#ifndef __SIZEOF_INT128__
#error "no unsigned __int128 here: make this kernel with --target c64, which needs 64-bit words alone"
#endif
__extension__ typedef unsigned __int128 u128;

/* s = a + b + c and the carry out; s = a - b - c and the borrow out: what <immintrin.h> calls _addcarry_u64 and
   _subborrow_u64, without a header that takes a compiler longer to read than the kernel. */
#if defined(__GNUC__)
#define MG_EITHER __attribute__((unused)) /* a kernel may need but one of them */
#else
#define MG_EITHER
#endif
#if defined(__x86_64__) && !defined(MOMAGEN_STANDINS)
#if defined(__clang__)
#define MG_SBB __builtin_ia32_subborrow_u64
#else
#define MG_SBB __builtin_ia32_sbb_u64
#endif
static MG_EITHER inline unsigned char mg_adc(unsigned char c, uint64_t a, uint64_t b, uint64_t *s)
{
    unsigned long long t;
    c = __builtin_ia32_addcarryx_u64(c, a, b, &t);
    *s = t;
    return c;
}

static MG_EITHER inline unsigned char mg_sbb(unsigned char c, uint64_t a, uint64_t b, uint64_t *s)
{
    unsigned long long t;
    c = MG_SBB(c, a, b, &t);
    *s = t;
    return c;
}
#else
static MG_EITHER inline unsigned char mg_adc(unsigned char c, uint64_t a, uint64_t b, uint64_t *s)
{
    const u128 t = (u128)a + b + c;
    *s = (uint64_t)t;
    return (unsigned char)(t >> 64);
}

static MG_EITHER inline unsigned char mg_sbb(unsigned char c, uint64_t a, uint64_t b, uint64_t *s)
{
    const u128 t = (u128)a - b - c;
    *s = (uint64_t)t;
    return (unsigned char)(t >> 64) & 1;
}
#endif
