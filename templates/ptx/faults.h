/* Faults, which stop a launch. Only the first fault is reported. */

static void mg_blame(mg_thread *t, uint32_t code, uint32_t line)
{
    mg_fault *const fault = &t->block->launch->fault;
    fault->code = code;
    fault->line = line;
    memcpy(fault->block, t->block->index, sizeof fault->block);
    memcpy(fault->thread, t->index, sizeof fault->thread);
}

_Noreturn static __attribute__((noinline)) void mg_stop(mg_thread *t, uint32_t code, uint32_t line)
{
    mg_blame(t, code, line);
    mg_give_up(t);
}

/* Reports a conflict between two accesses, or between two barriers. */
static void mg_blame_two(mg_thread *t, uint32_t code, uint32_t line, uint32_t other, uint32_t other_line)
{
    mg_fault *const fault = &t->block->launch->fault;
    mg_blame(t, code, line);
    fault->other_line = other_line;
    memcpy(fault->other, t->block->threads[other].index, sizeof fault->other);
}

_Noreturn static __attribute__((noinline)) void mg_stop_at(mg_thread *t, uint32_t code, const mg_site *site, uint64_t address,
                                                           uint32_t space)
{
    mg_fault *const fault = &t->block->launch->fault;
    fault->address = address;
    fault->size = site->size;
    fault->space = space;
    mg_stop(t, code, site->line);
}

static inline int mg_divided(mg_thread *t, uint32_t line, uint64_t divisor)
{
    if (!divisor)
        mg_stop(t, MG_DIVISION, line);
    return 1;
}

/* Counts a backward jump; the number of backward jumps in a block is limited. */
static inline void mg_turn(mg_thread *t, uint32_t line)
{
    if (t->block->turns++ >= t->block->launch->turns)
        mg_stop(t, MG_TURNS, line);
}

_Noreturn static __attribute__((unused)) void mg_exit(mg_thread *t)
{
    t->state = MG_DONE;
    for (;;)
        mg_wait(t);
}
