/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cost of recording and playing a place: ns and bytes, with usual and with wild values. */
#include "unit/store/store_planned.h"

#include "base/clock.h"
#include "store/store_read.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACES = 1000000, ROUNDS = 5, BATCH = 2000 };

/* Returns ns per place, including a sync per BATCH; *bytes: size of the file. */
static double write_all(const char *path, const struct place *places, double *bytes)
{
    static struct planned planned;
    struct store_writer *writer;
    struct store_facts facts;
    struct store_writer_options options = {.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600),
                                           .path = path,
                                           .names = planned_names(&planned),
                                           .start_ns = 1000};
    planned_facts(&facts, 1);
    if (options.fd < 0 || store_writer_open(&writer, &options, &facts, NULL))
        exit(1);
    uint64_t start = clock_now_ns();
    for (unsigned i = 0; i < PLACES; i++) {
        store_writer_place(writer, &places[i]);
        if (i % BATCH == BATCH - 1)
            store_writer_sync(writer, &facts, places[i].access.time_ns, 1, NULL);
    }
    double ns = (double)(clock_now_ns() - start) / PLACES;
    *bytes = (double)store_writer_bytes(writer) / PLACES;
    store_writer_close(writer, NULL);
    return ns;
}

static void count(void *context, const struct store_item *item)
{
    *(uint64_t *)context += item->time_ns;
}

static double read_all(const char *path)
{
    struct store_reader *reader;
    uint64_t sum = 0;
    uint64_t start = clock_now_ns();
    if (store_reader_open(&reader, path, NULL))
        exit(1);
    while (store_reader_read(reader, UINT64_MAX, count, &sum) >= 0)
        continue;
    store_reader_close(reader);
    return (double)(clock_now_ns() - start) / PLACES;
}

static void measure(const char *path, bool wild)
{
    struct place *places = planned_places(PLACES, wild);
    double best[2] = {1e9, 1e9};
    double bytes = 0;
    for (unsigned round = 0; places && round < ROUNDS; round++) {
        double written = write_all(path, places, &bytes);
        double read = read_all(path);
        best[0] = written < best[0] ? written : best[0];
        best[1] = read < best[1] ? read : best[1];
    }
    printf("store, %s places: written %.0f ns, %.1f bytes; read %.0f ns each (best of %d rounds)\n",
           wild ? "wild" : "usual", best[0], bytes, best[1], ROUNDS);
    free(places);
}

int main(void)
{
    char path[] = "/tmp/misstop-bench-store-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    measure(path, false);
    measure(path, true);
    unlink(path);
    return 0;
}
