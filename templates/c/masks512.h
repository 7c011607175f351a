/* The flags of all lanes as a number, unknown to the compiler: or masks go to vectors to be put together. */
static inline MG_SIMD uint64_t mg_lift(__mmask8 flags)
{
    uint64_t mask = flags;
#if defined(__GNUC__)
    __asm__("" : "+r"(mask));
#endif
    return mask;
}

/* The words of one number again and again: what stands in the lanes of registers that hold many numbers. */
static inline void mg_repeat(uint64_t *z, size_t count, const uint64_t *a, size_t words)
{
    for (size_t i = 0; i < count; i++)
        z[i] = a[i % words];
}
