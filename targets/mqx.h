/* Emulates the MQX instructions lane by lane (MQX paper, Table 2). The table uses signed integers of twice the word size, with
 * which products of words from 2^63 on would be wrong; the integers here are unsigned. The table computes a borrow by a shift
 * of the difference by 127 bits; a mask takes the lowest bit of the result, which is 1 if the difference is negative. */
static inline void mqx_mul(__m512i *h, __m512i *l, __m512i a, __m512i b)
{
    uint64_t x[8], y[8];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < 8; i++) {
        const unsigned __int128 p = (unsigned __int128)x[i] * y[i];
        x[i] = (uint64_t)(p >> 64);
        y[i] = (uint64_t)p;
    }
    memcpy(h, x, sizeof x);
    memcpy(l, y, sizeof y);
}

static inline void mqx_mulhi(__m512i *h, __m512i a, __m512i b)
{
    __m512i l;
    mqx_mul(h, &l, a, b);
}

static inline __mmask8 mqx_adc(__m512i *s, __m512i a, __m512i b, __mmask8 carry)
{
    uint64_t x[8], y[8];
    unsigned out = 0;
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < 8; i++) {
        const unsigned __int128 sum = (unsigned __int128)x[i] + y[i] + (carry >> i & 1);
        x[i] = (uint64_t)sum;
        out |= (unsigned)(sum >> 64) << i;
    }
    memcpy(s, x, sizeof x);
    return (__mmask8)out;
}

static inline __mmask8 mqx_sbb(__m512i *d, __m512i a, __m512i b, __mmask8 borrow)
{
    uint64_t x[8], y[8];
    unsigned out = 0;
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < 8; i++) {
        const unsigned __int128 difference = (unsigned __int128)x[i] - y[i] - (borrow >> i & 1);
        x[i] = (uint64_t)difference;
        out |= (unsigned)(difference >> 127) << i;
    }
    memcpy(d, x, sizeof x);
    return (__mmask8)out;
}
