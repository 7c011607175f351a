/* Barriers of a block, and operations of a warp: each thread waits until all participants have arrived. */

static void mg_wait(mg_thread *t)
{
    mg_suspend(t->fiber);
}

_Noreturn static void mg_give_up(mg_thread *t)
{
    for (;;)
        mg_suspend(t->fiber);
}

static __attribute__((unused)) void mg_barrier(mg_thread *t, uint32_t line, uint32_t barrier, uint32_t count)
{
    if (line == t->block->launch->skipped)
        return;
    if (count && count != t->block->thread_count) /* barriers of some of the threads are not supported */
        mg_stop(t, MG_PARTIAL, line);
    t->state = MG_AT_BARRIER;
    t->line = line;
    t->barrier = barrier;
    mg_wait(t);
}

static __attribute__((unused)) void mg_meet(mg_thread *t, uint32_t line, uint32_t meeting, uint32_t mask, uint32_t a, uint32_t b,
                                            uint32_t c)
{
    if (meeting == MG_WARP && line == t->block->launch->skipped)
        return;
    if (!(mask >> t->lane & 1))
        mg_stop(t, MG_NOT_MEMBER, line);
    t->state = MG_AT_MEETING;
    t->line = line;
    t->meeting = meeting;
    t->mask = mask, t->a = a, t->b = b, t->c = c;
    mg_wait(t);
}

/* Returns a mask of the lanes of a warp that have not finished. */
static uint32_t mg_alive(const mg_block *block, uint32_t warp)
{
    uint32_t lanes = 0;
    for (uint32_t i = warp * 32; i < warp * 32 + 32 && i < block->thread_count; i++)
        lanes |= (uint32_t)(block->threads[i].state != MG_DONE) << (i % 32);
    return lanes;
}

/* activemask. If lanes have diverged, the mask contains too many of them; the operation that they then wait for never completes, which is
   reported as a fault. */
static __attribute__((unused)) uint32_t mg_active(const mg_thread *t)
{
    return mg_alive(t->block, t->warp);
}

/* shfl.sync, as the ISA defines it. Returns 0 if the source lane does not participate. */
static int mg_shuffle(mg_thread *t, uint32_t lanes)
{
    const uint32_t b = t->b & 31, bound = t->c & 31, segment = t->c >> 8 & 31, lane = t->lane;
    const uint32_t most = (lane & segment) | (bound & ~segment), least = lane & segment;
    uint32_t from = lane;
    switch (t->meeting) {
    case MG_UP:
        from = lane - b, t->holds = (int32_t)from >= (int32_t)most;
        break;
    case MG_DOWN:
        from = lane + b, t->holds = from <= most;
        break;
    case MG_BFLY:
        from = lane ^ b, t->holds = from <= most;
        break;
    default:
        from = least | (b & ~segment), t->holds = from <= most;
    }
    if (!t->holds)
        from = lane;
    if (!(lanes >> from & 1))
        return 0;
    t->value = t->block->threads[t->warp * 32 + from].a;
    return 1;
}

static void mg_vote(mg_thread *t, uint32_t ballot, uint32_t lanes)
{
    t->value = t->meeting == MG_ANY ? ballot != 0
             : t->meeting == MG_ALL ? ballot == lanes
             : t->meeting == MG_UNI ? ballot == lanes || ballot == 0
                                    : ballot;
}

/* Executes an operation for which all of `lanes` have arrived, and makes them ready. Returns 0 after a fault. */
static int mg_hold(mg_block *block, uint32_t warp, uint32_t lanes)
{
    uint32_t ballot = 0;
    for (uint32_t i = 0; i < 32; i++)
        if (lanes >> i & 1)
            ballot |= (uint32_t)(block->threads[warp * 32 + i].a != 0) << i;
    for (uint32_t i = 0; i < 32; i++) {
        if (!(lanes >> i & 1))
            continue;
        mg_thread *const t = &block->threads[warp * 32 + i];
        if (t->meeting >= MG_ANY)
            mg_vote(t, ballot, lanes);
        else if (t->meeting != MG_WARP && !mg_shuffle(t, lanes)) {
            mg_blame(t, MG_ABSENT_LANE, t->line);
            return 0;
        }
    }
    for (uint32_t i = 0; i < 32; i++)
        if (lanes >> i & 1)
            block->threads[warp * 32 + i].state = MG_READY;
    const mg_thread *const first = &block->threads[warp * 32 + (uint32_t)__builtin_ctz(lanes)];
    if (first->meeting == MG_WARP && lanes == mg_alive(block, warp)) /* only a barrier orders memory; a barrier of some lanes is ignored */
        block->warps[warp].epoch++;
    return 1;
}

/* Executes the operations of a warp for which all lanes have arrived. Returns their number, or -1 after a fault. */
static int mg_meetings(mg_block *block, uint32_t warp)
{
    const uint32_t alive = mg_alive(block, warp);
    uint32_t left = alive;
    int count = 0;
    while (left) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const mg_thread *const t = &block->threads[warp * 32 + lane];
        left &= left - 1;
        if (t->state != MG_AT_MEETING)
            continue;
        const uint32_t lanes = t->mask & alive;
        int all = 1;
        for (uint32_t i = 0; i < 32 && all; i++) {
            const mg_thread *const other = &block->threads[warp * 32 + i];
            if (lanes >> i & 1)
                all = other->state == MG_AT_MEETING && other->line == t->line && other->mask == t->mask;
        }
        if (!all)
            continue;
        if (!mg_hold(block, warp, lanes))
            return -1;
        left &= ~lanes;
        count++;
    }
    return count;
}

/* Releases the threads of a block if all that are not finished wait at the same barrier. Otherwise reports a fault and returns 0. */
static int mg_release(mg_block *block)
{
    mg_thread *first = 0, *odd = 0;
    for (uint32_t i = 0; i < block->thread_count; i++) {
        mg_thread *const t = &block->threads[i];
        if (t->state == MG_DONE)
            continue;
        if (!first)
            first = t;
        else if (!odd && (t->state != first->state || t->line != first->line || t->barrier != first->barrier))
            odd = t;
    }
    if (odd || first->state != MG_AT_BARRIER) {
        mg_blame_two(first, odd ? MG_DIVERGED : MG_STUCK, first->line, odd ? odd->number : first->number, odd ? odd->line : 0);
        return 0;
    }
    for (uint32_t i = 0; i < block->thread_count; i++)
        if (block->threads[i].state == MG_AT_BARRIER)
            block->threads[i].state = MG_READY;
    block->epoch++;
    block->launch->barriers++;
    return 1;
}
