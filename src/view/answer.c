/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "profile/tables/rates.h"
#include "view/findings.h"
#include "view/levels.h"
#include "view/words.h"

enum { SAMPLES_ENOUGH = 100 };
static const double hardly = 0.1;       /* upper bound below which waiting does not matter */
static const double much = 0.3;         /* lower bound from which on it does */
static const double known_width = 0.95; /* wider bounds say nothing */
static const double attributed_good = 0.8;
static const double lost_bad = 0.02;

static const char *const level_words[WAIT_LEVELS] = {"L1", "L2", "L3"};

static bool bounds_known(const struct snapshot_wait *wait, enum wait_level level)
{
    return wait->from != WAIT_UNKNOWN && wait->high[level] - wait->low[level] < known_width;
}

enum answer answer_of(const struct snapshot *snapshot)
{
    const struct snapshot_wait *wait = &snapshot->wait;
    const char *state = snapshot->target.state;
    if (snapshot->source.live && state && !strcmp(state, "idle"))
        return WAITS_IDLE;
    if (snapshot->totals.samples < SAMPLES_ENOUGH)
        return WAITS_NOT_YET;
    if (!bounds_known(wait, WAIT_BEYOND_L1))
        return WAITS_UNKNOWN;
    return wait->high[WAIT_BEYOND_L1] < hardly ? WAITS_HARDLY
           : wait->low[WAIT_BEYOND_L1] >= much ? WAITS_MUCH
                                               : WAITS_PERHAPS;
}

/* "0-12%", "35-60%", "12%". */
static void add_bounds(char *out, size_t size, double low, double high)
{
    if (round(low * 100) >= round(high * 100))
        text_append(out, size, "%.0f%%", high * 100);
    else
        text_append(out, size, "%.0f-%.0f%%", floor(low * 100), ceil(high * 100));
}

static bool add_where_room(char *out, size_t size, int columns, const char *text)
{
    if (strlen(out) + strlen(text) > (size_t)columns)
        return false;
    text_append(out, size, "%s", text);
    return true;
}

void answer_words(const struct snapshot *snapshot, int columns, char *out, size_t size)
{
    const struct snapshot_wait *wait = &snapshot->wait;
    enum answer answer = answer_of(snapshot);
    static const char *const words[][2] = {
        [WAITS_NOT_YET] = {"Waits for memory: too few samples", " to say"},
        [WAITS_UNKNOWN] = {"Waits for memory: not known", " from these samples"},
        [WAITS_IDLE] = {"Uses no CPU: waits, but not for memory", ""},
        [WAITS_HARDLY] = {"Hardly waits for memory: ", " of CPU time"},
        [WAITS_PERHAPS] = {"Waits for memory: ", " of CPU time"},
        [WAITS_MUCH] = {"Waits for memory: ", " of CPU time"},
    };
    char text[64];
    snprintf(out, size, "%s", words[answer][0]);
    if (answer == WAITS_PERHAPS && wait->low[WAIT_BEYOND_L1] < hardly)
        snprintf(out, size, "May wait for memory: ");
    if (answer >= WAITS_HARDLY)
        add_bounds(out, size, wait->low[WAIT_BEYOND_L1], wait->high[WAIT_BEYOND_L1]);
    bool room = add_where_room(out, size, columns, words[answer][1]);
    if (answer < WAITS_HARDLY || !room || !add_where_room(out, size, columns, " beyond L1"))
        return;
    for (int i = WAIT_BEYOND_L2; i < WAIT_LEVELS && answer > WAITS_HARDLY; i++) {
        if (!bounds_known(wait, (enum wait_level)i))
            continue;
        snprintf(text, sizeof text, ", ");
        add_bounds(text, sizeof text, wait->low[i], wait->high[i]);
        text_append(text, sizeof text, " beyond %s", level_words[i]);
        if (!add_where_room(out, size, columns, text))
            return;
    }
}

const char *answer_evidence(const struct snapshot *snapshot)
{
    static const char *const words[] = {
        [WAIT_UNKNOWN] = "",
        [WAIT_FROM_COUNTERS] = "by stall and cycle counters",
        [WAIT_FROM_LATENCIES] = "by the latencies sampled",
        [WAIT_FROM_RECURRENCE] = "bounds from how lines recur",
        [WAIT_FROM_SIMULATION] = "simulated",
    };
    return answer_of(snapshot) >= WAITS_HARDLY ? words[snapshot->wait.from] : "";
}

void answer_gauge(const struct snapshot *snapshot, int columns, bool ascii, char *out, size_t size)
{
    const double low = snapshot->wait.low[WAIT_BEYOND_L1];
    const double high = snapshot->wait.high[WAIT_BEYOND_L1];
    *out = '\0';
    if (answer_of(snapshot) < WAITS_HARDLY)
        return;
    for (int i = 0; i < columns; i++) {
        double middle = (i + 0.5) / columns;
        text_append(out, size, "%s",
                   middle < low                         ? (ascii ? "#" : "█")
                   : middle < high || (!i && high > 0) ? (ascii ? "~" : "▒")
                                                        : (ascii ? "." : "·"));
    }
}

void answer_cpu(const struct snapshot_target *target, char *out, size_t size)
{
    *out = '\0';
    if (!(target->cpu >= 0))
        return;
    if (target->cpus)
        snprintf(out, size, "%.2f of %" PRIu32 " CPU%s", target->cpu, target->cpus,
                 target->cpus == 1 ? "" : "s");
    else
        snprintf(out, size, "%.2f CPUs", target->cpu);
}

bool answer_quality(const struct snapshot *snapshot, char *out, size_t size)
{
    const struct snapshot_totals *totals = &snapshot->totals;
    double attributed = measured_attributed(totals);
    double lost = (double)totals->lost / (double)(totals->samples + totals->lost + 1);
    if (totals->samples < SAMPLES_ENOUGH)
        snprintf(out, size, "%" PRIu64 " samples", totals->samples);
    else if (lost > lost_bad)
        snprintf(out, size, "%.0f%% lost", lost * 100);
    else if (binary_missing(&snapshot->binaries) > lost_bad)
        snprintf(out, size, "binaries missing");
    else if (snapshot->reading.waiting)
        snprintf(out, size, "loading names");
    else {
        snprintf(out, size, "%.0f%% attributed", attributed * 100);
        return attributed < attributed_good;
    }
    return true;
}

void answer_trust(const struct snapshot *snapshot, char *out, size_t size)
{
    double samples = 0;
    *out = '\0';
    for (size_t i = 0; i < snapshot->object_count; i++)
        samples += snapshot->objects[i].samples;
    if (samples > 0 && samples < SAMPLES_ENOUGH)
        snprintf(out, size, "Only %.0f sample%s so far: shares are rough, see the +- column.",
                 samples, samples < 1.5 ? "" : "s");
    else if (snapshot->totals.samples > SAMPLES_ENOUGH &&
             snapshot->totals.attributed * 2 < snapshot->totals.samples)
        snprintf(out, size, "Less than half of the samples have an object: shares are of those.");
}

void answer_finding(const struct snapshot_finding *finding, char *out, size_t size)
{
    char gain[96];
    finding_gain(finding, gain, sizeof gain);
    snprintf(out, size, "%s: %s, gain %s", finding->name, finding_kind_words(finding->kind), gain);
}
