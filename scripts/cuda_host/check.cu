/* The host's part of a kernel on a GPU: every error that one GPU can show, streams, and CUDA graphs.
   kernel.h beside it has the kernel's names, its modulus and its root. Says a line per check; 1 if one fails. */
#include "kernel.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

typedef std::vector<uint32_t> Words;
static const size_t n = CODE(N), words = CODE(WORDS), batch = 3, bytes = batch * n * words * 4;
static int failures = 0;

static void check(const char *what, bool good, const std::string &got = "")
{
    std::printf("%s  %s%s%s\n", good ? "ok    " : "FAILED", what, good ? "" : ": got ", good ? "" : got.c_str());
    failures += !good;
}

static void answers(const char *what, int wanted, int got) { check(what, got == wanted, NTT(error_text)(got)); }

static void succeeds(const char *what, cudaError_t error) { check(what, error == cudaSuccess, cudaGetErrorString(error)); }

static void refused(const char *what, const uint32_t *q, const uint32_t *root, int wanted)
{
    int why = -1;
    const NTT(plan) *plan = NTT(create)(q, root, &why);
    check(what, !plan && why == wanted, plan ? "a plan" : NTT(error_text)(why));
}

/* Residues below 2^96, which is less than the modulus. */
static Words residues(uint32_t seed)
{
    Words x(batch * n * words);
    for (size_t i = 0; i < x.size(); i++) {
        seed = seed * 1664525 + 1013904223;
        x[i] = i % words < 3 ? seed : 0;
    }
    return x;
}

struct Vector {
    uint32_t *at = 0;
    explicit Vector(size_t size = bytes) { succeeds("memory", cudaMalloc((void **)&at, size)); }
    ~Vector() { cudaFree(at); }
    void put(const Words &x) const
    {
        cudaMemcpy(at, x.data(), bytes, cudaMemcpyHostToDevice);
        succeeds("words are there", cudaDeviceSynchronize()); // a copy from pageable memory may return before that
    }
    Words get() const
    {
        Words y(bytes / 4);
        succeeds("copy", cudaMemcpy(y.data(), at, bytes, cudaMemcpyDeviceToHost));
        return y;
    }
};

/* Value 0 of the first transform is the sum of its operands. */
static bool sums(const Words &x, const Words &y)
{
    typedef unsigned __int128 Wide;
    Wide q = 0, total = 0, found = 0;
    for (size_t i = 4; i-- > 0;)
        q = q << 32 | q_words[i], found = found << 32 | y[i];
    for (size_t i = 0; i < n; i++) {
        Wide each = 0;
        for (size_t j = 4; j-- > 0;)
            each = each << 32 | x[i * words + j];
        total = (total + each) % q;
    }
    return total == found;
}

