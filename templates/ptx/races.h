/* Detects data races in shared and global memory, by a record of the last writer and readers of each word. Between two accesses to a
   word by different threads of a block, at least one of them a write, there must be a barrier of the block, or of their warp if both
   are in the same one. No barrier orders different blocks. The result does not depend on the order in which threads run. */

#define MG_NOBODY 0xffffu

typedef struct mg_cell {
    uint32_t write_epoch, write_line, write_meeting; /* the last write: its epoch, its line, and the number of barriers of its warp before it */
    uint32_t read_epoch, read_line, read_meeting, read_lanes; /* the last reads, by lanes of one warp */
    uint32_t other_line, foreign_line; /* foreign_line: the line of a read by an earlier block than the last reader's */
    uint16_t writer, reader, other; /* threads; other: a reader in the same epoch from another warp than `reader` */
    uint16_t atomic; /* whether the last write was atomic */
} mg_cell;

/* An access to a word at byte `at` of a state space. */
typedef struct mg_touch {
    const mg_site *site;
    mg_cell *cell;
    uint64_t at;
    uint32_t space;
} mg_touch;

_Noreturn static __attribute__((noinline)) void mg_race(mg_thread *t, uint32_t code, mg_touch touch, uint32_t other,
                                                        uint32_t other_line)
{
    mg_fault *const fault = &t->block->launch->fault;
    fault->address = touch.at;
    fault->size = touch.site->size;
    fault->space = touch.space;
    mg_blame_two(t, code, touch.site->line, other, other_line);
    mg_give_up(t);
}

/* Returns whether no barrier orders t after an access by thread `other` in this epoch, when its warp had passed `meeting` barriers. */
static inline int mg_unordered(const mg_thread *t, uint32_t other, uint32_t meeting)
{
    const mg_thread *const o = &t->block->threads[other];
    return other != t->number && (o->warp != t->warp || meeting == t->block->warps[t->warp].epoch);
}

static void mg_check_writer(mg_thread *t, mg_touch touch, uint32_t code, uint32_t block_code)
{
    const mg_cell *const cell = touch.cell;
    if (touch.site->kind == 2 && cell->atomic)
        return;
    if (cell->write_epoch == t->block->epoch) {
        if (mg_unordered(t, cell->writer, cell->write_meeting))
            mg_race(t, code, touch, cell->writer, cell->write_line);
    } else if (touch.space == MG_GLOBAL && cell->write_epoch && cell->write_epoch < t->block->first_epoch)
        mg_race(t, block_code, touch, cell->writer, cell->write_line);
}

static void mg_note_read(mg_thread *t, mg_touch touch)
{
    const mg_block *const block = t->block;
    const uint32_t meeting = block->warps[t->warp].epoch;
    mg_cell *const cell = touch.cell;
    mg_check_writer(t, touch, MG_RACE_READ, MG_BLOCK_READ);
    if (cell->read_epoch != block->epoch) {
        if (cell->read_epoch && cell->read_epoch < block->first_epoch)
            cell->foreign_line = cell->read_line;
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
    cell->read_line = touch.site->line;
}

/* Checks that a write by t does not race with a read by another thread in this epoch or, in global memory, by another block. */
static void mg_check_readers(mg_thread *t, mg_touch touch)
{
    const mg_cell *const cell = touch.cell;
    if (touch.space == MG_GLOBAL && cell->read_epoch && cell->read_epoch < t->block->first_epoch)
        mg_race(t, MG_BLOCK_OVERWRITE, touch, cell->reader, cell->read_line);
    if (touch.space == MG_GLOBAL && cell->foreign_line)
        mg_race(t, MG_BLOCK_OVERWRITE, touch, t->number, cell->foreign_line);
    if (cell->read_epoch != t->block->epoch)
        return;
    const uint32_t warp = t->block->threads[cell->reader].warp;
    if (cell->other != MG_NOBODY && t->block->threads[cell->other].warp != t->warp)
        mg_race(t, MG_RACE_OVERWRITE, touch, cell->other, cell->other_line);
    if (warp != t->warp)
        mg_race(t, MG_RACE_OVERWRITE, touch, cell->reader, cell->read_line);
    const uint32_t lanes = cell->read_lanes & ~(1u << t->lane);
    if (lanes && cell->read_meeting == t->block->warps[warp].epoch)
        mg_race(t, MG_RACE_OVERWRITE, touch, warp * 32 + (uint32_t)__builtin_ctz(lanes), cell->read_line);
}

static void mg_note_write(mg_thread *t, mg_touch touch)
{
    mg_cell *const cell = touch.cell;
    mg_check_writer(t, touch, MG_RACE_WRITE, MG_BLOCK_WRITE);
    mg_check_readers(t, touch);
    cell->write_epoch = t->block->epoch;
    cell->write_meeting = t->block->warps[t->warp].epoch;
    cell->writer = (uint16_t)t->number;
    cell->write_line = touch.site->line;
    cell->atomic = touch.site->kind == 2;
}

/* Checks an access to a word, which is known to be within bounds. `address` is the address of the access, for reports. */
static void mg_watch_word(mg_thread *t, mg_touch touch, uint64_t address)
{
    if (touch.space == MG_SHARED && touch.site->kind != 1 && touch.cell->write_epoch < t->block->first_epoch)
        mg_stop_at(t, MG_UNWRITTEN, touch.site, address, MG_SHARED);
    if (touch.site->unchanging && touch.cell->write_epoch)
        mg_race(t, MG_CHANGED, touch, touch.cell->writer, touch.cell->write_line);
    if (touch.site->kind == 0)
        mg_note_read(t, touch);
    else
        mg_note_write(t, touch);
}

static void mg_watch(mg_thread *t, const mg_site *site, uint64_t at, mg_cell *cells, uint64_t address, uint32_t space)
{
    const uint64_t end = (at + site->size + MG_GRAIN - 1) / MG_GRAIN;
    for (uint64_t word = at / MG_GRAIN; word < end; word++)
        mg_watch_word(t, (mg_touch){site, &cells[word], address - at + word * MG_GRAIN, space}, address);
}
