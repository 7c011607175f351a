#ifdef __FAST_MATH__
#error "sums of doubles must round as written: compile without -ffast-math"
#endif
/* Four doubles, whose bits lie in lanes of 64. */
static inline __attribute__((always_inline)) MG_SIMD __m256i mg_radd(__m256i a, __m256i b)
{
    return _mm256_castpd_si256(_mm256_add_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
}
static inline __attribute__((always_inline)) MG_SIMD __m256i mg_rsub(__m256i a, __m256i b)
{
    return _mm256_castpd_si256(_mm256_sub_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
}
static inline __attribute__((always_inline)) MG_SIMD __m256i mg_rfma(__m256i a, __m256i b, __m256i c)
{
    return _mm256_castpd_si256(_mm256_fmadd_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b), _mm256_castsi256_pd(c)));
}
/* The bits of 2^52 * 2^k, and of 3 * 2^51 * 2^k: there the last bit counts 2^k. */
#define MG_UNIT(k) _mm256_set1_epi64x((long long)(1075 + (k)) << 52)
#define MG_MIDDLE(k) _mm256_set1_epi64x(((long long)(1075 + (k)) << 52) + (1LL << 51))
/* Integers from 0 to 2^52 - 1 to doubles times 2^k, and from doubles times 2^k within 2^51 to integers. */
#define mg_real(a, k) mg_rsub(_mm256_or_si256(a, MG_UNIT(k)), MG_UNIT(k))
#define mg_unreal(a, k) _mm256_sub_epi64(mg_radd(a, MG_MIDDLE(k)), MG_MIDDLE(k))
