/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "profile/tables/rates.h"
#include "view/findings.h"
#include "view/words.h"

enum { SAMPLES_ENOUGH = 100 };
static const double hardly = 0.1;     /* waiting does not matter if the upper bound is below this */
static const double much = 0.3;       /* waiting matters if the lower bound is at least this */
static const double nearly_all = 0.9; /* an upper bound above this is not worth showing */
static const double attributed_good = 0.8;
static const double lost_bad = 0.02;

static const char *const level_words[WAIT_LEVELS] = {"L1", "L2", "L3"};

static double waits_by_finding(const struct snapshot_finding *finding)
{
    bool counts = finding_saves_waiting(finding->kind) &&
                  finding->confidence >= CONFIDENCE_MEDIUM && !finding->is_upper_bound &&
                  finding->object != UINT32_MAX;
    return counts ? finding->gain_low : 0;
}

/* Returns false if another finding on the object saves more of the same waiting. */
static bool is_largest_of_object(const struct snapshot_findings *findings, size_t index)
{
    double saves = waits_by_finding(&findings->list[index]);
    for (size_t i = 0; i < findings->count; i++) {
        double other = waits_by_finding(&findings->list[i]);
        if (findings->list[i].object == findings->list[index].object &&
            (other > saves || (other == saves && i < index)))
            return false;
    }
    return true;
}

static double waits_by_findings(const struct snapshot *snapshot)
{
    const struct snapshot_findings *findings = &snapshot->findings;
    double sum = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (is_largest_of_object(findings, i))
            sum += waits_by_finding(&findings->list[i]);
    return sum;
}

/* Bounds of the snapshot; beyond L1 they also include the bounds that follow from the findings. */
struct bounds {
    double low;
    double high;
    bool by_findings; /* the lower bound is from the findings */
};

static struct bounds wait_bounds(const struct snapshot *snapshot, enum wait_level level)
{
    const struct snapshot_wait *wait = &snapshot->wait;
    bool known = wait->evidence != WAIT_UNKNOWN && !isnan(wait->low[level]);
    struct bounds bounds = {known ? wait->low[level] : 0, known ? wait->high[level] : 1, false};
    double least = level == WAIT_BEYOND_L1 ? fmin(waits_by_findings(snapshot), bounds.high) : 0;
    if (least > bounds.low) {
        bounds.low = least;
        bounds.by_findings = true;
    }
    return bounds;
}

static bool bounds_known(const struct bounds *bounds)
{
    return bounds->low > 0 || bounds->high < 1;
}

enum answer answer_kind(const struct snapshot *snapshot)
{
    const char *state = snapshot->target.state;
    struct bounds bounds = wait_bounds(snapshot, WAIT_BEYOND_L1);
    if (snapshot->source.live && state && !strcmp(state, "idle"))
        return WAITS_IDLE;
    if (snapshot->totals.samples < SAMPLES_ENOUGH)
        return WAITS_NOT_YET;
    if (!bounds_known(&bounds))
        return WAITS_UNKNOWN;
    return bounds.high < hardly ? WAITS_HARDLY : bounds.low >= much ? WAITS_MUCH : WAITS_PERHAPS;
}

bool answer_is_vague(const struct snapshot *snapshot)
{
    enum answer answer = answer_kind(snapshot);
    struct bounds bounds = wait_bounds(snapshot, WAIT_BEYOND_L1);
    bool open = answer == WAITS_UNKNOWN || (answer == WAITS_PERHAPS && bounds.low < hardly);
    return open && bounds.high > much && measured_of(&snapshot->source) == MEASURED_TIME;
}

/* Formats bounds: "at most 12%", "35-60%", "at least 40%", "12%". */
static void add_bounds(char *out, size_t size, const struct bounds *bounds)
{
    double low = bounds->low * 100;
    double high = bounds->high * 100;
    if (round(low) >= round(high))
        text_append(out, size, "%.0f%%", high);
    else if (low < 1)
        text_append(out, size, "at most %.0f%%", ceil(high));
    else if (bounds->high > nearly_all)
        text_append(out, size, "at least %.0f%%", floor(low));
    else
        text_append(out, size, "%.0f-%.0f%%", floor(low), ceil(high));
}

