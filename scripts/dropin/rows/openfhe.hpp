/* What OpenFHE's DCRTPoly calls. OpenFHE passes the constants of a conversion with each call and stores no object for it:
   a table of this process stores the plans, by moduli and constants. */
#ifndef DROPIN_ROWS_OPENFHE_HPP
#define DROPIN_ROWS_OPENFHE_HPP

#include "conversion.hpp"

#include <map>
#include <mutex>
#include <shared_mutex>
#include <tuple>

namespace dropin {

/* A conversion from the moduli q to the moduli p by the constants that OpenFHE passes: inverses[i] multiplies row i of the
   operands, products[i·goals + j] is the factor of row i in row j of the results, and multiples[u·goals + j] is
   subtracted from row j if the quotient is u (no multiples: nothing is subtracted). */
struct Request {
    Words q, p, inverses, products, multiples;

    bool operator<(const Request &other) const
    {
        return std::tie(q, p, inverses, products, multiples) <
               std::tie(other.q, other.p, other.inverses, other.products, other.multiples);
    }
};

inline std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint64_t modulus)
{
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % modulus);
}

/* Returns the product of all moduli q except q[omitted], modulo m; q.size() omits none. */
inline std::uint64_t product(const Words &q, std::size_t omitted, std::uint64_t m)
{
    std::uint64_t value = 1 % m;
    for (std::size_t i = 0; i < q.size(); i++)
        if (i != omitted)
            value = multiply(value, q[i] % m, m);
    return value;
}

/* Returns whether the constants are those of the library's kernels: with Q the product of all q[i], inverses[i] is the
   inverse of Q/q[i] modulo q[i], a product is Q/q[i] modulo p[j], and a multiple is u·Q modulo p[j]. OpenFHE also calls
   ApproxSwitchCRTBasis with constants that contain further factors. */
inline bool has_standard_constants(const Request &request)
{
    const Words &q = request.q, &p = request.p;
    for (std::size_t i = 0; i < q.size(); i++) {
        if (multiply(request.inverses[i] % q[i], product(q, i, q[i]), q[i]) != 1 % q[i])
            return false;
        for (std::size_t j = 0; j < p.size(); j++)
            if (request.products[i * p.size() + j] != product(q, i, p[j]))
                return false;
    }
    for (std::size_t k = 0; k < request.multiples.size(); k++)
        if (const std::uint64_t m = p[k % p.size()];
            request.multiples[k] != multiply(k / p.size() % m, product(q, q.size(), m), m))
            return false;
    return true;
}

/* The conversions that were requested; NULL for one that the library does not serve. */
class Table {
public:
    std::shared_ptr<const Conversion> find(const Request &request)
    {
        {
            const std::shared_lock lock(mutex);
            if (const auto found = conversions.find(request); found != conversions.end())
                return found->second;
        }
        const Method &method = request.multiples.empty() ? fast : corrected;
        const auto created = has_standard_constants(request) ? conversion(method, request.q, request.p) : nullptr;
        const std::unique_lock lock(mutex);
        if (conversions.size() == limit)
            conversions.clear();
        return conversions.emplace(request, created).first->second;
    }

private:
    static constexpr std::size_t limit = 1024;
    std::shared_mutex mutex;
    std::map<Request, std::shared_ptr<const Conversion>> conversions;
};

inline Table &table()
{
    static Table conversions;
    return conversions;
}

template <class Integer>
std::uint64_t word(const Integer &value)
{
    return value.template ConvertToInt<std::uint64_t>();
}

/* Returns the moduli of the first `count` towers. */
template <class Towers>
Words moduli(const Towers &towers, std::size_t count)
{
    Words values;
    for (std::size_t i = 0; i < count; i++)
        values.push_back(word(towers[i].GetModulus()));
    return values;
}

/* Converts the first rows of x, one for each modulus of the request, to rows of z. */
template <class Towers>
bool convert(const Request &request, Towers &z, const Towers &x)
{
    static_assert(sizeof z[0][0] == sizeof(std::uint64_t), "OpenFHE must be built with NATIVE_SIZE=64");
    const auto found = table().find(request);
    if (!found)
        return false;
    Results results;
    for (auto &tower : z)
        results.push_back(reinterpret_cast<std::uint64_t *>(&tower[0]));
    Operands operands;
    for (std::size_t i = 0; i < request.q.size(); i++)
        operands.push_back(reinterpret_cast<const std::uint64_t *>(&x[i][0]));
    return (*found)(results, operands, x[0].GetLength());
}

/* Does the work of ApproxSwitchCRTBasis: converts the first `count` towers x to the towers z. Returns false if OpenFHE
   must convert them by its own code. */
template <class Towers, class Integers, class Matrix>
bool switch_approximately(Towers &z, const Towers &x, std::size_t count, const Integers &QHatInvModq,
                          const Matrix &QHatModp)
{
    Request request{moduli(x, count), moduli(z, z.size()), {}, {}, {}};
    for (std::size_t i = 0; i < count; i++) {
        request.inverses.push_back(word(QHatInvModq[i]));
        for (std::size_t j = 0; j < z.size(); j++)
            request.products.push_back(word(QHatModp[i][j]));
    }
    return convert(request, z, x);
}

/* Does the work of SwitchCRTBasis: converts all towers x to the towers z. Returns false if OpenFHE must convert them by its
   own code. */
template <class Towers, class Integers, class Matrix>
bool switch_rounded(Towers &z, const Towers &x, const Integers &QHatInvModq, const Matrix &QHatModp,
                    const Matrix &alphaQModp)
{
    Request request{moduli(x, x.size()), moduli(z, z.size()), {}, {}, {}};
    for (std::size_t i = 0; i < x.size(); i++) {
        request.inverses.push_back(word(QHatInvModq[i]));
        for (std::size_t j = 0; j < z.size(); j++)
            request.products.push_back(word(QHatModp[j][i]));
    }
    for (std::size_t u = 0; u <= x.size(); u++)
        for (std::size_t j = 0; j < z.size(); j++)
            request.multiples.push_back(word(alphaQModp[u][j]));
    return convert(request, z, x);
}

}  // namespace dropin

#endif
