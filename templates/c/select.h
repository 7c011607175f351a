/* f ? a : b, chosen where no compiler sees it, which else may make a branch of it: on x86-64 by one statement of assembly, elsewhere
   by a mask of which it knows no longer that it is 0 or all ones. */
#if defined(__GNUC__)
__attribute__((unused)) /* a kernel may need none */
#endif
static inline uint64_t mg_select(unsigned char f, uint64_t a, uint64_t b)
{
#if defined(__GNUC__) && defined(__x86_64__)
    __asm__("testb %[f], %[f]\n\tcmovnzq %[a], %[b]" : [b] "+r"(b) : [a] "r"(a), [f] "q"(f) : "cc");
    return b;
#else
#if defined(__GNUC__)
    unsigned g = f;
    __asm__("" : "+r"(g));
#else
    volatile unsigned g = f;
#endif
    return b ^ ((a ^ b) & (0 - (uint64_t)g));
#endif
}
