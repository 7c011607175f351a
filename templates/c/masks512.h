/* The flags of all lanes as a number, unknown to the compiler: or masks go to vectors to be put together. */
static inline MG_SIMD uint64_t mg_lift(__mmask8 flags)
{
    uint64_t mask = flags;
#if defined(__GNUC__)
    __asm__("" : "+r"(mask));
#endif
    return mask;
}
