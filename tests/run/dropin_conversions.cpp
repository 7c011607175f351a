/* Calls the code of scripts/dropin/rows as SEAL and OpenFHE do. Standard input holds one request after another:
   KIND MODULI GOALS N, the moduli q and p, the constants of OpenFHE's kinds, and the rows of x. KIND is
   fast, exact (SEAL), overlap (SEAL, the results begin within the operands), approximate, or rounded (OpenFHE).
   The request reduce is followed by N, the modulus, m_tilde, a product, an inverse, and the rows x and r.
   The other kinds are functions of OpenFHE that divide, scale, or serve BEHZ multiplication; `functions` lists them.
   Prints the rows of results, or "original" if the caller must use its own code. */
#include "rows/openfhe.hpp"
#include "rows/seal.hpp"
#include "rows/seal_reduction.hpp"

#include <iostream>
#include <string>

using dropin::Words;

static std::uint64_t number()
{
    std::uint64_t value = 0;
    std::cin >> value;
    return value;
}

static Words numbers(std::size_t count)
{
    Words values;
    while (values.size() < count)
        values.push_back(number());
    return values;
}

static std::vector<Words> matrix(std::size_t rows, std::size_t columns)
{
    std::vector<Words> values;
    while (values.size() < rows)
        values.push_back(numbers(columns));
    return values;
}

struct Integer { /* SEAL's Modulus and OpenFHE's NativeInteger */
    std::uint64_t word;
    std::uint64_t value() const { return word; }
    template <class T>
    T ConvertToInt() const { return word; }
};

static std::vector<Integer> integers(const Words &words)
{
    std::vector<Integer> values;
    for (const std::uint64_t word : words)
        values.push_back({word});
    return values;
}

static std::vector<std::vector<Integer>> integers(const std::vector<Words> &rows)
{
    std::vector<std::vector<Integer>> values;
    for (const Words &row : rows)
        values.push_back(integers(row));
    return values;
}

struct Tower { /* OpenFHE's NativePoly */
    Integer modulus;
    std::vector<Integer> values;
    const Integer &GetModulus() const { return modulus; }
    std::size_t GetLength() const { return values.size(); }
    Integer &operator[](std::size_t i) { return values[i]; }
    const Integer &operator[](std::size_t i) const { return values[i]; }
};

static std::vector<Tower> towers(const Words &moduli, std::size_t n)
{
    std::vector<Tower> made;
    for (const std::uint64_t q : moduli)
        made.push_back({{q}, std::vector<Integer>(n)});
    return made;
}

/* Reads a row of n numbers for each modulus. */
static std::vector<Tower> rows(const Words &moduli, std::size_t n)
{
    auto x = towers(moduli, n);
    for (Tower &tower : x)
        tower.values = integers(numbers(n));
    return x;
}

/* Appends the values of `count` towers from number `first` on. */
static void print_rows(Words &results, const std::vector<Tower> &z, std::size_t first, std::size_t count)
{
    for (std::size_t i = first; i < first + count; i++)
        for (const Integer &value : z[i].values)
            results.push_back(value.word);
}

static bool seal(const std::string &kind, const Words &q, const Words &p, std::size_t n, Words &results)
{
    const dropin::Method &method = kind == "exact" ? dropin::corrected : dropin::fast;
    const auto conversion = dropin::conversion(method, dropin::moduli(integers(q)), dropin::moduli(integers(p)));
    Words memory = numbers(q.size() * n);
    memory.resize((q.size() + p.size()) * n);
    std::uint64_t *z = memory.data() + q.size() * n - (kind == "overlap");
    const bool served = dropin::convert(conversion, z, p.size(), memory.data(), q.size(), n);
    results.assign(z, z + p.size() * n);
    return served;
}

static bool openfhe(const std::string &kind, const Words &q, const Words &p, std::size_t n, Words &results)
{
    const bool rounded = kind == "rounded";
    const auto inverses = integers(numbers(q.size()));
    const auto products = integers(rounded ? matrix(p.size(), q.size()) : matrix(q.size(), p.size()));
    const auto multiples = integers(matrix(rounded ? q.size() + 1 : 0, p.size()));
    const auto x = rows(q, n);
    auto z = towers(p, n);
    const bool served = rounded ? dropin::switch_rounded(z, x, inverses, products, multiples)
                                : dropin::switch_approximately(z, x, q.size(), inverses, products);
    print_rows(results, z, 0, p.size());
    return served;
}

