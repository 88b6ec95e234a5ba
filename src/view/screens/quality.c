/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen i: the quality of the samples: each reason in a sentence, and how to improve it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "profile/tables/rates.h"
#include "view/levels.h"
#include "view/display/browser.h"
#include "view/words.h"

enum { TEXT_BYTES = 512 };

/* Returns the remedy for samples of a reason; NULL if there is none, or none is needed. */
static const char *reason_remedy(enum reason reason)
{
    static const char precise[] = "sources that record addresses (-s pebs, -s ibs) have them";
    static const char *const remedies[REASON_COUNT] = {
        [REASON_KERNEL] = "perf trace or strace shows the system calls",
        [REASON_NO_CODE] = "--symfs DIR, if the binaries of a recording are elsewhere",
        [REASON_NO_MEMORY] = "no remedy needed: this code does not wait for data",
        [REASON_CALL_BOUNDARY] = precise,
        [REASON_OVERWRITTEN] = precise,
        [REASON_CLOBBERED] = precise,
        [REASON_AMBIGUOUS] = precise,
        [REASON_GATHER] = precise,
        [REASON_FOREIGN] = "-p PID selects that process",
    };
    return reason < REASON_COUNT ? remedies[reason] : NULL;
}

static const char *untyped_remedy(enum untyped untyped)
{
    static const char *const remedies[UNTYPED_COUNT] = {
        [UNTYPED_WAITING] = "wait",
        [UNTYPED_NO_DEBUG] = "build with -g, install the -dbgsym package, or set DEBUGINFOD_URLS",
        [UNTYPED_NO_UNIT] = "build all files with -g",
        [UNTYPED_NO_VARIABLE] = "-Og or -O1 preserves more variables",
    };
    return untyped < UNTYPED_COUNT ? remedies[untyped] : NULL;
}

/* Writes "5.7%: meaning. What would help: ..." */
static void write_part(struct prose_writer *writer, const char *name, double share,
                       const char *text, const char *remedy)
{
    char line[TEXT_BYTES];
    snprintf(line, sizeof line, "%4.1f%%  %s%s%s", share * 100, text, remedy ? "; " : "",
             remedy ? remedy : "");
    prose_entry(writer, PAINT_STRONG, name, line);
}

static void write_samples(struct prose_writer *writer, const struct snapshot *snapshot)
{
    const struct snapshot_totals *totals = &snapshot->totals;
    char line[TEXT_BYTES];
    char count[16];
    prose_heading(writer, "Samples");
    snprintf(line, sizeof line, "%s", text_count(count, (double)totals->samples));
    if (totals->rate >= 0)
        text_append(line, sizeof line, ", %s a second now", text_count(count, totals->rate));
    prose_entry(writer, PAINT_STRONG, "taken", line);
    /* The following figures are not known for a time range. */
    if (snapshot->time_range)
        return;
    snprintf(line, sizeof line, "%" PRIu64 "%s", totals->lost,
             totals->lost ? ": misstop did not get the CPU in time; a smaller -r takes fewer" : "");
    prose_entry(writer, totals->lost ? PAINT_WARN : PAINT_STRONG, "lost", line);
    snprintf(line, sizeof line, "%" PRIu64 "%s", totals->throttled,
             totals->throttled ? " times the kernel throttled sampling; a smaller -r takes fewer"
                               : "");
    prose_entry(writer, totals->throttled ? PAINT_WARN : PAINT_STRONG, "throttled", line);
    if (totals->agent && totals->samples) {
        snprintf(line, sizeof line,
                 "%.1f%% more samples were in misstop's own agent, and are excluded",
                 (double)totals->agent * 100 / (double)totals->samples);
        prose_entry(writer, PAINT_STRONG, "agent", line);
    }
}

static void write_reasons(struct prose_writer *writer, const struct snapshot *snapshot)
{
    const struct snapshot_totals *totals = &snapshot->totals;
    const struct snapshot_code *leader = columns_unknown_leader(snapshot);
    char heading[64];
    bool listed[REASON_COUNT] = {[REASON_NONE] = true};
    if (!totals->samples)
        return;
    snprintf(heading, sizeof heading, "Samples with an object: %.1f%%",
             measured_attributed(totals) * 100);
    prose_heading(writer, heading);
    for (;;) {
        int most = REASON_NONE;
        for (int i = 0; i < REASON_COUNT; i++)
            if (!listed[i] && totals->reasons[i] &&
                (most == REASON_NONE || measured_reason(totals, (enum reason)i) >
                                            measured_reason(totals, (enum reason)most)))
                most = i;
        if (most == REASON_NONE)
            break;
        listed[most] = true;
        write_part(writer, access_reason_name((enum reason)most),
                   measured_reason(totals, (enum reason)most),
                   access_reason_text((enum reason)most), reason_remedy((enum reason)most));
    }
    if (leader)
        prose_entry(writer, PAINT_STRONG, "mostly in", leader->function);
}

