/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a trace of `valgrind --tool=lackey --trace-mem=yes` on standard input through the model and
 * counts like cachegrind: model_trace I1 D1 LL, each SIZE,WAYS,LINE. Prints I refs, I1 misses, LLi
 * misses, Dr, D1mr, DLmr, Dw, D1mw, DLmw in one line.
 */
#include <stdio.h>
#include <string.h>

#include "unit/sim/model_host.h"

enum what { FETCH, READ, WRITE, WHATS };

struct counts {
    uint64_t references;
    uint64_t missed[2];
};

static int parse(const char *text, struct model_level_spec *level)
{
    unsigned size_bytes, ways, line_bytes;
    if (sscanf(text, "%u,%u,%u", &size_bytes, &ways, &line_bytes) != 3)
        return -1;
    *level =
        (struct model_level_spec){.size_bytes = size_bytes, .ways = ways, .line_bytes = line_bytes};
    return 0;
}

/* A modify counts as a read in cachegrind. */
static void one(struct model_thread *thread, const char *line, struct counts *counts)
{
    unsigned long address;
    unsigned size_bytes;
    char letter;
    if (sscanf(line, " %c %lx,%u", &letter, &address, &size_bytes) != 3 || !strchr("ILSM", letter))
        return;
    enum what what = letter == 'I' ? FETCH : letter == 'S' ? WRITE : READ;
    uint32_t kind = letter == 'I'   ? MODEL_INSTRUCTION
                    : letter == 'S' ? MODEL_STORE
                    : letter == 'M' ? MODEL_MODIFY
                                    : MODEL_LOAD;
    uint32_t served = model_access(thread, address, size_bytes, kind, 0);
    counts[what].references++;
    counts[what].missed[0] += served > 0;
    counts[what].missed[1] += served > 1;
}

int main(int argc, char **argv)
{
    struct model_spec spec = {.level_count = 2, .threads = 1};
    static struct model_rooms rooms;
    struct counts counts[WHATS] = {{0}};
    char line[256];
    if (argc != 4 || parse(argv[1], &spec.instruction) || parse(argv[2], &spec.level[0]) ||
        parse(argv[3], &spec.level[1])) {
        fprintf(stderr, "usage: model_trace I1 D1 LL <TRACE, each SIZE,WAYS,LINE\n");
        return 2;
    }
    struct model_host host = model_host_of(&rooms);
    struct model *model = model_new(&spec, &host);
    if (!model) {
        fprintf(stderr, "model_trace: %s\n", rooms.failed);
        return 2;
    }
    while (fgets(line, sizeof line, stdin))
        one(model_thread(model, 0), line, counts);
    for (int what = 0; what < WHATS; what++)
        printf("%lu %lu %lu%s", counts[what].references, counts[what].missed[0],
               counts[what].missed[1], what + 1 < WHATS ? " " : "\n");
    model_rooms_free(&rooms);
    return 0;
}
