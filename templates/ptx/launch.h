/* Runs a launch: its blocks one after another, and the threads of a block in turn. */

static uint64_t mg_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15; /* splitmix64 */
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static void mg_sequence(uint32_t *to, uint32_t count, uint32_t order, uint64_t *random)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = order == MG_REVERSED ? count - 1 - i : i;
    if (order == MG_SHUFFLED)
        for (uint32_t i = count; i-- > 1;) {
            const uint32_t j = (uint32_t)(mg_random(random) % (i + 1)), x = to[i];
            to[i] = to[j];
            to[j] = x;
        }
}

/* The function of a fiber. */
static void mg_run(mg_thread *t)
{
    t->block->kernel(t);
    mg_exit(t);
}

/* Runs each thread that is ready until it waits or ends. */
static void mg_pass(mg_block *block)
{
    mg_sequence(block->sequence, block->thread_count, block->launch->order, &block->random);
    for (uint32_t i = 0; i < block->thread_count && !block->launch->fault.code; i++) {
        mg_thread *const t = &block->threads[block->sequence[i]];
        if (t->state == MG_READY)
            mg_resume(t->fiber);
    }
}

/* Completes warp-level operations whose lanes have all arrived. Returns whether there were any. */
static int mg_held(mg_block *block)
{
    int held = 0;
    for (uint32_t warp = 0; warp < block->warp_count; warp++) {
        const int found = mg_meetings(block, warp);
        if (found < 0)
            return 0;
        held += found;
    }
    return held;
}

static int mg_all_done(const mg_block *block)
{
    for (uint32_t i = 0; i < block->thread_count; i++)
        if (block->threads[i].state != MG_DONE)
            return 0;
    return 1;
}

static void mg_start_block(mg_block *block, uint32_t number)
{
    const mg_launch *const launch = block->launch;
    block->index[0] = number % launch->grid[0];
    block->index[1] = number / launch->grid[0] % launch->grid[1];
    block->index[2] = number / launch->grid[0] / launch->grid[1];
    block->first_epoch = ++block->epoch;
    for (uint32_t i = 0; i < block->thread_count; i++) {
        mg_thread *const t = &block->threads[i];
        t->state = MG_READY;
        t->local_top = 0;
        mg_reset_fiber(t->fiber, t);
    }
}

static void mg_run_block(mg_block *block, uint32_t number)
{
    mg_fault *const fault = &block->launch->fault;
    mg_start_block(block, number);
    for (;;) {
        mg_pass(block);
        const int held = fault->code ? 0 : mg_held(block);
        if (fault->code)
            return;
        if (held)
            continue;
        if (!mg_count_all(block))
            fault->code = MG_MEMORY;
        if (fault->code || mg_all_done(block) || !mg_release(block))
            return;
    }
}

static void mg_free_block(mg_block *block)
{
    for (uint32_t i = 0; block->threads && i < block->thread_count; i++)
        free(block->threads[i].notes);
    free(block->local);
    free(block->fibers);
    free(block->threads);
    free(block->warps);
    free(block->sequence);
    free(block->shared);
    free(block->cells);
    free(block->seen);
}

/* Allocates the memory of one block, which all blocks use in turn. Returns 0 on failure. */
static int mg_new_block(mg_block *block)
{
    const mg_launch *const launch = block->launch;
    const uint32_t count = block->thread_count;
    block->warp_count = (count + 31) / 32;
    block->threads = calloc(count, sizeof *block->threads);
    block->fibers = calloc(count, sizeof *block->fibers);
    block->warps = calloc(block->warp_count, sizeof *block->warps);
    block->sequence = calloc(count, sizeof *block->sequence);
    block->shared = calloc(1, launch->shared_bytes + 16);
    block->cells = calloc(launch->shared_bytes / MG_GRAIN + 4, sizeof *block->cells);
    block->seen = calloc(sizeof mg_sites / sizeof *mg_sites, sizeof *block->seen);
    block->local = calloc(count, launch->local_bytes + 1);
    return block->threads && block->fibers && block->warps && block->sequence && block->shared && block->cells && block->seen &&
           block->local;
}

static void mg_new_threads(mg_block *block, const mg_stacks *stacks)
{
    const mg_launch *const launch = block->launch;
    for (uint32_t i = 0; i < block->thread_count; i++) {
        mg_thread *const t = &block->threads[i];
        t->block = block;
        t->number = i, t->lane = i % 32, t->warp = i / 32;
        t->index[0] = i % launch->block[0];
        t->index[1] = i / launch->block[0] % launch->block[1];
        t->index[2] = i / launch->block[0] / launch->block[1];
        t->local = launch->local_bytes ? block->local + (size_t)i * launch->local_bytes : 0;
        t->fiber = &block->fibers[i];
        t->fiber->memory = stacks->memory + i * stacks->each;
        t->fiber->size = stacks->each;
    }
}

static void mg_free_cells(mg_launch *launch)
{
    for (uint32_t i = 0; i < launch->span_count; i++) {
        free(launch->spans[i].cells);
        launch->spans[i].cells = 0;
    }
}

/* Allocates the access records of all words of global memory. Returns 0 on failure. */
static int mg_new_cells(mg_launch *launch)
{
    for (uint32_t i = 0; i < launch->span_count; i++) {
        mg_span *const span = &launch->spans[i];
        span->cells = span->constant ? 0 : calloc(span->size / MG_GRAIN + 1, sizeof *span->cells);
        if (!span->constant && !span->cells)
            return 0;
    }
    return 1;
}

/* Runs the kernel with a number. launch->fault is the fault that stopped it, or has the code 0 if there was none. */
__attribute__((visibility("default"))) void mg_launch_kernel(mg_launch *launch, uint32_t kernel)
{
    const uint32_t blocks = launch->grid[0] * launch->grid[1] * launch->grid[2];
    mg_block block = {.launch = launch, .kernel = mg_kernels[kernel], .random = launch->seed};
    mg_stacks stacks = {0};
    uint32_t *const sequence = calloc(blocks, sizeof *sequence);
    memset(&launch->fault, 0, sizeof launch->fault);
    block.thread_count = launch->block[0] * launch->block[1] * launch->block[2];
    if (sequence && mg_new_cells(launch) && mg_new_block(&block) && mg_new_stacks(&stacks, block.thread_count, launch->stack_bytes)) {
        mg_new_threads(&block, &stacks);
        mg_sequence(sequence, blocks, launch->order, &block.random);
        for (uint32_t i = 0; i < blocks && !launch->fault.code; i++)
            mg_run_block(&block, sequence[i]);
    } else {
        launch->fault.code = MG_MEMORY;
    }
    mg_free_block(&block);
    mg_free_cells(launch);
    mg_free_stacks(&stacks);
    free(sequence);
}
