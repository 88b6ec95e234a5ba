/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a recording without the rest of misstop, for tests that read it with perf.
 *
 *   record_samples OUT PID SECONDS [SOURCE]    records a process like a live session
 *   record_samples -i IN OUT [LIMIT FILES]     rewrites a recording, with all processes
 *
 * A sample without an address gets one from its registers: the correct address is computed by
 * decode, and here any address will do that can be found again. Prints one line per sample.
 */
#include "base/clock.h"
#include "sample/perfdata/writer.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPORTED_BYTES = 8 << 20 };

static struct perfdata_writer *writer;

static void take(void *context, const struct record *record)
{
    struct perfdata_written reported = {0};
    const struct sample *sample = &record->sample;
    (void)context;
    if (record->kind == RECORD_SAMPLE && sample->has & SAMPLE_HAS_REGS) {
        reported.address = sample->regs[SREG_SP];
        reported.data_src = sample->ip & 1 ? PERF_MEM_S(OP, LOAD) : PERF_MEM_S(OP, STORE);
    }
    if (record->kind == RECORD_SAMPLE)
        printf("%" PRIu64 " %d/%d %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", sample->time_ns,
               (int)sample->pid, (int)sample->tid, sample->ip,
               sample->has & SAMPLE_HAS_ADDRESS ? sample->address : reported.address,
               sample->weight);
    perfdata_writer_add(writer, record, &reported);
}

static int fail(const struct error *error)
{
    fprintf(stderr, "%s\n", error->text);
    return 1;
}

static int open_writer(struct sampler *sampler, const char *path, char **limits,
                       struct error *error)
{
    struct perf_event_attr attrs[SAMPLE_EVENTS_MAX];
    const struct sampler_info *info = sampler_info(sampler);
    struct perfdata *replayed = sampler_recording(sampler);
    struct perfdata_writer_options options = {.path = path,
                                              .info = info,
                                              .attrs = attrs,
                                              .machine =
                                                  replayed ? perfdata_machine(replayed) : NULL};
    if (limits[0] && limits[1]) {
        options.limit_bytes = strtoull(limits[0], NULL, 10);
        options.files = (unsigned)atoi(limits[1]);
    }
    for (unsigned i = 0; i < info->event_count; i++)
        attrs[i] = *sampler_attribute(sampler, i);
    return perfdata_writer_open(&writer, &options, error);
}

static int rewrite(char **arguments)
{
    struct error error = {0};
    struct sampler *sampler;
    struct sampler_options options = {
        .input = arguments[0], .pid = PERFDATA_EVERY_PROCESS, .source = "auto"};
    if (sampler_open(&sampler, &options, &error) ||
        open_writer(sampler, arguments[1], arguments + 2, &error))
        return fail(&error);
    while (sampler_read(sampler, UINT64_MAX, take, NULL) >= 0)
        continue;
    sampler_close(sampler);
    return perfdata_writer_close(writer, &error) ? fail(&error) : 0;
}

static int record_live(char **arguments)
{
    struct error error = {0};
    struct sampler *sampler;
    struct sampler_options options = {
        .pid = atoi(arguments[1]), .rate = 2000, .source = arguments[3] ? arguments[3] : "clock"};
    char *none[] = {NULL, NULL};
    if (sampler_open(&sampler, &options, &error) ||
        open_writer(sampler, arguments[0], none, &error))
        return fail(&error);
    /* Prints a sample only after it is in the file: tests that kill this process compare both. */
    setvbuf(stdout, NULL, _IOFBF, REPORTED_BYTES);
    uint64_t end_ns = clock_now_ns() + (uint64_t)(atof(arguments[2]) * 1e9);
    while (clock_now_ns() < end_ns) {
        poll(NULL, 0, 100);
        sampler_read(sampler, clock_now_ns() - SAMPLER_SETTLES_NS, take, NULL);
        if (perfdata_writer_sync(writer, &error))
            return fail(&error);
        fflush(stdout);
    }
    sampler_close(sampler);
    return perfdata_writer_close(writer, &error) ? fail(&error) : 0;
}

int main(int count, char **arguments)
{
    if (count >= 4 && !strcmp(arguments[1], "-i"))
        return rewrite(arguments + 2);
    return count >= 4 ? record_live(arguments + 1) : 2;
}
