/* All ones, unknown to the compiler: or it adds the flags of a mask in two steps. */
static inline MG_SIMD __m512i mg_ones(void)
{
    __m512i ones = _mm512_set1_epi64(-1);
    MG_OPAQUE(ones);
    return ones;
}

/* The flags of all lanes as a number, unknown too: or masks go to vectors to be put together. */
static inline MG_SIMD uint64_t mg_lift(__mmask8 flags)
{
    uint64_t mask = flags;
#if defined(__GNUC__)
    __asm__("" : "+r"(mask));
#endif
    return mask;
}
