/* The products of the low 32 bits, signed. clang would turn them into products of 64 bits, three times as slow. */
#if defined(__clang__) && !defined(MOMAGEN_STANDINS)
static inline __attribute__((always_inline)) MG_SIMD __m512i mg_muldq(__m512i a, __m512i b)
{
    __m512i product;
    __asm__("vpmuldq %2, %1, %0" : "=v"(product) : "v"(a), "v"(b));
    return product;
}
#else
#define mg_muldq(a, b) _mm512_mul_epi32(a, b)
#endif
