/* Cycles of a B512 program: an in-order front end with a busyboard, three queues, and the ports of the register file.

   Everything is data: per instruction its pipeline, how many cycles it holds the pipeline, how long its first result
   takes, and the registers that it reads and writes. Registers are numbered through all files; the first `vectors` of
   them are vectors, `stacked` to a memory with one port. */
#include <stdint.h>

enum { PIPELINES = 3, READS = 4, WRITES = 2, REGISTERS = 256, MEMORIES = 64, AHEAD = 8192, QUEUE = 64, FLYING = 4096 };

struct machine {
    int32_t vectors, stacked; /* vector registers, and how many share a memory; 0: no memory has a port to wait for */
    int32_t dispatch;         /* cycles from one dispatched instruction to the next */
    int32_t queue;            /* instructions that wait for a pipeline, at most QUEUE */
    int32_t share;            /* whether instructions in flight may read the same vector register */
    int32_t late;             /* whether sources are busy until the results are there */
    int32_t interval[PIPELINES]; /* cycles from one access of a pipeline to a memory to the next */
};

struct flying {
    int64_t sources, end; /* when the sources, and the results, are no longer busy */
    int32_t at;
};

static uint8_t taken[MEMORIES][AHEAD];
static int32_t readers[REGISTERS], writers[REGISTERS];
static struct flying flying[FLYING];

/* Whether an access to the memory of each register may go on for `count` cycles from `begin` on. */
static int free_ports(const struct machine *m, const int16_t *registers, int most, int64_t begin, int32_t count, int32_t step)
{
    for (int i = 0; i < most; i++)
        if (registers[i] >= 0 && registers[i] < m->vectors)
            for (int32_t c = 0; c < count; c += step)
                if (taken[registers[i] / m->stacked][(begin + c) % AHEAD])
                    return 0;
    return 1;
}

static void take_ports(const struct machine *m, const int16_t *registers, int most, int64_t begin, int32_t count, int32_t step)
{
    for (int i = 0; i < most; i++)
        if (registers[i] >= 0 && registers[i] < m->vectors)
            for (int32_t c = 0; c < count; c += step)
                taken[registers[i] / m->stacked][(begin + c) % AHEAD] = 1;
}

/* How often the memory that is asked for most is asked for: its accesses follow one another. */
static int32_t crowd(const struct machine *m, const int16_t *registers, int most)
{
    int32_t found = 1;
    for (int i = 0; m->stacked && i < most; i++) {
        int32_t same = 0;
        for (int j = 0; j < most; j++)
            same += registers[i] >= 0 && registers[i] < m->vectors && registers[j] >= 0 && registers[j] < m->vectors
                && registers[i] / m->stacked == registers[j] / m->stacked;
        found = same > found ? same : found;
    }
    return found;
}

static int hazards(const struct machine *m, const int16_t *reads, const int16_t *writes)
{
    for (int i = 0; i < READS; i++)
        if (reads[i] >= 0 && (writers[reads[i]] || (!m->share && reads[i] < m->vectors && readers[reads[i]])))
            return 1;
    for (int i = 0; i < WRITES; i++)
        if (writes[i] >= 0 && (writers[writes[i]] || readers[writes[i]]))
            return 1;
    return 0;
}

/* Cycles until the last result; -1 where nothing goes on any more. Times of dispatch, start and end are told for each. */
int64_t rpu_cycles(const struct machine *m, int32_t count, const int8_t *pipeline, const int32_t *holds, const int32_t *latency,
                   const int16_t *reads, const int16_t *writes, int64_t *dispatched, int64_t *started, int64_t *ended)
{
    int32_t waiting[PIPELINES][QUEUE], length[PIPELINES] = {0}, next = 0, done = 0, in_flight = 0;
    int64_t free_at[PIPELINES] = {0}, slot = 0, last = 0, moved = 0;
    for (int i = 0; i < MEMORIES; i++)
        for (int j = 0; j < AHEAD; j++)
            taken[i][j] = 0;
    for (int i = 0; i < REGISTERS; i++)
        readers[i] = writers[i] = 0;
    for (int64_t now = 0; done < count; now++) {
        for (int i = 0; i < MEMORIES; i++)
            taken[i][(now + AHEAD - 1) % AHEAD] = 0;
        for (int32_t i = 0; i < in_flight;) {
            struct flying *each = flying + i;
            const int16_t *r = reads + READS * each->at, *w = writes + WRITES * each->at;
            if (each->sources == now)
                for (int j = 0; j < READS; j++)
                    if (r[j] >= 0)
                        readers[r[j]]--;
            if (each->end == now) {
                for (int j = 0; j < WRITES; j++)
                    if (w[j] >= 0)
                        writers[w[j]]--;
                done++;
                moved = now;
                *each = flying[--in_flight];
                continue;
            }
            i++;
        }
        for (int turn = 0; turn < PIPELINES; turn++) { /* the oldest first */
            int p = -1;
            for (int i = 0; i < PIPELINES; i++)
                if (length[i] && free_at[i] <= now && dispatched[waiting[i][0]] < now && started[waiting[i][0]] == -1
                    && (p < 0 || waiting[i][0] < waiting[p][0]))
                    p = i;
            if (p < 0)
                break;
            const int32_t at = waiting[p][0], step = m->interval[p];
            const int16_t *r = reads + READS * at, *w = writes + WRITES * at;
            const int32_t in = holds[at] * crowd(m, r, READS), out = holds[at] * crowd(m, w, WRITES);
            const int64_t result = now + in - holds[at] + latency[at];
            if (m->stacked && (!free_ports(m, r, READS, now, in, step) || !free_ports(m, w, WRITES, result, out, step))) {
                started[at] = -2; /* this cycle it does not start */
                continue;
            }
            if (m->stacked) {
                take_ports(m, r, READS, now, in, step);
                take_ports(m, w, WRITES, result, out, step);
            }
            started[at] = now;
            ended[at] = result + out;
            free_at[p] = now + (in > out ? in : out);
            flying[in_flight].at = at;
            flying[in_flight].end = ended[at];
            flying[in_flight++].sources = m->late ? ended[at] : now + in;
            last = ended[at] > last ? ended[at] : last;
            moved = now;
            length[p]--;
            for (int i = 0; i < length[p]; i++)
                waiting[p][i] = waiting[p][i + 1];
        }
        for (int i = 0; i < PIPELINES; i++)
            if (length[i] && started[waiting[i][0]] == -2)
                started[waiting[i][0]] = -1;
        if (next < count && now >= slot && length[pipeline[next]] < m->queue
            && !hazards(m, reads + READS * next, writes + WRITES * next)) {
            for (int i = 0; i < READS; i++)
                if (reads[READS * next + i] >= 0)
                    readers[reads[READS * next + i]]++;
            for (int i = 0; i < WRITES; i++)
                if (writes[WRITES * next + i] >= 0)
                    writers[writes[WRITES * next + i]]++;
            dispatched[next] = now;
            started[next] = -1;
            waiting[pipeline[next]][length[pipeline[next]]++] = next;
            next++;
            slot = now + m->dispatch;
            moved = now;
        }
        if (now - moved > AHEAD)
            return -1;
    }
    return last;
}
