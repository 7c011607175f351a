/* Bit operations and memory accesses that the expressions in the table of opcodes use. */

#define MG_ACCESS(N)                                                                                                               \
    static inline uint##N##_t mg_get##N(const uint8_t *from)                                                                       \
    {                                                                                                                              \
        uint##N##_t x;                                                                                                             \
        memcpy(&x, from, sizeof x);                                                                                                \
        return x;                                                                                                                  \
    }                                                                                                                              \
    static inline void mg_put##N(uint8_t *to, uint##N##_t x) { memcpy(to, &x, sizeof x); }

MG_ACCESS(8)
MG_ACCESS(16)
MG_ACCESS(32)
MG_ACCESS(64)

static inline uint64_t mg_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static inline uint32_t mg_clz(uint64_t x)
{
    return x ? (uint32_t)__builtin_clzll(x) : 64;
}

static inline uint32_t mg_popc(uint64_t x)
{
    return (uint32_t)__builtin_popcountll(x);
}

static inline uint64_t mg_brev(uint64_t x)
{
    x = (x & 0x5555555555555555) << 1 | (x >> 1 & 0x5555555555555555);
    x = (x & 0x3333333333333333) << 2 | (x >> 2 & 0x3333333333333333);
    x = (x & 0x0f0f0f0f0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f0f0f0f0f);
    return __builtin_bswap64(x);
}

/* Bit i of the result is bit 4·a_i + 2·b_i + c_i of `table`. */
static inline uint32_t mg_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t d = 0;
    for (int i = 0; i < 8; i++)
        if (table >> i & 1)
            d |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return d;
}

/* Each nibble of `how` selects a byte of b:a or, if its bit 3 is set, eight copies of the sign bit of that byte. */
static inline uint32_t mg_prmt(uint32_t a, uint32_t b, uint32_t how)
{
    const uint64_t bytes = mg_pair(b, a);
    uint32_t d = 0;
    for (int i = 0; i < 4; i++) {
        const uint32_t nibble = how >> 4 * i & 15;
        const uint8_t byte = (uint8_t)(bytes >> 8 * (nibble & 7));
        d |= (uint32_t)(nibble & 8 ? (uint8_t)(byte >> 7 ? 255 : 0) : byte) << 8 * i;
    }
    return d;
}

/* Returns `length` bits of a from `position` on. Higher bits are copies of the last extracted bit if `sign` is set, else 0. */
static inline uint64_t mg_bfe(uint64_t a, uint32_t bits, uint32_t position, uint32_t length, int sign)
{
    position &= 255, length &= 255;
    const uint32_t last = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
    const uint64_t fill = sign && length && a >> last & 1;
    uint64_t d = 0;
    for (uint32_t i = 0; i < bits; i++)
        d |= (i < length && position + i < bits ? a >> (position + i) & 1 : fill) << i;
    return d;
}

/* Returns b with `length` bits from `position` on replaced by the low bits of a. */
static inline uint64_t mg_bfi(uint64_t a, uint64_t b, uint32_t bits, uint32_t position, uint32_t length)
{
    position &= 255, length &= 255;
    for (uint32_t i = 0; i < length && position + i < bits; i++)
        b = (b & ~((uint64_t)1 << (position + i))) | (a >> i & 1) << (position + i);
    return b;
}
