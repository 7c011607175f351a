/* f ? a : b without a branch. Clang turns even a mask into one, unless it is told not to, or before 17 does not see it. */
static inline uint64_t mg_select(uint64_t f, uint64_t a, uint64_t b)
{
#if defined(__clang__) && __clang_major__ >= 17
    return __builtin_unpredictable((long)f) ? a : b;
#else
    uint64_t m = 0 - f;
#if defined(__clang__)
    __asm__("" : "+r"(m));
#endif
    return b ^ ((a ^ b) & m);
#endif
}
