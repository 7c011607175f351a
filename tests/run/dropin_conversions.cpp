/* Calls the code of scripts/dropin/rows as SEAL and OpenFHE do. Standard input holds one request after another:
   KIND MODULI GOALS N, the moduli q and p, the constants of OpenFHE's kinds, and the rows of x. KIND is
   fast, exact (SEAL), overlap (SEAL, the results begin within the operands), approximate, or rounded (OpenFHE).
   The request reduce is followed by N, the modulus, m_tilde, a product, an inverse, and the rows x and r.
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
    auto x = towers(q, n), z = towers(p, n);
    for (Tower &tower : x)
        tower.values = integers(numbers(n));
    const bool served = rounded ? dropin::switch_rounded(z, x, inverses, products, multiples)
                                : dropin::switch_approximately(z, x, q.size(), inverses, products);
    for (const Tower &tower : z)
        for (const Integer &value : tower.values)
            results.push_back(value.word);
    return served;
}

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
