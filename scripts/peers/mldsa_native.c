/* mldsa-native's AVX2 transforms of ML-DSA: 256 points modulo 8380417, negacyclic, words of 32 bits, in its own order. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "src/common.h" /* before all else of theirs */

#include "src/native/x86_64/src/arith_native_x86_64.h"
#include "src/native/x86_64/src/consts.h"

#define P(name) mldsa_native_##name
#define WORD int32_t
#define Q INT32_C(8380417)
#define FORWARD mld_ntt_avx2_asm
#define INVERSE mld_invntt_avx2_asm
#define UNPACK mld_nttunpack_avx2_asm
#define TABLE mld_qdata
#include "fixed.h"