static void write_fields(struct prose_writer *writer, const struct snapshot *snapshot)
{
    static const char *const how[TYPED_COUNT] = {
        [TYPED_CODE] = "by code",
        [TYPED_DATA] = "by data",
        [TYPED_AGREED] = "by both",
        [TYPED_DISAGREED] = "disagreed",
    };
    const struct snapshot_totals *totals = &snapshot->totals;
    char text[TEXT_BYTES];
    double all = 0;
    for (int i = 0; i < TYPED_COUNT; i++)
        all += totals->typed_weight[i];
    if (!(all > 0))
        return;
    snprintf(text, sizeof text, "Samples with a field: %.1f%% of those with an object",
             (1 - totals->typed_weight[TYPED_NONE] / all) * 100);
    prose_heading(writer, text);
    *text = '\0';
    for (int i = TYPED_CODE; i < TYPED_COUNT; i++)
        if (totals->typed_weight[i] > 0)
            text_append(text, sizeof text, "%s%s %.1f%%", *text ? ", " : "", how[i],
                        totals->typed_weight[i] / all * 100);
    prose_entry(writer, PAINT_STRONG, "known", text);
    for (int i = UNTYPED_NO_REASON + 1; i < UNTYPED_COUNT; i++)
        if (totals->untyped_weight[i] > 0)
            write_part(writer, untyped_name((enum untyped)i), totals->untyped_weight[i] / all,
                       untyped_text((enum untyped)i), untyped_remedy((enum untyped)i));
    field_reading(snapshot, text, sizeof text);
    if (*text)
        prose_entry(writer, PAINT_WARN, "now", text);
}

/* Writes further figures that the source, or a simulation, measures. */
static void write_measured(struct prose_writer *writer, const struct snapshot *snapshot)
{
    char text[4][TEXT_BYTES];
    bool any = false;
    levels_sentence(snapshot, snapshot->levels, text[0], TEXT_BYTES);
    rates_sentence(snapshot, snapshot->rates, text[1], TEXT_BYTES);
    simulation_sentence(&snapshot->simulation, text[2], TEXT_BYTES);
    use_sentence(snapshot, &snapshot->uses.all, text[3], TEXT_BYTES);
    for (int i = 0; i < 4; i++) {
        if (*text[i] && !any)
            prose_heading(writer, "All accesses together");
        if (*text[i])
            prose_entry(writer, PAINT_STRONG, i == 3 ? "use of lines" : "", text[i]);
        any |= *text[i];
    }
}

static const char *source_text(const char *name)
{
    static const struct {
        const char *name;
        const char *text;
    } sources[] = {
        {"counter",
         "Counts real cache misses. The address is computed from the instruction before the "
         "sampled one and the registers; samples without a computable address are counted by "
         "reason. It does not measure the latency or the cache level of a single miss."},
        {"clock", "Samples time: an object is hot if the process spends its time at accesses to "
                  "it, whichever level serves them."},
        {"pebs", "The hardware records the address, the latency and the level of each sampled "
                 "access. Loads at or below the latency threshold are not seen."},
        {"ibs", "The hardware records the address, the latency and the level of sampled "
                "operations, hits as well as misses."},
        {"replay", "A recording: data that is not in it cannot be shown."},
        {"sim", "Every access of the program goes through a simulated cache: exact, but slow."},
    };
    for (size_t i = 0; name && i < sizeof sources / sizeof *sources; i++)
        if (!strcmp(sources[i].name, name))
            return sources[i].text;
    return NULL;
}

static void write_source(struct prose_writer *writer, const struct snapshot *snapshot)
{
    const char *text = source_text(snapshot->source.name);
    prose_heading(writer, "Meaning of the figures");
    prose_entry(writer, PAINT_STRONG, snapshot->source.name ? snapshot->source.name : "source",
                text ? text : "An unknown source.");
    if (snapshot->source.weight_unit)
        prose_entry(writer, PAINT_STRONG, "shares are of", snapshot->source.weight_unit);
    char wanting[256];
    rates_wanting(snapshot, wanting, sizeof wanting);
    if (*wanting)
        prose_entry(writer, PAINT_STRONG, "rates", wanting);
    prose_entry(writer, PAINT_STRONG, "blank", "Not measured. It never means zero.");
}

