/* All ones, unknown to the compiler: or it adds the flags of a mask in two steps. */
static inline __attribute__((unused)) MG_SIMD __m512i mg_ones(void)
{
    __m512i ones = _mm512_set1_epi64(-1);
    MG_OPAQUE(ones);
    return ones;
}
