/* mldsa-native's AVX2 transforms of ML-DSA: negacyclic, of 256 points modulo 8380417, on 32-bit words, in the order of that library. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "src/common.h" /* must precede all other headers of mldsa-native */

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
