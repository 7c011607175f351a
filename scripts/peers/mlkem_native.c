/* mlkem-native's AVX2 transforms of ML-KEM: incomplete, of 256 points modulo 3329 with factors of degree 2, on 16-bit words, in the
 * order of that library. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "src/common.h" /* must precede all other headers of mlkem-native */

#include "src/native/x86_64/src/arith_native_x86_64.h"
#include "src/native/x86_64/src/consts.h"

#define P(name) mlkem_native_##name
#define WORD int16_t
#define Q 3329
#define FORWARD mlk_ntt_avx2_asm
#define INVERSE mlk_invntt_avx2_asm
#define UNPACK mlk_nttunpack_avx2_asm
#define TABLE mlk_qdata
#include "fixed.h"
