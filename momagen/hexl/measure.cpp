// Measures short calls of the library, and the construction of an NTT object; the argument is the number of points. Prints one line
// per call: its name, a tab, and nanoseconds.
#include <hexl/hexl.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

using namespace intel::hexl;

constexpr int SAMPLES = 51;
constexpr uint64_t RING = 1024;

double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

// Prints the nanoseconds per call of f(i) for every sample, on separate lines.
template <class F>
void measure(const char* name, int calls, F f) {
  for (int sample = 0; sample < SAMPLES; ++sample) {
    const double start = now();
    for (int i = 0; i < calls; ++i) f(static_cast<uint64_t>(i) % RING);
    std::printf("%s\t%.3f\n", name, (now() - start) / calls);
  }
}

}  // namespace

int main(int, char** arguments) {
  const uint64_t n = std::strtoull(arguments[1], nullptr, 10);
  const uint64_t q = GeneratePrimes(1, 55, true, n)[0], root = MinimalPrimitiveRoot(2 * n, q);
  std::vector<uint64_t> x(RING), y(RING), z(RING);
  for (uint64_t i = 0; i < RING; ++i) {
    x[i] = (i + 1) * UINT64_C(0x9E3779B97F4A7C15) % q;
    y[i] = (i + 1) * UINT64_C(0xC2B2AE3D27D4EB4F) % q;
  }
  const int calls = 20000;
  measure("EltwiseAddMod", calls, [&](uint64_t i) { EltwiseAddMod(&z[i], &x[i], &y[i], 1, q); });
  measure("EltwiseSubMod", calls, [&](uint64_t i) { EltwiseSubMod(&z[i], &x[i], &y[i], 1, q); });
  measure("EltwiseMultMod", calls, [&](uint64_t i) { EltwiseMultMod(&z[i], &x[i], &y[i], 1, q, 1); });
  measure("EltwiseFMAMod", calls, [&](uint64_t i) { EltwiseFMAMod(&z[i], &x[i], y[0], &y[i], 1, q, 1); });
  measure("EltwiseReduceMod", calls, [&](uint64_t i) { EltwiseReduceMod(&z[i], &x[i], 1, q, q, 1); });
  measure("EltwiseCmpAdd", calls, [&](uint64_t i) { EltwiseCmpAdd(&z[i], &x[i], 1, CMPINT::NLE, q / 2, 3); });
  measure("EltwiseCmpSubMod", calls, [&](uint64_t i) { EltwiseCmpSubMod(&z[i], &x[i], 1, q, CMPINT::NLE, q / 2, 3); });
  measure("NTT", 10, [&](uint64_t) { NTT made(n, q, root); });
}
