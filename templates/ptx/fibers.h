/* Fibers: each thread of a block has its own stack, and the simulator switches between them. */
#include <sys/mman.h>
#include <unistd.h>
#if !defined(__x86_64__) || defined(__ILP32__)
#define MG_UCONTEXT /* uses ucontext.h, which is slower; may also be defined on x86-64 */
#endif
#ifdef MG_UCONTEXT
#include <ucontext.h>
#endif

typedef struct mg_fiber {
#ifdef MG_UCONTEXT
    ucontext_t own, back;
#else
    void *own, *back; /* stack pointers; the callee-saved registers are on top of the stack */
#endif
    uint8_t *memory;
    size_t size;
} mg_fiber;

#ifndef MG_UCONTEXT
void mg_switch(void **from, void *to) __asm__("mg_switch");
void mg_first(void) __asm__("mg_first");
__asm__(".text\n"
        "mg_switch:\n\t"
        "pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
        "movq %rsp, (%rdi)\n\tmovq %rsi, %rsp\n\t"
        "popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n\t"
        "ret\n"
        "mg_first:\n\t" /* entry of a new fiber: r12 is its thread, r13 its function */
        "movq %r12, %rdi\n\tcallq *%r13\n\tud2\n");
#endif

/* The stacks of all fibers, which are contiguous in memory. */
typedef struct mg_stacks {
    uint8_t *memory;
    size_t each; /* bytes of a stack and of the guard page below it */
    uint32_t count;
} mg_stacks;

/* Allocates stacks of at least `size` bytes. Pages that are never touched take no memory. Returns 0 on failure. */
static int mg_new_stacks(mg_stacks *stacks, uint32_t count, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int flags = MAP_PRIVATE | MAP_ANON;
#ifdef MAP_NORESERVE
    flags |= MAP_NORESERVE;
#endif
    stacks->each = (size + 2 * page - 1) / page * page;
    stacks->count = count;
    stacks->memory = mmap(0, stacks->each * count, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (stacks->memory == MAP_FAILED) {
        stacks->memory = 0;
        return 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (mprotect(stacks->memory + i * stacks->each, page, PROT_NONE))
            return 0;
    return 1;
}

static void mg_free_stacks(mg_stacks *stacks)
{
    if (stacks->memory)
        munmap(stacks->memory, stacks->each * stacks->count);
}

static void mg_run(mg_thread *t);

#ifdef MG_UCONTEXT
static void mg_begin_ucontext(unsigned high, unsigned low)
{
    mg_run((mg_thread *)(((uintptr_t)high << 16 << 16) | low));
}
#endif

/* Prepares a fiber so that it starts with mg_run(t). */
static void mg_reset_fiber(mg_fiber *fiber, mg_thread *t)
{
#ifdef MG_UCONTEXT
    getcontext(&fiber->own);
    fiber->own.uc_stack.ss_sp = fiber->memory;
    fiber->own.uc_stack.ss_size = fiber->size;
    fiber->own.uc_link = 0;
    makecontext(&fiber->own, (void (*)(void))mg_begin_ucontext, 2, (unsigned)((uintptr_t)t >> 16 >> 16), (unsigned)(uintptr_t)t);
#else
    void **top = (void **)(fiber->memory + fiber->size) - 2; /* a multiple of 16, so that the stack is aligned at the call in mg_first */
    *--top = (void *)mg_first;
    *--top = 0;          /* rbp */
    *--top = 0;          /* rbx */
    *--top = (void *)t;  /* r12 */
    *--top = (void *)mg_run; /* r13 */
    *--top = 0;          /* r14 */
    *--top = 0;          /* r15 */
    fiber->own = top;
#endif
}

/* Runs a thread until it waits, ends or gives up. */
static void mg_resume(mg_fiber *fiber)
{
#ifdef MG_UCONTEXT
    swapcontext(&fiber->back, &fiber->own);
#else
    mg_switch(&fiber->back, fiber->own);
#endif
}

/* Returns to the caller of mg_resume. */
static void mg_suspend(mg_fiber *fiber)
{
#ifdef MG_UCONTEXT
    swapcontext(&fiber->own, &fiber->back);
#else
    mg_switch(&fiber->own, fiber->back);
#endif
}
