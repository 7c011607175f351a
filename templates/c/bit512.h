/* Which lanes of a have a bit of m, unknown to the compiler: or it inverts the mask, and adds under it in two steps. */
static inline __attribute__((always_inline)) MG_SIMD __mmask8 mg_bit(__m512i a, __m512i m)
{
    __mmask8 flags = _mm512_test_epi64_mask(a, m);
#if defined(__GNUC__) && !defined(MOMAGEN_STANDINS)
    __asm__("" : "+Yk"(flags));
#endif
    return flags;
}
