#ifdef __FAST_MATH__
#error "sums of doubles must round as written: compile without -ffast-math"
#endif
/* Eight doubles, whose bits lie in lanes of 64. */
static inline __attribute__((always_inline)) MG_SIMD __m512i mg_radd(__m512i a, __m512i b)
{
    return _mm512_castpd_si512(_mm512_add_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b)));
}
static inline __attribute__((always_inline)) MG_SIMD __m512i mg_rsub(__m512i a, __m512i b)
{
    return _mm512_castpd_si512(_mm512_sub_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b)));
}
static inline __attribute__((always_inline)) MG_SIMD __m512i mg_rfma(__m512i a, __m512i b, __m512i c)
{
    return _mm512_castpd_si512(_mm512_fmadd_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b), _mm512_castsi512_pd(c)));
}
/* The bits of 2^52 * 2^k, and of 3 * 2^51 * 2^k: there the last bit counts 2^k. */
#define MG_UNIT(k) _mm512_set1_epi64((long long)(1075 + (k)) << 52)
#define MG_MIDDLE(k) _mm512_set1_epi64(((long long)(1075 + (k)) << 52) + (1LL << 51))
/* Integers from 0 to 2^52 - 1 to doubles times 2^k, and from doubles times 2^k within 2^51 to integers. */
#define mg_real(a, k) mg_rsub(_mm512_or_si512(a, MG_UNIT(k)), MG_UNIT(k))
#define mg_unreal(a, k) _mm512_sub_epi64(mg_radd(a, MG_MIDDLE(k)), MG_MIDDLE(k))
