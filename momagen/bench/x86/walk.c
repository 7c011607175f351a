/* Single-steps a call: the CPU traps after every instruction, and the trap handler hashes the instruction's address. */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

enum { TRAP = 0x100 }; /* the trap flag of the CPU */

static volatile uint64_t hash, steps;

static void step(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    hash = (hash ^ (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
    steps++;
}

/* walk[0] gets a hash of the sequence of instructions, and walk[1] their number. The pushes overwrite nothing, because a
 * function that calls others has no red zone. */
void momagen_walk(void (*call)(const void *), const void *job, uint64_t *walk)
{
    struct sigaction own, before;
    memset(&own, 0, sizeof own);
    own.sa_sigaction = step;
    own.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &own, &before);
    hash = steps = 0;
    uint64_t flags;
    __asm__ volatile("pushfq\n\tpopq %0" : "=r"(flags));
    __asm__ volatile("pushq %0\n\tpopfq" : : "r"(flags | TRAP) : "memory", "cc");
    call(job);
    __asm__ volatile("pushq %0\n\tpopfq" : : "r"(flags & ~(uint64_t)TRAP) : "memory", "cc");
    sigaction(SIGTRAP, &before, 0);
    walk[0] = hash;
    walk[1] = steps;
}
