// One function for each loop of Intel HEXL's AVX-512 functions for moduli above 2^50, and of its forward transforms for moduli below 2^50.
// hexl_loops.py compiles and counts them.
#include "eltwise/eltwise-add-mod-avx512.cpp"
#include "eltwise/eltwise-fma-mod-avx512.cpp"
#include "eltwise/eltwise-mult-mod-avx512dq.cpp"
#include "eltwise/eltwise-reduce-mod-avx512.hpp"
#include "eltwise/eltwise-sub-mod-avx512.cpp"
#include "ntt/fwd-ntt-avx512.cpp"
#include "ntt/inv-ntt-avx512.cpp"

using namespace intel::hexl;

#define LOOP extern "C" __attribute__((noinline, flatten)) void
typedef uint64_t Word;
typedef const uint64_t *In;
typedef uint64_t *Out;
typedef __m512i V;

// x·y modulo q of 60 bits: operands that are not reduced first, and operands below 4q that are.
LOOP mult(V *z, const V *x, const V *y, V b, V q, V q2, Word n) {
    EltwiseMultModAVX512DQIntLoopDefault<58, 1>(z, x, y, b, q, q2, n);
}
LOOP mult_4(V *z, const V *x, const V *y, V b, V q, V q2, Word n) {
    EltwiseMultModAVX512DQIntLoopDefault<58, 4>(z, x, y, b, q, q2, n);
}

// x modulo q for any word x, and for x below 2q and 4q. HEXL passes q as the factor of any word.
LOOP reduce_any(Out z, In x, Word n, Word q) {
    if (q > 4) EltwiseReduceModAVX512<64>(z, x, 8 * n, q, q, 1);
}
LOOP reduce_2(Out z, In x, Word n, Word q) {
    if (q > 4) EltwiseReduceModAVX512<64>(z, x, 8 * n, q, 2, 1);
}
LOOP reduce_4(Out z, In x, Word n, Word q) {
    if (q > 4) EltwiseReduceModAVX512<64>(z, x, 8 * n, q, 4, 1);
}

// a·x and a·x + y modulo q for x and y below q and below 8q. The names end with the number of bits of a quotient.
LOOP scale_52(Out z, In x, Word a, Word n, Word q) { EltwiseFMAModAVX512<52, 1>(z, x, a, nullptr, 8 * n, q); }
LOOP scale_64(Out z, In x, Word a, Word n, Word q) { EltwiseFMAModAVX512<64, 1>(z, x, a, nullptr, 8 * n, q); }
LOOP scale_8_64(Out z, In x, Word a, Word n, Word q) { EltwiseFMAModAVX512<64, 8>(z, x, a, nullptr, 8 * n, q); }
LOOP fma_52(Out z, In x, Word a, In y, Word n, Word q) {
    if (y) EltwiseFMAModAVX512<52, 1>(z, x, a, y, 8 * n, q);
}
LOOP fma_64(Out z, In x, Word a, In y, Word n, Word q) {
    if (y) EltwiseFMAModAVX512<64, 1>(z, x, a, y, 8 * n, q);
}
LOOP fma_8_64(Out z, In x, Word a, In y, Word n, Word q) {
    if (y) EltwiseFMAModAVX512<64, 8>(z, x, a, y, 8 * n, q);
}

LOOP add_mod(Out z, In x, In y, Word n, Word q) { EltwiseAddModAVX512(z, x, y, 8 * n, q); }
LOOP sub_mod(Out z, In x, In y, Word n, Word q) { EltwiseSubModAVX512(z, x, y, 8 * n, q); }

// The levels of transforms: butterflies of residues that are at least 8 apart, then 4, 2 and 1 apart.
LOOP forward_8(Out z, In x, V q, V q2, Word t, Word m, In w, In v) { FwdT8<64, false>(z, x, q, q2, t, m, w, v); }
LOOP forward_4(Out x, V q, V q2, Word m, In w, In v) { FwdT4<64>(x, q, q2, m, w, v); }
LOOP forward_2(Out x, V q, V q2, Word m, In w, In v) { FwdT2<64>(x, q, q2, m, w, v); }
LOOP forward_1(Out x, V q, V q2, Word m, In w, In v) { FwdT1<64>(x, q, q2, m, w, v); }

// The same levels for moduli below 2^50, with products of 52 bits.
LOOP forward_52_8(Out z, In x, V q, V q2, Word t, Word m, In w, In v) { FwdT8<52, false>(z, x, q, q2, t, m, w, v); }
LOOP forward_52_4(Out x, V q, V q2, Word m, In w, In v) { FwdT4<52>(x, q, q2, m, w, v); }
LOOP forward_52_2(Out x, V q, V q2, Word m, In w, In v) { FwdT2<52>(x, q, q2, m, w, v); }
LOOP forward_52_1(Out x, V q, V q2, Word m, In w, In v) { FwdT1<52>(x, q, q2, m, w, v); }

LOOP inverse_8(Out x, V q, V q2, Word t, Word m, In w, In v) { InvT8<64>(x, q, q2, t, m, w, v); }
LOOP inverse_4(Out x, V q, V q2, Word m, In w, In v) { InvT4<64>(x, q, q2, m, w, v); }
LOOP inverse_2(Out x, V q, V q2, Word m, In w, In v) { InvT2<64>(x, q, q2, m, w, v); }
LOOP inverse_1(Out x, V q, V q2, Word m, In w, In v) { InvT1<64, false>(x, q, q2, m, w, v); }
