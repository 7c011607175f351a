/* Reads a mask in inline assembly, so that the compiler does not remove the instruction that computes the mask. */
#if defined(__GNUC__) && !defined(MOMAGEN_STANDINS)
#define MG_READ(mask) do { __mmask8 read; __asm__ volatile("kmovb %1, %0" : "=k"(read) : "k"(mask)); } while (0)
#else
#define MG_READ(mask) (void)(mask)
#endif
