/* State spaces. Each function checks an access and returns a pointer to the data. Global and constant memory consist of the arrays that
   the launch lists, at their own addresses; addresses of shared memory start at 0; local memory is an array for each thread. */

static const mg_site mg_sites[];
static void mg_watch(mg_thread *t, const mg_site *site, uint64_t at, struct mg_cell *cells, uint64_t address, uint32_t space);
static void mg_remember(mg_thread *t, uint32_t site, uint64_t address, uint32_t space);

static inline uint64_t mg_window(const mg_thread *t)
{
    return (uint64_t)(uintptr_t)t->block->shared;
}

static inline int mg_holds(const mg_span *span, uint64_t address, uint64_t size)
{
    return address >= span->base && size <= span->size && address - span->base <= span->size - size;
}

static mg_span *mg_find(mg_block *block, uint64_t address, uint64_t size, uint32_t constant)
{
    if (block->last && block->last->constant == constant && mg_holds(block->last, address, size))
        return block->last;
    for (uint32_t i = 0; i < block->launch->span_count; i++) {
        mg_span *const span = &block->launch->spans[i];
        if (span->constant == constant && mg_holds(span, address, size))
            return block->last = span;
    }
    return 0;
}

/* Returns the address that an access would have if its array began at a multiple of 256, as arrays from a GPU driver do. */
static uint64_t mg_as_on_device(const mg_launch *launch, const mg_span *span, uint64_t address)
{
    return ((uint64_t)(span - launch->spans) << 48) + (address - span->base);
}

static uint8_t *mg_in_span(mg_thread *t, uint32_t number, uint64_t address, uint32_t constant)
{
    const mg_site *const site = &mg_sites[number];
    const uint32_t space = constant ? MG_CONST : MG_GLOBAL;
    mg_span *const span = mg_find(t->block, address, site->size, constant);
    if (!span)
        mg_stop_at(t, MG_OUTSIDE, site, address, space);
    if ((address - span->base) % site->size)
        mg_stop_at(t, MG_MISALIGNED, site, address, space);
    if (site->kind && !span->writable)
        mg_stop_at(t, MG_READ_ONLY, site, address, space);
    if (!constant)
        mg_watch(t, site, address - span->base, span->cells, address, MG_GLOBAL);
    if (t->block->launch->counts) {
        if (!constant)
            mg_remember(t, number, mg_as_on_device(t->block->launch, span, address), MG_GLOBAL);
        *(site->kind ? &span->stored : &span->loaded) += site->size;
    }
    return (uint8_t *)(uintptr_t)address;
}

static __attribute__((noinline, unused)) uint8_t *mg_global(mg_thread *t, uint32_t site, uint64_t address)
{
    return mg_in_span(t, site, address, 0);
}

static __attribute__((noinline, unused)) uint8_t *mg_const(mg_thread *t, uint32_t site, uint64_t address)
{
    return mg_in_span(t, site, address, 1);
}

static __attribute__((noinline, unused)) uint8_t *mg_shared(mg_thread *t, uint32_t number, uint64_t address)
{
    const mg_site *const site = &mg_sites[number];
    const uint64_t size = t->block->launch->shared_bytes;
    if (site->size > size || address > size - site->size)
        mg_stop_at(t, MG_OUTSIDE, site, address, MG_SHARED);
    if (address % site->size)
        mg_stop_at(t, MG_MISALIGNED, site, address, MG_SHARED);
    mg_watch(t, site, address, t->block->cells, address, MG_SHARED);
    if (t->block->launch->counts)
        mg_remember(t, number, address, MG_SHARED);
    return t->block->shared + address;
}

/* Checks an access to memory of `size` bytes at `base`. */
static uint8_t *mg_inside(mg_thread *t, uint32_t number, uint64_t address, const uint8_t *base, uint64_t size, uint32_t space)
{
    const mg_site *const site = &mg_sites[number];
    const uint64_t at = address - (uint64_t)(uintptr_t)base;
    if (site->size > size || at > size - site->size)
        mg_stop_at(t, MG_OUTSIDE, site, at, space);
    if (at % site->size)
        mg_stop_at(t, MG_MISALIGNED, site, at, space);
    return (uint8_t *)(uintptr_t)address;
}

static __attribute__((noinline, unused)) uint8_t *mg_local(mg_thread *t, uint32_t site, uint64_t address)
{
    return mg_inside(t, site, address, t->local, t->local_top, MG_LOCAL);
}

static __attribute__((noinline, unused)) uint8_t *mg_param(mg_thread *t, uint32_t site, uint64_t address)
{
    const mg_launch *const launch = t->block->launch;
    return mg_inside(t, site, address, launch->parameters, launch->parameter_bytes, MG_PARAM);
}

/* Checks an access to a generic address, whose state space is determined by its value. */
static __attribute__((noinline, unused)) uint8_t *mg_generic(mg_thread *t, uint32_t site, uint64_t address)
{
    const mg_launch *const launch = t->block->launch;
    if (launch->shared_bytes && address - mg_window(t) < launch->shared_bytes)
        return mg_shared(t, site, address - mg_window(t));
    if (t->local && address - (uint64_t)(uintptr_t)t->local < launch->local_bytes)
        return mg_local(t, site, address);
    if (address - (uint64_t)(uintptr_t)launch->parameters < launch->parameter_bytes)
        return mg_param(t, site, address);
    return mg_find(t->block, address, mg_sites[site].size, 1) ? mg_const(t, site, address) : mg_global(t, site, address);
}

/* Allocates a frame of local memory for a thread; the launch has reserved enough for the deepest calls. Accesses must not go beyond the
   end of the last frame. */
static __attribute__((unused)) uint8_t *mg_local_frame(mg_thread *t, uint32_t bytes)
{
    const uint32_t start = (t->local_top + 15) / 16 * 16;
    t->local_top = start + bytes;
    return t->local + start;
}
