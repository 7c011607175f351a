/* Common code of the replacements for functions of OpenFHE's DCRTPoly: access to its rows, and a cache of plans. OpenFHE passes
   the constants of a conversion with each call and has no object that could own a plan, so the plans are cached by moduli and
   constants. */
#ifndef DROPIN_ROWS_OPENFHE_REQUEST_HPP
#define DROPIN_ROWS_OPENFHE_REQUEST_HPP

#include "conversion.hpp"
#include "residues.hpp"

#include <map>
#include <mutex>
#include <shared_mutex>
#include <tuple>

namespace dropin {

/* A conversion from the moduli q to the moduli p with the constants that OpenFHE passes. */
struct Request {
    Words q, p;
    std::vector<Words> constants;

    bool operator<(const Request &other) const
    {
        return std::tie(q, p, constants) < std::tie(other.q, other.p, other.constants);
    }
};

using Stored = std::shared_ptr<const Conversion>;
using Create = Stored (*)(const Request &request);

/* A cache of the conversions of one function, by request. The entry is NULL if the library does not support the request. */
class Table {
public:
    Stored find(const Request &request, Create create)
    {
        {
            const std::shared_lock lock(mutex);
            if (const auto found = conversions.find(request); found != conversions.end())
                return found->second;
        }
        const Stored created = create(request);
        const std::unique_lock lock(mutex);
        if (conversions.size() == limit)
            conversions.clear();
        return conversions.emplace(request, created).first->second;
    }

private:
    static constexpr std::size_t limit = 1024;
    std::shared_mutex mutex;
    std::map<Request, Stored> conversions;
};

/* Returns the conversion for a request, which `create` creates at the first call. */
template <Create create>
Stored stored(const Request &request)
{
    static Table table;
    return table.find(request, create);
}

/* Returns the value of an integer of OpenFHE. */
template <class Integer>
std::uint64_t word(const Integer &value)
{
    return value.template ConvertToInt<std::uint64_t>();
}

/* Returns the words of a list of OpenFHE's integers. */
template <class Integers>
Words list(const Integers &values)
{
    return words(values.size(), [&](std::size_t i) { return word(values[i]); });
}

/* Returns the words of the matrix entries [0][0], [0][1], …, [rows - 1][columns - 1]. */
template <class Matrix>
Words matrix(const Matrix &values, std::size_t rows, std::size_t columns)
{
    return words(rows, columns, [&](std::size_t i, std::size_t j) { return word(values[i][j]); });
}

/* Returns the moduli of `count` towers, starting with tower `first`. */
template <class Towers>
Words moduli(const Towers &towers, std::size_t first, std::size_t count)
{
    return words(count, [&](std::size_t i) { return word(towers[first + i].GetModulus()); });
}

/* Appends pointers to the words of `count` towers, starting with tower `first`. */
template <class Word, class Towers>
void append(std::vector<Word *> &rows, Towers &towers, std::size_t first, std::size_t count)
{
    static_assert(sizeof towers[0][0] == sizeof(std::uint64_t), "OpenFHE must be built with NATIVE_SIZE=64");
    for (std::size_t i = first; i < first + count; i++)
        rows.push_back(reinterpret_cast<Word *>(&towers[i][0]));
}

/* Returns pointers to the words of `count` towers, starting with tower `first`. */
template <class Word, class Towers>
std::vector<Word *> pointers(Towers &towers, std::size_t first, std::size_t count)
{
    std::vector<Word *> rows;
    append(rows, towers, first, count);
    return rows;
}

/* Converts rows of n residues. Returns false if OpenFHE must fall back to its own code. */
inline bool convert(const Stored &conversion, const Results &z, const Operands &x, std::size_t n)
{
    return conversion && (*conversion)(z, x, n);
}

}  // namespace dropin

#endif
