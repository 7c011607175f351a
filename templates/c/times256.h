/* The products of the low 32 bits, signed. clang would turn them into products of 64 bits, lane by lane. */
#if defined(__clang__) && !defined(MOMAGEN_STANDINS)
static inline __attribute__((always_inline)) MG_SIMD __m256i mg_muldq(__m256i a, __m256i b)
{
    __m256i product;
    __asm__("vpmuldq %2, %1, %0" : "=x"(product) : "x"(a), "x"(b));
    return product;
}
#else
#define mg_muldq(a, b) _mm256_mul_epi32(a, b)
#endif
