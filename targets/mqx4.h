/* Emulates the MQX instructions on four lanes (MQX paper, Section 4). A flag is a lane of all ones or all zeros. */
static inline void mqx4_mul(__m256i *h, __m256i *l, __m256i a, __m256i b)
{
    uint64_t x[4], y[4];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < 4; i++) {
        const unsigned __int128 p = (unsigned __int128)x[i] * y[i];
        x[i] = (uint64_t)(p >> 64);
        y[i] = (uint64_t)p;
    }
    memcpy(h, x, sizeof x);
    memcpy(l, y, sizeof y);
}

static inline void mqx4_mulhi(__m256i *h, __m256i a, __m256i b)
{
    __m256i l;
    mqx4_mul(h, &l, a, b);
}

static inline void mqx4_mullo(__m256i *l, __m256i a, __m256i b)
{
    __m256i h;
    mqx4_mul(&h, l, a, b);
}

static inline __m256i mqx4_adc(__m256i *s, __m256i a, __m256i b, __m256i carry)
{
    uint64_t x[4], y[4], c[4];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    memcpy(c, &carry, sizeof c);
    for (int i = 0; i < 4; i++) {
        const unsigned __int128 sum = (unsigned __int128)x[i] + y[i] + (c[i] & 1);
        x[i] = (uint64_t)sum;
        c[i] = -(uint64_t)(sum >> 64);
    }
    memcpy(s, x, sizeof x);
    memcpy(&carry, c, sizeof c);
    return carry;
}

static inline __m256i mqx4_sbb(__m256i *d, __m256i a, __m256i b, __m256i borrow)
{
    uint64_t x[4], y[4], c[4];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    memcpy(c, &borrow, sizeof c);
    for (int i = 0; i < 4; i++) {
        const unsigned __int128 difference = (unsigned __int128)x[i] - y[i] - (c[i] & 1);
        x[i] = (uint64_t)difference;
        c[i] = -(uint64_t)(difference >> 127);
    }
    memcpy(d, x, sizeof x);
    memcpy(&borrow, c, sizeof c);
    return borrow;
}
