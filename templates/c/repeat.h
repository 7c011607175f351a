/* The words of one number again and again: what stands in the lanes of registers that hold many numbers. */
static inline void mg_repeat(uint64_t *z, size_t count, const uint64_t *a, size_t words)
{
    for (size_t i = 0; i < count; i++)
        z[i] = a[i % words];
}