static bool append_if_room(char *out, size_t size, int columns, const char *text)
{
    if (strlen(out) + strlen(text) > (size_t)columns)
        return false;
    text_append(out, size, "%s", text);
    return true;
}

void answer_words(const struct snapshot *snapshot, int columns, char *out, size_t size)
{
    static const char *const words[][2] = {
        [WAITS_NOT_YET] = {"Waits for memory: too few samples", " to say"},
        [WAITS_UNKNOWN] = {"Waits for memory: not known", " from these samples"},
        [WAITS_IDLE] = {"Uses no CPU: not waiting for memory", ""},
        [WAITS_HARDLY] = {"Hardly waits for memory: ", " of CPU time"},
        [WAITS_PERHAPS] = {"Waits for memory: ", " of CPU time"},
        [WAITS_MUCH] = {"Waits for memory: ", " of CPU time"},
    };
    enum answer answer = answer_kind(snapshot);
    bool simulated = snapshot->wait.evidence == WAIT_FROM_SIMULATION;
    struct bounds bounds = wait_bounds(snapshot, WAIT_BEYOND_L1);
    snprintf(out, size, "%s", words[answer][0]);
    if (answer >= WAITS_HARDLY)
        add_bounds(out, size, &bounds);
    bool room = append_if_room(out, size, columns,
                               answer >= WAITS_HARDLY && simulated ? " of simulated cycles"
                                                                   : words[answer][1]);
    if (answer < WAITS_HARDLY || !room || !append_if_room(out, size, columns, " beyond L1"))
        return;
    for (int i = WAIT_BEYOND_L2; i < WAIT_LEVELS && answer > WAITS_HARDLY; i++) {
        char text[64] = ", ";
        bounds = wait_bounds(snapshot, (enum wait_level)i);
        if (!bounds_known(&bounds) || (bounds.low < 0.01 && bounds.high > nearly_all))
            continue;
        add_bounds(text, sizeof text, &bounds);
        text_append(text, sizeof text, " beyond %s", level_words[i]);
        if (!append_if_room(out, size, columns, text))
            return;
    }
}

const char *answer_evidence(const struct snapshot *snapshot)
{
    static const char *const words[] = {
        [WAIT_UNKNOWN] = "",
        [WAIT_FROM_COUNTERS] = "from stall and cycle counters",
        [WAIT_FROM_LATENCIES] = "from sampled latencies",
        [WAIT_FROM_RECURRENCE] = "bounds from recurring lines",
        [WAIT_FROM_SIMULATION] = "simulated",
    };
    if (answer_kind(snapshot) < WAITS_HARDLY)
        return "";
    return wait_bounds(snapshot, WAIT_BEYOND_L1).by_findings ? "low end from the findings"
                                                             : words[snapshot->wait.evidence];
}

void answer_gauge(const struct snapshot *snapshot, int columns, bool ascii, char *out, size_t size)
{
    struct bounds bounds = wait_bounds(snapshot, WAIT_BEYOND_L1);
    *out = '\0';
    if (answer_kind(snapshot) < WAITS_HARDLY)
        return;
    for (int i = 0; i < columns; i++) {
        double middle = (i + 0.5) / columns;
        text_append(out, size, "%s",
                    middle < bounds.low                               ? (ascii ? "#" : "█")
                    : middle < bounds.high || (!i && bounds.high > 0) ? (ascii ? "~" : "▒")
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
    else if (snapshot->loading.pending_requests)
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
    if (snapshot->heap.summary.lost)
        snprintf(out, size,
                 "%" PRIu64
                 " allocations and frees were lost: some heap samples may be on the wrong block.",
                 snapshot->heap.summary.lost);
    else if (samples > 0 && samples < SAMPLES_ENOUGH)
        snprintf(out, size, "Only %.0f sample%s so far: shares are rough, see the +- column.",
                 samples, samples < 1.5 ? "" : "s");
    else if (snapshot->totals.samples > SAMPLES_ENOUGH &&
             snapshot->totals.attributed * 2 < snapshot->totals.samples)
        snprintf(out, size, "Less than half of the samples have an object; shares refer to these.");
}

void answer_finding(const struct snapshot_finding *finding, char *out, size_t size)
{
    char gain[96];
    finding_gain(finding, gain, sizeof gain);
    snprintf(out, size, "%s: %s, gain %s", finding->name, finding_kind_words(finding->kind), gain);
}
