// The C++ interface for ctypes. Every function gives 0, or the text of what was thrown, after its kind and a space.
#include <hexl/hexl.hpp>

#include <algorithm>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

using namespace intel::hexl;

namespace {

template <class F>
const char* guarded(F f) {
  thread_local std::string text;
  try {
    f();
    return nullptr;
  } catch (const std::invalid_argument& error) {
    text = std::string("invalid_argument ") + error.what();
  } catch (const std::bad_alloc&) {
    text = "bad_alloc ";
  } catch (const std::exception& error) {
    text = std::string("exception ") + error.what();
  }
  return text.c_str();
}

void expect(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

// Counts what it gives and takes back; gives nothing from the limit on.
struct Counter {
  struct Counts {
    size_t given = 0, taken = 0, bytes = 0, limit = SIZE_MAX;
  };
  explicit Counter(Counts* kept) : counts(kept) {}
  void* get(size_t bytes) {
    if (counts->given == counts->limit) return nullptr;
    ++counts->given;
    counts->bytes += bytes;
    return ::operator new(bytes);
  }
  void put(void* p, size_t bytes) {
    ++counts->taken;
    counts->bytes -= bytes;
    ::operator delete(p);
  }
  Counts* counts;
};

struct Policy {
  int unused = 0;
};

}  // namespace

namespace intel {
namespace hexl {

template <>
struct NTT::AllocatorAdapter<Counter, Policy> : public AllocatorInterface<NTT::AllocatorAdapter<Counter, Policy>> {
  AllocatorAdapter(Counter counter, Policy&&) : m_counter(counter) {}
  void* allocate_impl(size_t bytes) { return m_counter.get(bytes); }
  void deallocate_impl(void* p, size_t bytes) { m_counter.put(p, bytes); }