static void transforms(const NTT(plan) *plan)
{
    const size_t room_bytes = NTT(room)(plan, batch);
    check("natural order needs room", room_bytes == bytes, std::to_string(room_bytes));
    const Vector x, y, z, room(room_bytes), more(room_bytes);
    const Words first = residues(1), second = residues(2);
    x.put(first);
    answers("execute", CODE(OK), NTT(execute)(plan, y.at, x.at, batch, room.at, 0));
    const Words expected = y.get();
    check("the first value is the sum", sums(first, expected));
    check("x is left as it was", x.get() == first);
    answers("in place", CODE(OK), NTT(execute)(plan, x.at, x.at, batch, room.at, 0));
    check("the same in place", x.get() == expected);

    cudaStream_t one, two;
    succeeds("a stream", cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    succeeds("another", cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    x.put(first), z.put(first);
    answers("on a stream", CODE(OK), NTT(execute)(plan, x.at, x.at, batch, room.at, one));
    answers("on another", CODE(OK), NTT(execute)(plan, z.at, z.at, batch, more.at, two));
    succeeds("both", cudaDeviceSynchronize());
    check("the same on both", x.get() == expected && z.get() == expected);

    cudaGraph_t graph;
    cudaGraphExec_t ready;
    succeeds("a capture begins", cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    answers("execute is captured", CODE(OK), NTT(execute)(plan, y.at, x.at, batch, room.at, one));
    succeeds("a capture ends", cudaStreamEndCapture(one, &graph));
    succeeds("a graph", cudaGraphInstantiateWithFlags(&ready, graph, 0));
    for (const Words &each : {second, first}) {
        x.put(each);
        succeeds("a graph is launched", cudaGraphLaunch(ready, one));
        succeeds("a graph runs", cudaStreamSynchronize(one));
        check("a graph transforms what is there now", sums(each, y.get()));
    }
    check("the same by a graph", y.get() == expected);
    cudaGraphExecDestroy(ready), cudaGraphDestroy(graph), cudaStreamDestroy(one), cudaStreamDestroy(two);
}

static void refusals(const NTT(plan) *plan)
{
    const Vector x, room(NTT(room)(plan, batch));
    const Words before = residues(3);
    x.put(before);
    std::vector<uint32_t> here(64);
    uint32_t *host = (uint32_t *)(((size_t)here.data() + 15) / 16 * 16), *pinned = 0, *managed = 0;
    succeeds("pinned memory", cudaMallocHost((void **)&pinned, bytes));
    succeeds("managed memory", cudaMallocManaged((void **)&managed, bytes));
    answers("no plan", CODE(NULL_POINTER), NTT(execute)(0, x.at, x.at, batch, room.at, 0));
    answers("no result", CODE(NULL_POINTER), NTT(execute)(plan, 0, x.at, batch, room.at, 0));
    answers("no room", CODE(NULL_POINTER), NTT(execute)(plan, x.at, x.at, batch, 0, 0));
    answers("nothing to do", CODE(OK), NTT(execute)(plan, 0, 0, 0, 0, 0));
    answers("an odd address", CODE(MISALIGNED), NTT(execute)(plan, x.at + 1, x.at, batch, room.at, 0));
    answers("memory of the host", CODE(HOST_POINTER), NTT(execute)(plan, x.at, host, batch, room.at, 0));
    answers("pinned memory is the host's", CODE(HOST_POINTER), NTT(execute)(plan, pinned, x.at, batch, room.at, 0));
    answers("too many", CODE(TOO_LONG), NTT(execute)(plan, x.at, x.at, (size_t)1 << 31, room.at, 0));
    check("nothing was written", x.get() == before);
    std::memcpy(managed, before.data(), bytes);
    answers("managed memory is taken", CODE(OK), NTT(execute)(plan, managed, managed, batch, room.at, 0));
    succeeds("it runs", cudaDeviceSynchronize());
    check("managed memory has the result", sums(before, Words(managed, managed + bytes / 4)));
    cudaFreeHost(pinned), cudaFree(managed);

    Words even(q_words, q_words + words), wrong(words);
    even[0] &= ~1u;
    wrong[0] = 1;
    refused("an even modulus", even.data(), root_words, CODE(BAD_MODULUS));
    refused("a root of another order", q_words, wrong.data(), CODE(BAD_ROOT));
    refused("no modulus", 0, root_words, CODE(NULL_POINTER));
}

static void without_memory()
{
    std::vector<void *> taken;
    for (size_t size = (size_t)1 << 36; size >= 1 << 16; size /= 2)
        for (void *found = 0; cudaMalloc(&found, size) == cudaSuccess;)
            taken.push_back(found);
    cudaGetLastError();
    refused("no memory is left", q_words, root_words, CODE(NO_MEMORY));
    for (void *each : taken)
        cudaFree(each);
    cudaGetLastError();
    const Vector again;
}

__global__ void fault(int *nowhere) { *nowhere = 1; }

/* Last: nothing works on this GPU in this process behind it. */
static void after_a_fault(const NTT(plan) *plan)
{
    const Vector x, room(NTT(room)(plan, batch));
    fault<<<1, 1>>>((int *)16);
    cudaDeviceSynchronize();
    const int code = NTT(execute)(plan, x.at, x.at, batch, room.at, 0);
    check("behind a fault execute is not OK", code != CODE(OK), NTT(error_text)(code));
    int why = 0;
    check("behind a fault there is no plan", !NTT(create)(q_words, root_words, &why) && why != CODE(OK), NTT(error_text)(why));
}

int main(int count, char **given)
{
    const std::string only = count > 1 ? given[1] : "";
    if (only == "no device" || only == "bad device") {
        refused(only.c_str(), q_words, root_words, only[0] == 'n' ? CODE(NO_DEVICE) : CODE(BAD_DEVICE));
        return failures != 0;
    }
    int why = -1;
    NTT(plan) *plan = NTT(create)(q_words, root_words, &why);
    answers("create", CODE(OK), why);
    if (!plan)
        return 1;
    transforms(plan);
    refusals(plan);
    without_memory();
    after_a_fault(plan);
    NTT(destroy)(plan);
    std::printf("%d failed\n", failures);
    return failures != 0;
}
