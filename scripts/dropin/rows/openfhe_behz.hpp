/* Replacements for OpenFHE's functions of BEHZ multiplication, which extends the basis Q by the moduli B and m_sk, together
   called Bsk. */
#ifndef DROPIN_ROWS_OPENFHE_BEHZ_HPP
#define DROPIN_ROWS_OPENFHE_BEHZ_HPP

#include "division.hpp"
#include "openfhe_request.hpp"

namespace dropin {

/* Creates the conversion if the constants are Q/q[i] modulo every modulus of Bsk; otherwise returns NULL. */
inline Stored montgomery_switch(const Request &request)
{
    const Words &q = request.q, &p = request.p;
    const Words expected = words(q.size(), p.size(), [&](std::size_t i, std::size_t j) { return product(q, i, p[j]); });
    return request.constants[0] == expected ? conversion(montgomery, q, p) : nullptr;
}

/* Replaces FastBaseConvqToBskMontgomery: converts the first `count` towers of x to all others. Returns false if OpenFHE must
   fall back to its own code. */
template <class Towers, class Matrix>
bool extend_to_bsk(Towers &x, std::size_t count, const Matrix &QHatModbsk)
{
    const std::size_t goals = x.size() - count;
    const Request request{moduli(x, 0, count), moduli(x, count, goals), {matrix(QHatModbsk, count, goals)}};
    return convert(stored<montgomery_switch>(request), pointers<std::uint64_t>(x, count, goals),
                   pointers<const std::uint64_t>(x, 0, count), x[0].GetLength());
}

/* Creates the division if the constants are t, t·(Q/q[i])^-1 modulo q[i], 1/q[i] modulo every modulus of Bsk, and t/Q modulo
   every modulus of Bsk; otherwise returns NULL. */
inline Stored quotient_below(const Request &request)
{
    const Words &q = request.q, &p = request.p;
    const std::uint64_t t = request.constants[0][0];
    const std::vector<Words> expected{
        {t},
        words(q.size(), [&](std::size_t i) { return multiply(t % q[i], inverse_cofactor(q, i), q[i]); }),
        words(q.size(), p.size(), [&](std::size_t i, std::size_t j) { return inverse(q[i], p[j]); }),
        words(p.size(), [&](std::size_t j) { return multiply(t % p[j], inverse(product(q, p[j]), p[j]), p[j]); }),
    };
    return request.constants == expected ? division(below, q, p, t) : nullptr;
}

/* Replaces FastRNSFloorq: multiplies the towers x by t and divides them by the product of the first `count` moduli, and stores
   the result in the towers of the other moduli. Returns false if OpenFHE must fall back to its own code. */
template <class Towers, class Integer, class Integers, class Matrix>
bool floor_by_q(Towers &x, std::size_t count, const Integer &t, const Integers &tQHatInvModq, const Matrix &qInvModbsk,
                const Integers &tQInvModbsk)
{
    const std::size_t kept = x.size() - count;
    const Request request{
        moduli(x, 0, count),
        moduli(x, count, kept),
        {{word(t)}, list(tQHatInvModq), matrix(qInvModbsk, count, kept), list(tQInvModbsk)},
    };
    Operands operands = pointers<const std::uint64_t>(x, count, kept);
    append(operands, x, 0, count);
    return convert(stored<quotient_below>(request), pointers<std::uint64_t>(x, count, kept), operands, x[0].GetLength());
}

/* Creates the conversion if the constants are B/b[i] modulo every modulus of Q; otherwise returns NULL. m_sk is the last
   modulus of the request. */
inline Stored redundant_switch(const Request &request)
{
    const Words &bsk = request.q, &p = request.p;
    const Words b(bsk.begin(), bsk.end() - 1);
    const Words expected = words(b.size(), p.size(), [&](std::size_t i, std::size_t j) { return product(b, i, p[j]); });
    return request.constants[0] == expected ? conversion(redundant, bsk, p) : nullptr;
}

/* Replaces FastBaseConvSK: converts the towers of x with index `count` and above to the first `count` towers. Returns false if
   OpenFHE must fall back to its own code. */
template <class Towers, class Matrix>
bool return_from_bsk(Towers &x, std::size_t count, const Matrix &BHatModq)
{
    const std::size_t extra = x.size() - count;
    const Request request{moduli(x, count, extra), moduli(x, 0, count), {matrix(BHatModq, extra - 1, count)}};
    return convert(stored<redundant_switch>(request), pointers<std::uint64_t>(x, 0, count),
                   pointers<const std::uint64_t>(x, count, extra), x[0].GetLength());
}

}  // namespace dropin

#endif
