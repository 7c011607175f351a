/* The arguments of a launch, and the state of its blocks and threads. The structures that momagen/cuda/ptx/launch/border.py declares
   have the same fields there, in the same order. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 mg_int128;
typedef unsigned __int128 mg_uint128;

/* An access in the PTX text: its line; its size in bytes; its kind, which is 0 for a load, 1 for a store and 2 for an atomic operation;
   and whether it requires that no thread writes the location (.nc). */
typedef struct mg_site {
    uint32_t line;
    uint16_t size;
    uint8_t kind, unchanging;
} mg_site;

/* An array in global or constant memory. */
typedef struct mg_span {
    uint64_t base, size;
    uint32_t constant, writable;
    uint64_t loaded, stored; /* bytes, if they are counted */
    struct mg_cell *cells;
} mg_span;

/* The fault that stopped a launch: its line, the line that it conflicts with, if any, and the threads at both lines. */
typedef struct mg_fault {
    uint32_t code, line, other_line, size;
    uint64_t address;
    uint32_t block[3], thread[3], other[3];
    uint32_t space;
} mg_fault;

/* Counts for an access, summed over all warps: instructions, bytes, 32-byte sectors of global memory, passes through shared memory, and
   additional passes because of bank conflicts. */
typedef struct mg_count {
    uint64_t requests, bytes, sectors, passes, extra;
} mg_count;

typedef struct mg_launch {
    uint32_t grid[3], block[3];
    uint8_t *parameters;
    const uint64_t *symbols;
    const uint32_t *shared_at;
    mg_span *spans;
    mg_count *counts; /* two for each access, for global and for shared memory; NULL if nothing is counted */
    uint64_t seed, stack_bytes, turns;
    uint32_t parameter_bytes, span_count, shared_bytes, local_bytes, order, barriers;
    uint32_t skipped; /* the line of a barrier to ignore, or 0 */
    mg_fault fault;
} mg_launch;

enum mg_space { MG_GLOBAL, MG_SHARED, MG_CONST, MG_LOCAL, MG_PARAM, MG_GENERIC };
enum mg_order { MG_FORWARD, MG_REVERSED, MG_SHUFFLED };

enum mg_code {
    MG_OK, MG_MEMORY, MG_OUTSIDE, MG_MISALIGNED, MG_READ_ONLY, MG_UNWRITTEN, MG_RACE_READ, MG_RACE_WRITE, MG_RACE_OVERWRITE,
    MG_TRAP, MG_DIVISION, MG_BRANCH, MG_STUCK, MG_DIVERGED, MG_PARTIAL, MG_NOT_MEMBER, MG_ABSENT_LANE, MG_TURNS,
    MG_BLOCK_READ, MG_BLOCK_WRITE, MG_BLOCK_OVERWRITE, MG_CHANGED
};

/* States of a thread: ready to run, waiting at a barrier of its block, waiting for lanes of its warp, or finished. */
enum mg_state { MG_READY, MG_AT_BARRIER, MG_AT_MEETING, MG_DONE };

enum mg_meeting { MG_WARP, MG_UP, MG_DOWN, MG_BFLY, MG_IDX, MG_ANY, MG_ALL, MG_UNI, MG_BALLOT };

/* An access of one thread since the last barrier, recorded for counting. */
typedef struct mg_note {
    uint64_t address;
    uint32_t site, space;
} mg_note;

typedef struct mg_thread {
    struct mg_fiber *fiber;
    struct mg_block *block;
    uint32_t index[3], number, lane, warp, state;
    uint32_t line, barrier; /* where the thread waits */
    uint32_t meeting, mask, a, b, c; /* its operands of a warp-level operation */
    uint32_t value;
    uint8_t holds; /* the predicate that a warp-level operation returns */
    uint8_t *local;
    uint32_t local_top;
    mg_note *notes;
    size_t note_count, note_room;
} mg_thread;

typedef struct mg_warp_state {
    uint32_t epoch; /* barriers of all its threads so far */
} mg_warp_state;

typedef struct mg_block {
    mg_launch *launch;
    mg_thread *threads;
    struct mg_fiber *fibers;
    mg_warp_state *warps;
    uint32_t *sequence; /* the order in which threads run */
    uint8_t *shared, *local;
    struct mg_cell *cells;
    uint32_t *seen; /* how often a lane has executed each access, for counting */
    void (*kernel)(mg_thread *);
    uint32_t index[3], thread_count, warp_count;
    uint32_t epoch, first_epoch; /* barriers since the start of the launch, now and at the start of this block */
    mg_span *last;
    uint64_t random, turns;
} mg_block;

/* Ends the launch. Does not return. */
_Noreturn static void mg_give_up(mg_thread *t);
static void mg_wait(mg_thread *t);
