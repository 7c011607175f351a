/* The functions that the edited class BaseConverter of SEAL calls. Its rows are contiguous, and its bases are lists of moduli.
   */
#ifndef DROPIN_ROWS_SEAL_HPP
#define DROPIN_ROWS_SEAL_HPP

#include "conversion.hpp"

namespace dropin {

/* Returns the moduli of an RNSBase. */
template <class Base>
Words moduli(const Base &base)
{
    Words values;
    for (std::size_t i = 0; i < base.size(); i++)
        values.push_back(base[i].value());
    return values;
}

/* Returns pointers to `count` contiguous rows of n residues. */
template <class Word>
std::vector<Word *> rows(Word *first, std::size_t count, std::size_t n)
{
    std::vector<Word *> pointers;
    for (std::size_t i = 0; i < count; i++)
        pointers.push_back(first + i * n);
    return pointers;
}

/* Converts `moduli` rows at x to `goals` rows at z. Returns false if the caller must fall back to its own code. */
inline bool convert(const std::shared_ptr<const Conversion> &conversion, std::uint64_t *z, std::size_t goals,
                    const std::uint64_t *x, std::size_t moduli, std::size_t n)
{
    return conversion && (*conversion)(rows(z, goals, n), rows(x, moduli, n), n);
}

}  // namespace dropin

#endif
