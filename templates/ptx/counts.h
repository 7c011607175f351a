/* Counts memory accesses by warp instructions. Accesses of different lanes since the last barrier belong to the same warp instruction
   if they come from the same instruction of the program, and each lane has executed it equally often before. */

typedef struct mg_lane_access {
    uint64_t address;
    uint32_t site, space, turn, lane;
} mg_lane_access;

/* Records an access of a thread. */
static void mg_remember(mg_thread *t, uint32_t site, uint64_t address, uint32_t space)
{
    if (t->note_count == t->note_room) {
        const size_t room = t->note_room ? 2 * t->note_room : 64;
        mg_note *const notes = realloc(t->notes, room * sizeof *notes);
        if (!notes)
            mg_stop(t, MG_MEMORY, mg_sites[site].line);
        t->notes = notes;
        t->note_room = room;
    }
    t->notes[t->note_count++] = (mg_note){address, site, space};
}

static int mg_by_access(const void *x, const void *y)
{
    const mg_lane_access *const a = x, *const b = y;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    if (a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    return a->lane < b->lane ? -1 : a->lane > b->lane;
}

/* Returns the number of distinct 32-byte sectors that the lanes access. */
static uint64_t mg_sectors(const mg_lane_access *lanes, uint32_t count, uint32_t size)
{
    uint64_t sectors[32 * 3];
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint64_t s = lanes[i].address / 32; s <= (lanes[i].address + size - 1) / 32; s++) {
            uint32_t j = 0;
            while (j < found && sectors[j] != s)
                j++;
            if (j == found)
                sectors[found++] = s;
        }
    return found;
}

/* Returns the number of passes through the 32 banks of 4 bytes for one access: the largest number of distinct words in one bank. */
static uint32_t mg_passes(const mg_lane_access *lanes, uint32_t count, uint32_t size)
{
    uint64_t words[32][32 * 4];
    uint32_t held[32] = {0}, most = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint64_t w = lanes[i].address / 4; w <= (lanes[i].address + size - 1) / 4; w++) {
            uint64_t *const bank = words[w % 32];
            uint32_t j = 0;
            while (j < held[w % 32] && bank[j] != w)
                j++;
            if (j == held[w % 32])
                bank[held[w % 32]++] = w;
            most = held[w % 32] > most ? held[w % 32] : most;
        }
    return most;
}

/* Accesses of up to 4 bytes are served for a whole warp at once, of 8 bytes for half a warp, of 16 bytes for a quarter. */
static void mg_count_shared(mg_count *count, const mg_lane_access *lanes, uint32_t active, uint32_t size)
{
    const uint32_t group = size <= 4 ? 32 : size == 8 ? 16 : size == 16 ? 8 : 4;
    for (uint32_t i = 0; i < active;) {
        uint32_t end = i;
        while (end < active && lanes[end].lane / group == lanes[i].lane / group)
            end++;
        const uint32_t passes = mg_passes(lanes + i, end - i, size);
        count->passes += passes;
        count->extra += passes - 1;
        i = end;
    }
}

static void mg_count_one(mg_launch *launch, const mg_lane_access *lanes, uint32_t active)
{
    const mg_site *const site = &mg_sites[lanes->site];
    mg_count *const count = &launch->counts[2 * lanes->site + (lanes->space == MG_SHARED)];
    count->requests++;
    count->bytes += (uint64_t)active * site->size;
    if (lanes->space == MG_SHARED)
        mg_count_shared(count, lanes, active, site->size);
    else
        count->sectors += mg_sectors(lanes, active, site->size);
}

/* Counts the accesses of one warp since the last barrier. `all` is an array with space for all of them. */
static void mg_count_warp(mg_block *block, uint32_t first, uint32_t last, mg_lane_access *all)
{
    size_t total = 0;
    for (uint32_t i = first; i < last; i++) {
        mg_thread *const t = &block->threads[i];
        for (size_t n = 0; n < t->note_count; n++) {
            const mg_note *const note = &t->notes[n];
            all[total++] = (mg_lane_access){note->address, note->site, note->space, block->seen[note->site]++, t->lane};
        }
        for (size_t n = 0; n < t->note_count; n++)
            block->seen[t->notes[n].site] = 0;
        t->note_count = 0;
    }
    qsort(all, total, sizeof *all, mg_by_access);
    for (size_t i = 0; i < total;) {
        size_t end = i;
        while (end < total && all[end].site == all[i].site && all[end].space == all[i].space && all[end].turn == all[i].turn)
            end++;
        mg_count_one(block->launch, all + i, (uint32_t)(end - i));
        i = end;
    }
}

/* Counts all accesses that threads have recorded. Returns 0 if memory allocation fails. */
static int mg_count_all(mg_block *block)
{
    if (!block->launch->counts)
        return 1;
    for (uint32_t first = 0; first < block->thread_count; first += 32) {
        const uint32_t last = first + 32 < block->thread_count ? first + 32 : block->thread_count;
        size_t total = 0;
        for (uint32_t i = first; i < last; i++)
            total += block->threads[i].note_count;
        mg_lane_access *const all = malloc((total ? total : 1) * sizeof *all);
        if (!all)
            return 0;
        mg_count_warp(block, first, last, all);
        free(all);
    }
    return 1;
}
