/* mlkem-native's AVX2 transforms of ML-KEM: 256 points modulo 3329 down to factors of degree 2, words of 16 bits, in its
 * own order. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "src/common.h" /* before all else of theirs */

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
