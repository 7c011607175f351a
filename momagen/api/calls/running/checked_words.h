/* The functions of checked.c for arrays of words of one type. checked.c defines WORD, their type, and NAME, which adds
 * the type to the name of a function, and includes this file once for each type. Residues have their low word first. */

static int NAME(is_below)(const WORD *x, const WORD *top, size_t words)
{
    while (--words && x[words] == top[words])
        ;
    return x[words] < top[words];
}

static inline int NAME(all_below)(const WORD *x, size_t count, const WORD *top, size_t words)
{
    const WORD *high = x + words - 1, limit = top[words - 1];
    for (size_t start = 0; start < count; start += BLOCK) {
        const size_t end = count - start < BLOCK ? count : start + BLOCK;
        WORD clear = 1;
        for (size_t i = start; i < end; i++)
            clear &= high[i * words] < limit;
        for (size_t i = start; !clear && i < end; i++)
            if (!NAME(is_below)(x + i * words, top, words))
                return 0;
    }
    return 1;
}

/* Returns whether count residues are all below top; a top of 0 stands for the number above all that the words hold. */
static int NAME(in_range)(const WORD *x, size_t count, const WORD *top, size_t words)
{
    size_t set = words;
    while (set && !top[set - 1])
        set--;
    if (!set)
        return 1;
    switch (words) {
    case 1: return NAME(all_below)(x, count, top, 1);
    case 2: return NAME(all_below)(x, count, top, 2);
    default: return NAME(all_below)(x, count, top, words);
    }
}

static inline void NAME(narrow_by)(WORD *to, const uint64_t *from, size_t count, size_t words, size_t row)
{
    const size_t bits = 8 * sizeof(WORD);
    for (size_t i = 0; i < count; i++, to += words, from += row)
        for (size_t j = 0; j < words; j++)
            to[j] = (WORD)(from[j * bits / 64] >> j * bits % 64);
}

static inline void NAME(widen_by)(uint64_t *to, const WORD *from, size_t count, size_t words, size_t row)
{
    const size_t bits = 8 * sizeof(WORD);
    for (size_t i = 0; i < count; i++, to += row, from += words) {
        for (size_t j = 0; j < row; j++)
            to[j] = 0;
        for (size_t j = 0; j < words; j++)
            to[j * bits / 64] |= (uint64_t)from[j] << j * bits % 64;
    }
}

/* Copies count residues of row 64-bit words to residues of fewer bits. Compilers unroll loops over few words; residues
 * of one or two words fill less than one 64-bit word, as others would be no copies. */
static void NAME(narrow)(WORD *to, const uint64_t *from, size_t count, size_t words, size_t row)
{
    if (words == 1)
        NAME(narrow_by)(to, from, count, 1, 1);
    else if (words == 2)
        NAME(narrow_by)(to, from, count, 2, 1);
    else if (words == 3 && row == 1)
        NAME(narrow_by)(to, from, count, 3, 1);
    else if (words == 3)
        NAME(narrow_by)(to, from, count, 3, 2);
    else
        NAME(narrow_by)(to, from, count, words, row);
}

/* Copies count residues back to row 64-bit words. */
static void NAME(widen)(uint64_t *to, const WORD *from, size_t count, size_t words, size_t row)
{
    if (words == 1)
        NAME(widen_by)(to, from, count, 1, 1);
    else if (words == 2)
        NAME(widen_by)(to, from, count, 2, 1);
    else if (words == 3 && row == 1)
        NAME(widen_by)(to, from, count, 3, 1);
    else if (words == 3)
        NAME(widen_by)(to, from, count, 3, 2);
    else
        NAME(widen_by)(to, from, count, words, row);
}
