/* The sign of every lane: AVX2 has no arithmetic shift of 64 bits, but x >> k = ((x + 2^63) >> k) - (2^63 >> k). */
#define MG_SIGNS _mm256_set1_epi64x((long long)(UINT64_C(1) << 63))