/* Returns the moduli of both lists, one list after the other. */
static Words joined(Words first, const Words &second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

/* ScaleAndRound to the basis p, whose towers are the first ones of x. */
static bool scale(const Words &q, const Words &p, std::size_t n, Words &results)
{
    const auto constants = integers(matrix(p.size(), q.size() + 1));
    const auto x = rows(joined(p, q), n);
    auto z = towers(p, n);
    const bool served = dropin::scale_to_basis(z, x, constants);
    print_rows(results, z, 0, p.size());
    return served;
}

/* ScaleAndRound to the basis p, whose towers are the last ones of x. */
static bool scale_last(const Words &q, const Words &p, std::size_t n, Words &results)
{
    const auto constants = integers(matrix(p.size(), q.size() + 1));
    const auto x = rows(joined(q, p), n);
    auto z = towers(p, n);
    const bool served = dropin::scale_to_basis(z, x, constants);
    print_rows(results, z, 0, p.size());
    return served;
}

/* ScaleAndRoundPOverQ: q is one modulus. */
static bool divide(const Words &q, const Words &p, std::size_t n, Words &results)
{
    const auto constants = integers(numbers(p.size()));
    auto x = rows(joined(p, q), n);
    const bool served = dropin::divide_by_last(x, constants);
    print_rows(results, x, 0, p.size());
    return served;
}

/* ScaleAndRound to the plaintext modulus p[0]. */
template <dropin::Create create>
static bool scale_to_plaintext(const Words &q, const Words &p, std::size_t n, Words &results)
{
    const auto constants = integers(numbers(q.size()));
    const auto x = rows(q, n);
    std::vector<Integer> values(n);
    const bool served = dropin::scale_to_plaintext<create>(values, x, Integer{p[0]}, constants);
    print_rows(results, {{{p[0]}, values}}, 0, 1);
    return served;
}

/* FastBaseConvqToBskMontgomery. */
static bool extend(const Words &q, const Words &p, std::size_t n, Words &results)
{
    const auto constants = integers(matrix(q.size(), p.size()));
    auto x = rows(q, n);
    for (const Tower &tower : towers(p, n))
        x.push_back(tower);
    const bool served = dropin::extend_to_bsk(x, q.size(), constants);
    print_rows(results, x, q.size(), p.size());
    return served;
}

/* FastRNSFloorq. */
static bool floor(const Words &q, const Words &p, std::size_t n, Words &results)
{
    const Integer t{number()};
    const auto scaled = integers(numbers(q.size()));
    const auto inverses = integers(matrix(q.size(), p.size()));
    const auto quotients = integers(numbers(p.size()));
    auto x = rows(joined(q, p), n);
    const bool served = dropin::floor_by_q(x, q.size(), t, scaled, inverses, quotients);
    print_rows(results, x, q.size(), p.size());
    return served;
}

/* FastBaseConvSK: q is Bsk. */
static bool return_from_bsk(const Words &q, const Words &p, std::size_t n, Words &results)
{
    const auto constants = integers(matrix(q.size() - 1, p.size()));
    auto x = towers(p, n);
    for (const Tower &tower : rows(q, n))
        x.push_back(tower);
    const bool served = dropin::return_from_bsk(x, p.size(), constants);
    print_rows(results, x, 0, p.size());
    return served;
}

using Function = bool (*)(const Words &q, const Words &p, std::size_t n, Words &results);

static const std::map<std::string, Function> functions{
    {"scale", scale},
    {"scale_last", scale_last},
    {"divide", divide},
    {"plaintext", scale_to_plaintext<dropin::plaintext_quotient>},
    {"gamma", scale_to_plaintext<dropin::plaintext_quotient_by_gamma>},
    {"extend", extend},
    {"floor", floor},
    {"return", return_from_bsk},
};

static bool reduce(Words &results)
{
    const std::size_t n = number();
    const std::uint64_t modulus = number(), m_tilde = number(), product = number(), inverse = number();
    const Words x = numbers(n), r = numbers(n);
    results.resize(n);
    return dropin::reduce_small(results.data(), x.data(), r.data(), n, modulus, m_tilde, product, inverse);
}

static bool convert(const std::string &kind, Words &results)
{
    const std::size_t moduli = number(), goals = number(), n = number();
    const Words q = numbers(moduli), p = numbers(goals);
    if (const auto found = functions.find(kind); found != functions.end())
        return found->second(q, p, n, results);
    const bool is_openfhe = kind == "approximate" || kind == "rounded";
    return is_openfhe ? openfhe(kind, q, p, n, results) : seal(kind, q, p, n, results);
}

int main()
{
    for (std::string kind; std::cin >> kind;) {
        Words results;
        if (kind == "reduce" ? reduce(results) : convert(kind, results))
            for (const std::uint64_t word : results)
                std::cout << word << ' ';
        else
            std::cout << "original";
        std::cout << '\n';
    }
}
