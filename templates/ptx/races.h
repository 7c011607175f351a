/* Shared memory: who wrote and read each word since the last barrier. Two threads that touch a word, one of them writing, need a
   barrier between them: of the block, or of their warp where both are of one. That does not depend on the order in which they run. */

#define MG_NOBODY 0xffffu

typedef struct mg_cell {
    uint32_t write_epoch, write_line, write_meeting; /* the last write: its epoch, line and its warp's meetings before */
    uint32_t read_epoch, read_line, read_meeting, read_lanes; /* the last reads by lanes of one warp */
    uint32_t other_line;
    uint16_t writer, reader, other; /* threads; other: one that read in the same epoch, of another warp than reader */
    uint16_t atomic; /* the last write was */
} mg_cell;

_Noreturn static __attribute__((noinline)) void mg_race(mg_thread *t, uint32_t code, const mg_site *site, uint64_t address,
                                                        uint32_t other, uint32_t other_line)
{
    mg_fault *const fault = &t->block->launch->fault;
    fault->address = address;
    fault->size = site->size;
    fault->space = MG_SHARED;
    mg_blame_two(t, code, site->line, other, other_line);
    mg_give_up(t);
}

/* Whether nothing orders t after what the thread ``other`` did in this epoch before meeting number ``meeting`` of its warp. */
static inline int mg_unordered(const mg_thread *t, uint32_t other, uint32_t meeting)
{
    const mg_thread *const o = &t->block->threads[other];
    return other != t->number && (o->warp != t->warp || meeting == t->block->warps[t->warp].epoch);
}

static void mg_check_writer(mg_thread *t, const mg_site *site, uint64_t at, const mg_cell *cell, uint32_t code)
{
    if (cell->write_epoch == t->block->epoch && !(site->kind == 2 && cell->atomic) &&
        mg_unordered(t, cell->writer, cell->write_meeting))
        mg_race(t, code, site, at, cell->writer, cell->write_line);
}

static void mg_note_read(mg_thread *t, const mg_site *site, uint64_t at, mg_cell *cell)
{
    const mg_block *const block = t->block;
    const uint32_t meeting = block->warps[t->warp].epoch;
    if (cell->write_epoch < block->first_epoch)
        mg_stop_at(t, MG_UNWRITTEN, site, at, MG_SHARED);
    mg_check_writer(t, site, at, cell, MG_RACE_READ);
    if (cell->read_epoch != block->epoch) {
        cell->other = MG_NOBODY;
        cell->read_lanes = 0;
    } else if (block->threads[cell->reader].warp != t->warp) {
        cell->other = cell->reader;
        cell->other_line = cell->read_line;
        cell->read_lanes = 0;
    } else if (cell->read_meeting != meeting) {
        cell->read_lanes = 0;
    }
    cell->read_epoch = block->epoch;
    cell->read_meeting = meeting;
    cell->read_lanes |= 1u << t->lane;
    cell->reader = (uint16_t)t->number;
    cell->read_line = site->line;
}

/* A lane of the last readers' warp that is not t's, which did not meet t since. */
static void mg_check_readers(mg_thread *t, const mg_site *site, uint64_t at, const mg_cell *cell)
{
    if (cell->read_epoch != t->block->epoch)
        return;
    const uint32_t warp = t->block->threads[cell->reader].warp;
    if (cell->other != MG_NOBODY && t->block->threads[cell->other].warp != t->warp)
        mg_race(t, MG_RACE_OVERWRITE, site, at, cell->other, cell->other_line);
    if (warp != t->warp)
        mg_race(t, MG_RACE_OVERWRITE, site, at, cell->reader, cell->read_line);
    const uint32_t lanes = cell->read_lanes & ~(1u << t->lane);
    if (lanes && cell->read_meeting == t->block->warps[warp].epoch)
        mg_race(t, MG_RACE_OVERWRITE, site, at, warp * 32 + (uint32_t)__builtin_ctz(lanes), cell->read_line);
}

static void mg_note_write(mg_thread *t, const mg_site *site, uint64_t at, mg_cell *cell)
{
    mg_check_writer(t, site, at, cell, MG_RACE_WRITE);
    mg_check_readers(t, site, at, cell);
    cell->write_epoch = t->block->epoch;
    cell->write_meeting = t->block->warps[t->warp].epoch;
    cell->writer = (uint16_t)t->number;
    cell->write_line = site->line;
    cell->atomic = site->kind == 2;
}

/* An access to shared memory that is within its bounds. */
static void mg_watch(mg_thread *t, const mg_site *site, uint64_t address)
{
    const uint64_t end = (address + site->size + MG_GRAIN - 1) / MG_GRAIN;
    for (uint64_t word = address / MG_GRAIN; word < end; word++) {
        mg_cell *const cell = &t->block->cells[word];
        if (site->kind == 0)
            mg_note_read(t, site, word * MG_GRAIN, cell);
        else if (site->kind == 2 && cell->write_epoch < t->block->first_epoch)
            mg_stop_at(t, MG_UNWRITTEN, site, address, MG_SHARED);
        if (site->kind)
            mg_note_write(t, site, word * MG_GRAIN, cell);
    }
}
