/* An instruction that reads a mask, so that compilers keep what makes it. */
#if defined(__GNUC__) && !defined(MOMAGEN_STANDINS)
#define MG_READ(mask) do { __mmask8 read; __asm__ volatile("kmovb %1, %0" : "=k"(read) : "k"(mask)); } while (0)
#else
#define MG_READ(mask) (void)(mask)
#endif
