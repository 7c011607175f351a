/* Emulates predicated additions lane by lane (MQX paper, Section 5.5). A lane whose predicate bit is 0 keeps its
 * first operand. */
static inline void mqx_addcif(__m512i *s, __mmask8 predicate, __m512i a, __m512i b, __mmask8 carry)
{
    uint64_t x[8], y[8];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < 8; i++)
        x[i] = predicate >> i & 1 ? x[i] + y[i] + (carry >> i & 1) : x[i];
    memcpy(s, x, sizeof x);
}