static void write_if_known(struct prose_writer *writer, const char *label, const char *text)
{
    if (text)
        prose_entry(writer, PAINT_STRONG, label, text);
}

static void write_recording(struct prose_writer *writer, const struct snapshot_recording *recording)
{
    if (!recording)
        return;
    prose_heading(writer, "The recording");
    write_if_known(writer, "recorded on", recording->host);
    write_if_known(writer, "CPU", recording->cpu);
    write_if_known(writer, "kernel", recording->kernel);
    write_if_known(writer, "by", recording->command);
    write_if_known(writer, recording->date_exact ? "begun" : "file of", recording->date);
    if (recording->processes > 1) {
        char share[192];
        snprintf(share, sizeof share,
                 "%.1f%% of the samples of all processes. Shares here refer to this process; those "
                 "of perf report refer to all, and agree with --percentage relative --pid PID.",
                 recording->process_share * 100);
        write_if_known(writer, "this process", share);
    }
    write_if_known(writer, "other processes", recording->others);
    write_if_known(writer, "addresses", recording->addresses);
    write_if_known(writer, "note", recording->note);
}

static void write_binaries(struct prose_writer *writer, const struct snapshot *snapshot)
{
    const struct snapshot_binaries *binaries = &snapshot->binaries;
    char fate[512];
    char label[16];
    if (!binaries->count)
        return;
    prose_heading(writer, "Programs and libraries of the recording, by samples");
    binary_note(binaries, fate, sizeof fate);
    if (*fate)
        prose_entry(writer, PAINT_BAD, "", fate);
    for (size_t i = 0; i < binaries->count; i++) {
        char line[1024];
        const struct binary_desc *binary = &binaries->list[i];
        bool here = binary->state == BINARY_FOUND || binary->state == BINARY_UNVERIFIED;
        binary_fate(binary, fate, sizeof fate);
        snprintf(line, sizeof line, "%s%s%s", binary->path, *fate ? ": " : "", fate);
        prose_entry(writer, here ? PAINT_STRONG : PAINT_BAD,
                    text_count(label, (double)binary->samples), line);
    }
    if (binary_missing(binaries) > 0)
        prose_entry(writer, PAINT_STRONG, "to get them", binary_remedy);
    if (binaries->code_only)
        prose_entry(writer, PAINT_STRONG, "recorded", binary_code_only);
}

static void write_refused(struct prose_writer *writer, const struct snapshot *snapshot)
{
    const struct snapshot_refused *refused = &snapshot->refused;
    char line[512];
    if (!refused->count)
        return;
    prose_heading(writer, "Files that were not opened");
    for (size_t i = 0; i < refused->count; i++) {
        snprintf(line, sizeof line, "%s: %s", refused->list[i].path, refused->list[i].reason);
        prose_entry(writer, PAINT_BAD, "", line);
    }
}

void quality_prose(struct prose_writer *writer, const struct snapshot *snapshot)
{
    /* Missing files explain most defects of a recording. */
    if (binary_missing(&snapshot->binaries) > 0)
        write_binaries(writer, snapshot);
    write_samples(writer, snapshot);
    write_reasons(writer, snapshot);
    write_fields(writer, snapshot);
    write_measured(writer, snapshot);
    write_source(writer, snapshot);
    write_recording(writer, snapshot->recording);
    if (!(binary_missing(&snapshot->binaries) > 0))
        write_binaries(writer, snapshot);
    write_refused(writer, snapshot);
}

static void quality_write(struct prose_writer *writer, struct browser *browser)
{
    if (browser->snapshot)
        quality_prose(writer, browser->snapshot);
}

const struct screen quality_screen = {
    .name = "Quality",
    .description =
        "Quality of the samples: their number, the shares with an object and with a field, "
        "the reasons why others have none, and remedies.",
    .next_step =
        "Shares refer to the samples with an object: the more have one, the more certain they are.",
    .key_help = "quality of the samples: why some have no object or field, and remedies",
    .state_size = sizeof(struct prose),
    .write = quality_write,
    .draw = prose_draw,
    .act = prose_act,
    .find = prose_find,
    .hint = prose_hint,
    .bar = {ACTION_BACK, ACTION_PAGE_DOWN, ACTION_PAGE_UP, ACTION_FIND, ACTION_FREEZE},
};