 private:
  Counter m_counter;
};

}  // namespace hexl
}  // namespace intel

extern "C" {

using u64 = uint64_t;

const char* add(u64* z, const u64* x, const u64* y, u64 n, u64 q) { return guarded([=] { EltwiseAddMod(z, x, y, n, q); }); }
const char* adds(u64* z, const u64* x, u64 a, u64 n, u64 q) { return guarded([=] { EltwiseAddMod(z, x, a, n, q); }); }
const char* sub(u64* z, const u64* x, const u64* y, u64 n, u64 q) { return guarded([=] { EltwiseSubMod(z, x, y, n, q); }); }
const char* subs(u64* z, const u64* x, u64 a, u64 n, u64 q) { return guarded([=] { EltwiseSubMod(z, x, a, n, q); }); }
const char* mult(u64* z, const u64* x, const u64* y, u64 n, u64 q, u64 factor) {
  return guarded([=] { EltwiseMultMod(z, x, y, n, q, factor); });
}
const char* fma_(u64* z, const u64* x, u64 a, const u64* y, u64 n, u64 q, u64 factor) {
  return guarded([=] { EltwiseFMAMod(z, x, a, y, n, q, factor); });
}
const char* reduce(u64* z, const u64* x, u64 n, u64 q, u64 from, u64 to) {
  return guarded([=] { EltwiseReduceMod(z, x, n, q, from, to); });
}
const char* cmpadd(u64* z, const u64* x, u64 n, int cmp, u64 bound, u64 diff) {
  return guarded([=] { EltwiseCmpAdd(z, x, n, static_cast<CMPINT>(cmp), bound, diff); });
}
const char* cmpsub(u64* z, const u64* x, u64 n, u64 q, int cmp, u64 bound, u64 diff) {
  return guarded([=] { EltwiseCmpSubMod(z, x, n, q, static_cast<CMPINT>(cmp), bound, diff); });
}

const char* inverse_mod(u64* z, u64 x, u64 q) { return guarded([=] { *z = InverseMod(x, q); }); }
const char* multiply_mod(u64* z, u64 x, u64 y, u64 q) { return guarded([=] { *z = MultiplyMod(x, y, q); }); }
const char* multiply_precon(u64* z, u64 x, u64 y, u64 q) {
  return guarded([=] { *z = MultiplyMod(x, y, MultiplyFactor(y, 64, q).BarrettFactor(), q); });
}
const char* multiply_lazy(u64* z, u64 x, u64 y, u64 q) { return guarded([=] { *z = MultiplyModLazy<64>(x, y, q); }); }
const char* multiply_lazy52(u64* z, u64 x, u64 y, u64 q) { return guarded([=] { *z = MultiplyModLazy<52>(x, y, q); }); }
const char* multiply_factor(u64* z, u64 x, u64 shift, u64 q) {
  return guarded([=] { *z = MultiplyFactor(x, shift, q).BarrettFactor(); });
}
const char* add_mod(u64* z, u64 x, u64 y, u64 q) { return guarded([=] { *z = AddUIntMod(x, y, q); }); }
const char* sub_mod(u64* z, u64 x, u64 y, u64 q) { return guarded([=] { *z = SubUIntMod(x, y, q); }); }
const char* pow_mod(u64* z, u64 x, u64 e, u64 q) { return guarded([=] { *z = PowMod(x, e, q); }); }
const char* reverse_bits(u64* z, u64 x, u64 width) { return guarded([=] { *z = ReverseBits(x, width); }); }
const char* is_prime(u64* z, u64 x) { return guarded([=] { *z = IsPrime(x); }); }
const char* is_root(u64* z, u64 w, u64 degree, u64 q) { return guarded([=] { *z = IsPrimitiveRoot(w, degree, q); }); }
const char* some_root(u64* z, u64 degree, u64 q) { return guarded([=] { *z = GeneratePrimitiveRoot(degree, q); }); }
const char* least_root(u64* z, u64 degree, u64 q) { return guarded([=] { *z = MinimalPrimitiveRoot(degree, q); }); }
const char* reduce128(u64* z, u64 high, u64 low, u64 q) { return guarded([=] { *z = BarrettReduce128(high, low, q); }); }
const char* reduce64(u64* z, u64 x, u64 q) {
  return guarded([=] { *z = BarrettReduce64<1>(x, q, MultiplyFactor(1, 64, q).BarrettFactor()); });
}
const char* reduce8(u64* z, u64 x, u64 q) {
  return guarded([=] {
    const u64 two = 2 * q, four = 4 * q;
    *z = ReduceMod<8>(x, q, &two, &four);
  });
}
const char* montgomery(u64* z, u64 high, u64 low, u64 q, u64 r) {
  return guarded([=] {
    *z = MontgomeryReduce<64>(high, low, q, static_cast<int>(r), MaximumValue(r), HenselLemma2adicRoot(static_cast<uint32_t>(r), q));
  });
}
const char* primes(u64* z, u64 count, u64 bits, u64 small, u64 n) {
  return guarded([=] {
    const std::vector<u64> found = GeneratePrimes(count, bits, small != 0, n);
    std::copy(found.begin(), found.end(), z);
  });
}

const char* make(NTT** z, u64 n, u64 q, u64 root) { return guarded([=] { *z = root ? new NTT(n, q, root) : new NTT(n, q); }); }
const char* empty(NTT** z) { return guarded([=] { *z = new NTT; }); }
const char* copy(NTT** z, const NTT* ntt) { return guarded([=] { *z = new NTT(*ntt); }); }
void destroy(NTT* ntt) { delete ntt; }
const char* forward(const NTT* ntt, u64* y, const u64* x, u64 from, u64 to) {
  return guarded([=] { ntt->ComputeForward(y, x, from, to); });
}
const char* inverse(const NTT* ntt, u64* y, const u64* x, u64 from, u64 to) {
  return guarded([=] { ntt->ComputeInverse(y, x, from, to); });
}
const char* numbers(const NTT* ntt, u64* z) {
  return guarded([=] {
    z[0] = ntt->GetDegree();
    z[1] = ntt->GetModulus();
    z[2] = ntt->GetMinimalRootOfUnity();
  });
}

// Table number which, its length first.
const char* table(const NTT* ntt, u64 which, u64* z) {
  using Getter = const AlignedVector64<u64>& (NTT::*)() const;
  static const Getter getters[] = {
      &NTT::GetRootOfUnityPowers,           &NTT::GetPrecon32RootOfUnityPowers,      &NTT::GetPrecon64RootOfUnityPowers,
      &NTT::GetAVX512RootOfUnityPowers,     &NTT::GetAVX512Precon32RootOfUnityPowers, &NTT::GetAVX512Precon52RootOfUnityPowers,
      &NTT::GetAVX512Precon64RootOfUnityPowers, &NTT::GetInvRootOfUnityPowers,       &NTT::GetPrecon32InvRootOfUnityPowers,
      &NTT::GetPrecon52InvRootOfUnityPowers, &NTT::GetPrecon64InvRootOfUnityPowers};
  return guarded([=] {
    const AlignedVector64<u64>& found = (ntt->*getters[which])();
    expect(reinterpret_cast<uintptr_t>(found.data()) % 64 == 0, "a table is not aligned");
    z[0] = found.size();
    std::copy(found.begin(), found.end(), z + 1);
  });
}

// Copies, moves, assignments and maps of objects all compute y of x.
const char* kept(u64 n, u64 q, const u64* x, const u64* y) {
  return guarded([=] {
    const auto right = [=](const NTT& ntt, const char* what) {
      std::vector<u64> z(n);
      ntt.ComputeForward(z.data(), x, 1, 1);
      expect(std::equal(z.begin(), z.end(), y), what);
    };
    NTT first(n, q), assigned;
    NTT copied(first);
    assigned = first;
    first = NTT();
    right(copied, "a copy");
    right(assigned, "an assigned one");
    NTT moved(std::move(copied));
    right(moved, "a moved one");
    std::map<u64, NTT> ordered;
    ordered[q] = moved;
    right(ordered.at(q), "one in a map");
    std::unordered_map<u64, NTT> hashed;
    NTT& placed = hashed.emplace(q, std::move(moved)).first->second;
    for (u64 i = 0; i < 1000; ++i) hashed[i];
    right(placed, "one in a growing map");
    AlignedVector64<NTT> several(3, placed);
    right(several[2], "one in a vector");
  });
}

// Calls and bytes of an allocator with a policy: after making, after a table, after the end; then a standard one.
const char* allocators(u64 n, u64 q, u64* counts) {
  return guarded([=] {
    Counter::Counts kept;
    {
      NTT ntt(n, q, Counter(&kept), Policy{});
      counts[0] = kept.given;
      ntt.GetRootOfUnityPowers();
      counts[1] = kept.given;
      counts[2] = kept.bytes;
      NTT copied(ntt);
      ntt = NTT(n, q, MinimalPrimitiveRoot(2 * n, q), std::allocator<char>());
      ntt.GetInvRootOfUnityPowers();
      copied.GetInvRootOfUnityPowers();
    }
    counts[3] = kept.given;
    counts[4] = kept.taken;
    counts[5] = kept.bytes;
  });
}

// Making an object, or a table where tables is set, with a source that ends after limit calls.
const char* starved(u64 n, u64 q, u64 limit) {
  Counter::Counts kept;
  kept.limit = limit;
  const char* const text = guarded([&] { NTT(n, q, Counter(&kept), Policy{}).GetRootOfUnityPowers(); });
  return kept.bytes == 0 && kept.given == kept.taken ? text : "leak ";
}

// A call of one of these functions, as a function of one pointer. x86-64 passes numbers and pointers alike, and a function
// does not look at those that come behind its own.
struct Call {
  const char* (*function)(u64, u64, u64, u64, u64, u64, u64);
  u64 given[7];
};
void call(const Call* c) {
  const u64* const a = c->given;
  c->function(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

}  // extern "C"
