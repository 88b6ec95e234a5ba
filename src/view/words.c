/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/words.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "profile/tables/rates.h"

void field_reading(const struct snapshot *snapshot, char *out, size_t size)
{
    const struct loading_state *loading = &snapshot->loading;
    *out = '\0';
    if (!loading->pending_requests)
        return;
    text_append(out, size, "loading debug information%s%.60s: %" PRIu32 " waiting",
                loading->slow_file ? " of " : "", loading->slow_file ? loading->slow_file : "",
                loading->pending_requests);
}

/* Returns true if `type` consists of `element`: "struct particle [1000]". */
static bool is_type_made_of(const char *type, const char *element)
{
    size_t length = strlen(element);
    return type && !strncmp(type, element, length) && (!type[length] || type[length] == ' ');
}

void field_known(const struct snapshot_object *object, const struct snapshot_layout *layout,
                 char *out, size_t size)
{
    double against = object->typed[TYPED_DISAGREED];
    *out = '\0';
    if (layout && layout->inferred) {
        text_append(out, size, "inferred from the distances of sampled offsets");
        if (object->element_size == layout->size)
            text_append(out, size, " (%.0f%% sure)", object->element_confidence * 100);
        text_append(out, size, ": not named in debug information");
        return;
    }
    if (layout && !is_type_made_of(object->type, layout->name))
        text_append(out, size, "not the object's own type: some code accesses it as this type");
    else if (!object->type_votes)
        text_append(out, size, "declared in the program");
    else
        text_append(out, size,
                    "type inferred from code: %" PRIu32 " accesses agree, %" PRIu32 " disagree",
                    object->type_votes, object->type_votes_against);
    if (against > 0 && object->samples > 0)
        text_append(out, size, "; code and data DISAGREE on %.1f%% of the samples",
                    against * 100 / object->samples);
}

void layout_reading(const struct snapshot_layout *layout, char *out, size_t size)
{
    const char *least = layout->unused_is_lower_bound ? "at least " : "";
    double unused = layout->unused * 100;
    *out = '\0';
    switch (layout->reading) {
    case LAYOUT_TOO_FEW:
        break;
    case LAYOUT_MANAGED:
        snprintf(out, size, "The language runtime decides this layout.");
        break;
    case LAYOUT_SHORT:
        snprintf(out, size,
                 "It takes %" PRIu64
                 " of the %u bytes of a cache line; its neighbours are fetched with it.",
                 layout->size, layout->line_bytes);
        break;
    case LAYOUT_SPREAD:
        snprintf(out, size,
                 "90%% of its samples are on members in %" PRIu64
                 " cache lines that would fit in %" PRIu64
                 ": place them next to each other. Of the fetched bytes, %s%.0f%% are never used.",
                 layout->hot_span, layout->hot_lines, least, unused);
        break;
    case LAYOUT_STRADDLES:
        snprintf(out, size,
                 "%.0f%% of the accesses cross a cache line boundary: align the elements.",
                 layout->straddling * 100);
        break;
    case LAYOUT_UNUSED:
        snprintf(out, size,
                 "Of the fetched bytes, %s%.0f%% are never used: members that are not needed "
                 "together with the hot ones could be moved elsewhere.",
                 least, unused);
        break;
    case LAYOUT_FITS:
        snprintf(out, size,
                 "The hot members share their cache lines; %s%.0f%% of the fetched bytes are never "
                 "used.",
                 least, unused);
    }
}

static void format_hot(const struct whatif_plan *plan, char *out, size_t size)
{
    text_append(out, size, "Of %u bytes, %u apart: ", plan->element, plan->sizes[0]);
    for (unsigned i = 0; i < plan->count && strlen(out) + 48 < size; i++)
        text_append(out, size, "%s%.24s", i ? ", " : "",
                    *plan->members[i] ? plan->members[i] : "(unnamed)");
    text_append(out, size, "; the other %u elsewhere.", plan->sizes[1]);
}

void whatif_plan_words(const struct whatif_plan *plan, char *out, size_t size)
{
    *out = '\0';
    switch (plan->kind) {
    case WHATIF_NEVER:
        snprintf(out, size,
                 "It never misses, but still occupies the cache: an upper bound of its cost.");
        break;
    case WHATIF_SPLIT:
        snprintf(out, size, "Split before %.40s: %u bytes in one array, %u in another.",
                 plan->members[0], plan->sizes[0], plan->sizes[1]);
        break;
    case WHATIF_HOT:
        format_hot(plan, out, size);
        break;
    case WHATIF_ORDER:
        snprintf(out, size, "Hottest members first, from %.24s on: %u bytes instead of %u.",
                 plan->members[0], plan->sizes[0], plan->element);
        break;
    case WHATIF_PAD:
        snprintf(out, size, "Elements padded from %u to %u bytes.", plan->element, plan->sizes[0]);
        break;
    case WHATIF_ALIGN:
        snprintf(out, size,
                 "Each element starts at a multiple of %u; the stride is %u bytes (%u now).",
                 plan->to, plan->sizes[0], plan->element);
        break;
    case WHATIF_ALIGN_OBJECT:
        snprintf(out, size, "Each block starts at a multiple of %u; its elements are not moved.",
                 plan->to);
        break;
    case WHATIF_ARRAYS:
        snprintf(out, size, "An array for each of its %u members.", plan->count);
        break;
    case WHATIF_POOL:
        snprintf(out, size, "Its blocks contiguous, %u bytes each, as in a pool.", plan->sizes[0]);
        break;
    case WHATIF_KINDS:
        break;
    }
}

const char *heap_note(const struct snapshot *snapshot)
{
    return snapshot->time_range
               ? "The heap is known only as it is now, not as it was in this time range."
               : snapshot->heap.summary.note;
}

enum { REPORT_LINES = 20 };

static const double NOWHERE_MIN = 0.01;

const char binary_remedy[] =
    "They are found by build-id. Run perf archive on the recorded machine and unpack the archive "
    "here (tar xf FILE.tar.bz2 -C ~/.debug); or copy the files to a directory and name it with "
    "--symfs DIR; or fetch them from debuginfod servers with --debuginfod.";

const char binary_code_only[] =
    "The recording has only mappings of code: variables are known from the files, stack and heap "
    "by their position, and other memory is divided into ranges of 64 MiB. perf record -d records "
    "all mappings.";

static bool is_missing(const struct binary_desc *binary)
{
    return binary->state == BINARY_MISSING || binary->state == BINARY_OTHER;
}

double binary_missing(const struct snapshot_binaries *binaries)
{
    uint64_t samples = 0;
    for (size_t i = 0; i < binaries->count; i++)
        if (is_missing(&binaries->list[i]))
            samples += binaries->list[i].samples;
    return binaries->samples ? (double)samples / (double)binaries->samples : 0;
}

void binary_note(const struct snapshot_binaries *binaries, char *out, size_t size)
{
    double share = binary_missing(binaries);
    double nowhere =
        binaries->samples ? (double)binaries->outside_mappings / (double)binaries->samples : 0;
    *out = '\0';
    if (share > 0)
        text_append(out, size,
                    "%.1f%% of the samples are in programs or libraries that were not found",
                    share * 100);
    if (nowhere >= NOWHERE_MIN)
        text_append(
            out, size,
            "%s%.1f%% of the samples are in code outside all recorded mappings: no row shows them",
            *out ? "; " : "", nowhere * 100);
}

void binary_fate(const struct binary_desc *binary, char *out, size_t size)
{
    bool elsewhere = binary->found && strcmp(binary->found, binary->path) != 0;
    switch (binary->state) {
    case BINARY_FOUND:
        snprintf(out, size, "%s", elsewhere ? binary->found : "");
        break;
    case BINARY_UNVERIFIED:
        snprintf(out, size, "%s%snot verified, no build-id was recorded",
                 elsewhere ? binary->found : "", elsewhere ? ", " : "");
        break;
    case BINARY_OTHER:
        snprintf(out, size, "found another build: %s %s%s; recorded was %s", binary->found,
                 binary->found_id ? "has build-id " : "has no build-id",
                 binary->found_id ? binary->found_id : "",
                 binary->build_id ? binary->build_id : "?");
        break;
    default:
        snprintf(
            out, size, "not found%s%s%s", binary->build_id ? ": build-id " : "",
            binary->build_id ? binary->build_id : "; no build-id was recorded",
            binary->is_from_other_host && !binary->build_id
                ? ", and a file at its path here may differ: it was recorded on another machine"
                : "");
    }
}

static void report_missing(FILE *out, const struct snapshot_binaries *binaries)
{
    char text[1024];
    size_t lines = 0;
    binary_note(binaries, text, sizeof text);
    if (!(binary_missing(binaries) > 0))
        return;
    fprintf(out, "misstop: %s: samples there are neither decoded nor named\n", text);
    for (size_t i = 0; i < binaries->count && lines < REPORT_LINES; i++) {
        char count[16];
        const struct binary_desc *binary = &binaries->list[i];
        if (!is_missing(binary))
            continue;
        binary_fate(binary, text, sizeof text);
        fprintf(out, "%8s samples  %s: %s\n", text_count(count, (double)binary->samples),
                binary->path, text);
        lines++;
    }
    fprintf(out, "misstop: %s\n", binary_remedy);
}

static void report_unverified(FILE *out, const struct snapshot_binaries *binaries)
{
    size_t count = 0;
    for (size_t i = 0; i < binaries->count; i++)
        if (binaries->list[i].state == BINARY_UNVERIFIED)
            fprintf(
                out, "%s%s",
                count++
                    ? ", "
                    : "misstop: taken by path and not verified, because no build-id was recorded: ",
                binaries->list[i].path);
    if (count)
        fputc('\n', out);
}

void binary_report(FILE *out, const struct snapshot_binaries *binaries)
{
    report_missing(out, binaries);
    report_unverified(out, binaries);
}

const struct snapshot_event *ranking_event(const struct snapshot_source *source)
{
    return source->ranking < source->event_count ? &source->events[source->ranking] : NULL;
}

const char *measure_key(const struct snapshot *snapshot, enum snapshot_measure measure)
{
    static const char *const names[SNAPSHOT_MEASURES] = {"misses", "accesses", "waiting"};
    const struct snapshot_event *event = ranking_event(&snapshot->source);
    if (measure == snapshot->timeline.ranking_measure && event && event->role == EVENT_OTHER &&
        event->name)
        return event->name;
    return names[measure];
}

const char *measured_word(const struct snapshot_source *source)
{
    static const char *const words[] = {[MEASURED_SAMPLES] = "samples",
                                        [MEASURED_MISSES] = "misses",
                                        [MEASURED_ACCESSES] = "accesses",
                                        [MEASURED_STALLS] = "stall time",
                                        [MEASURED_TIME] = "time"};
    return words[measured_of(source)];
}

const char *measure_name(const struct snapshot *snapshot, enum snapshot_measure measure)
{
    bool ranks = measure == snapshot->timeline.ranking_measure;
    return ranks && measure == MEASURE_WAITING ? measured_word(&snapshot->source)
                                               : measure_key(snapshot, measure);
}

static bool source_is(const struct snapshot *snapshot, const char *source)
{
    return snapshot->source.name && !strcmp(snapshot->source.name, source);
}

static const char *misses_hint(const struct snapshot *snapshot)
{
    if (source_is(snapshot, "clock"))
        return "A timer measures time, not counts. -s counter -e mem-fill,access,stall samples all "
               "three if there are hardware counters (see misstop doctor); --sim counts them in a "
               "program that it starts.";
    return "No event that counts misses is sampled: -e mem-fill adds one to those of -e.";
}

static const char *accesses_hint(const struct snapshot *snapshot)
{
    if (source_is(snapshot, "clock"))
        return "A timer does not count accesses. -s counter -e mem-fill,access,stall samples all "
               "three if there are hardware counters (see misstop doctor); --sim -e "
               "mem-fill,access counts them in a program that it starts.";
    if (source_is(snapshot, "pebs"))
        return "Only slow loads are sampled: -e ldlat=3 samples all loads.";
    if (source_is(snapshot, "ibs"))
        return "A filter excludes hits: without -e ldlat and l3missonly all accesses are sampled.";
    return "No event that counts accesses is sampled: -e mem-fill,access samples both.";
}

static const char *waiting_hint(const struct snapshot *snapshot)
{
    if (source_is(snapshot, "sim"))
        return "A simulated cache counts misses, not time: attach to the running program for that.";
    if (source_is(snapshot, "counter"))
        return "No event that counts stalls is sampled: -e mem-fill,stall samples both.";
    return "This source reports neither stalls nor latencies: -s clock samples the time spent at "
           "accesses.";
}

const char *measure_wanting(const struct snapshot *snapshot, enum snapshot_measure measure)
{
    if (!snapshot->source.live)
        return "The recording has no event for it; misstop -o records all events of -e.";
    return measure == MEASURE_ACCESSES  ? accesses_hint(snapshot)
           : measure == MEASURE_WAITING ? waiting_hint(snapshot)
                                        : misses_hint(snapshot);
}

static void format_range(const struct snapshot_time_range *range, char *out, size_t size)
{
    char from[TEXT_TIME_BYTES];
    char to[TEXT_TIME_BYTES];
    char length[TEXT_TIME_BYTES];
    text_time(from, range->start_s);
    text_time(to, range->end_s);
    if (range->pieces > 1)
        snprintf(out, size, "phase %s, %zu times from %s to %s, %s of them", range->phase,
                 range->pieces, from, to, text_time(length, range->length_s));
    else if (*range->phase)
        snprintf(out, size, "phase %s, %s to %s", range->phase, from, to);
    else
        snprintf(out, size, "%s to %s", from, to);
}

void time_range_words(const struct snapshot_time_range *range, char *out, size_t size)
{
    char when[128];
    char kept[16];
    char seen[16];
    format_range(range, when, sizeof when);
    text_count(kept, (double)range->kept);
    text_count(seen, (double)range->seen);
    if (range->kept < range->seen)
        snprintf(out, size, "%s, %s samples kept of %s%s", when, kept, seen,
                 range->loading ? " so far" : "");
    else
        snprintf(out, size, "%s, %s sample%s%s", when, kept, range->kept == 1 ? "" : "s",
                 range->loading ? " so far" : "");
}

void objects_left_out(const struct snapshot *snapshot, char *out, size_t size)
{
    size_t count = snapshot->objects_left_out;
    double together = snapshot->objects_left_share * 100;
    *out = '\0';
    if (!count)
        return;
    snprintf(out, size, "%zu more object%s less than %g%%%s", count, count == 1 ? " has" : "s have",
             snapshot->objects_min_share * 100, count == 1 ? "" : " each");
    if (count > 1 && together < 0.05)
        text_append(out, size, ", less than 0.1%% together");
    else if (count > 1)
        text_append(out, size, ", %.1f%% together", together);
}

bool object_is_spread(const struct snapshot_object *object)
{
    static const double leads_from = 0.05;
    /* With fewer samples, a single one exceeds leads_from. */
    static const double samples_min = 4;
    const struct snapshot_field *first = object->fields;
    return object->field_count > 1 && first->member == TYPE_NO_MEMBER &&
           (first->share < leads_from || first->samples < samples_min);
}

static bool target_is_in_state(const struct snapshot *snapshot, const char *state)
{
    return snapshot->target.state && !strcmp(snapshot->target.state, state);
}

static const char *no_samples_reason(const struct snapshot *snapshot)
{
    if (target_is_in_state(snapshot, "idle"))
        return "No samples: the process sleeps or waits, and uses no CPU time.";
    if (target_is_in_state(snapshot, "stopped"))
        return "No samples: the process is stopped by a signal or a debugger.";
    if (target_is_in_state(snapshot, "not sampled"))
        return "No samples although the process runs: either the sampled event does not occur (try "
               "-s clock), or the kernel does not allow counting it. 'misstop doctor' shows what "
               "can be sampled here.";
    return "No samples yet. A process that sleeps or waits has none; if it is busy, 'misstop "
           "doctor' shows what can be sampled here.";
}

static bool simulation_is_starting(const struct snapshot_simulation *simulation)
{
    return simulation->level_count && !simulation->counting &&
           simulation->pause == SIMULATION_STARTING;
}

const char *objects_nothing_yet(const struct snapshot *snapshot)
{
    const struct snapshot_simulation *simulation = &snapshot->simulation;
    if (simulation->level_count && !snapshot->totals.samples)
        return simulation_is_starting(simulation)
                   ? "No samples yet. Valgrind is starting the program; "
                     "the first samples come in a second or two."
               : simulation->counting ? "No samples yet."
                                      : "No samples yet: counting is stopped, see above.";
    if (!snapshot->totals.samples)
        return no_samples_reason(snapshot);
    if (!snapshot->totals.attributed)
        return "No sample could be attributed to an object yet; the reasons are above and are "
               "explained under ? Help.";
    return "Nothing in the recent past; c shows the whole run.";
}

/* Formats "L1 32K 1.24%": misses of all accesses, so that levels can be compared. */
static void format_level_totals(const struct snapshot_simulation *simulation, unsigned level,
                                char *out, size_t size)
{
    char bytes[16];
    const struct simulation_level *from = &simulation->level[level];
    double share =
        100 * (double)(from->load_misses + from->store_misses) / (double)simulation->accesses;
    text_append(out, size, "%s L%u %s %.*f%%", level ? "," : "", level + 1,
                text_bytes(bytes, from->size_bytes), share < 0.1 ? 3 : 2, share);
}

const char *simulation_pause_name(enum simulation_pause pause)
{
    static const char *const names[] = {"starting", "paused", "before", "outside"};
    return (unsigned)pause < SIMULATION_PAUSE_COUNT ? names[pause] : "outside";
}

static const char *not_counting_reason(const struct snapshot_simulation *simulation)
{
    switch (simulation->pause) {
    case SIMULATION_PAUSED:
        return "not counting, T resumes";
    case SIMULATION_BEFORE:
        return "not counting, --sim-from was not reached";
    default:
        return "not counting after --sim-to";
    }
}

static void format_state(const struct snapshot_simulation *simulation, char *out, size_t size)
{
    if (simulation->miss_period > 1)
        text_append(out, size, "; samples are 1 in %" PRIu32 " misses", simulation->miss_period);
    else if (!simulation->dropped)
        text_append(out, size, "; every miss is a sample");
}

void simulation_sentence(const struct snapshot_simulation *simulation, char *out, size_t size)
{
    char loads[16];
    char stores[16];
    *out = '\0';
    if (!simulation->level_count)
        return;
    if (simulation_is_starting(simulation)) {
        snprintf(out, size,
                 "simulated: Valgrind starts the program, which will be 50 to 200 times slower");
        return;
    }
    snprintf(out, size, "simulated%s%s%s: %s loads, %s stores", simulation->counting ? "" : " (",
             simulation->counting ? "" : not_counting_reason(simulation),
             simulation->counting ? "" : ")", text_count(loads, (double)simulation->loads),
             text_count(stores, (double)simulation->stores));
    if (simulation->accesses) {
        text_append(out, size, "; missed");
        for (unsigned i = 0; i < simulation->level_count; i++)
            format_level_totals(simulation, i, out, size);
    }
    format_state(simulation, out, size);
}

void phase_news(const struct snapshot_phase *phase, char *out, size_t size)
{
    char since[TEXT_TIME_BYTES];
    int used =
        snprintf(out, size, "%s%s%s since %s: ", phase->has_recurred ? "phase " : "a new phase",
                 phase->has_recurred ? phase->name : "", phase->has_recurred ? " again" : "",
                 text_time(since, phase->start_s));
    out += used;
    size -= (size_t)used;
    /* Names the leading object if it changed, otherwise the object with the largest rise. */
    if (phase->gained_object && !phase->leader_changed)
        snprintf(out, size, "%.365s has %.0f points more; Phases (8) shows the run",
                 phase->gained_object, phase->gained_share * 100);
    else
        snprintf(out, size, "%.365s leads with %.0f%%; Phases (8) shows the run", phase->leader,
                 phase->leader_share * 100);
}

void phases_reading(const struct snapshot_timeline *timeline, char *out, size_t size)
{
    const struct snapshot_phase *now =
        timeline->phase_count ? &timeline->phases[timeline->phase_count - 1] : NULL;
    size_t inversions = 0;
    char since[TEXT_TIME_BYTES];
    *out = '\0';
    for (size_t i = 0; i < timeline->phase_count; i++)
        inversions += timeline->phases[i].leader_changed;
    if (!timeline->phases)
        return;
    if (!now || !now->leader) {
        text_append(out, size, "No samples yet.");
        return;
    }
    if (timeline->phase_count == 1) {
        text_append(out, size,
                    "One phase so far: the shares of the objects have not changed; %s leads.",
                    now->leader);
        return;
    }
    text_append(out, size, "%zu time ranges in %zu phases; ", timeline->phase_count,
                timeline->distinct_phases);
    if (inversions)
        text_append(out, size, "another object leads after %zu of the changes, now %s. ",
                    inversions, now->leader);
    else
        text_append(out, size, "%s leads in all. ", now->leader);
    text_time(since, now->start_s);
    if (now->gained_object && now->lost_object)
        text_append(out, size, "Since %s, %s has %.0f points more and %s %.0f fewer.", since,
                    now->gained_object, now->gained_share * 100, now->lost_object,
                    now->lost_share * 100);
    else
        text_append(out, size, "The last one started at %s.", since);
}

/* Returns the period that is closest to the period of the chart. */
static size_t profile_drawn(const struct snapshot_timeline *timeline)
{
    size_t nearest = 0;
    for (size_t i = 1; i < timeline->profile_count; i++)
        if (fabs(timeline->profile[i].period_s - timeline->period_s) <
            fabs(timeline->profile[nearest].period_s - timeline->period_s))
            nearest = i;
    return nearest;
}

void volatility_words(const struct snapshot_timeline *timeline,
                      const struct snapshot_stream *object, char *out, size_t size)
{
    const struct snapshot_volatility *profile = timeline->profile;
    size_t drawn = timeline->profile_count ? profile_drawn(timeline) : 0;
    char time[TEXT_TIME_BYTES];
    *out = '\0';
    if (!timeline->profile_count || isnan(profile[drawn].value))
        return;
    text_append(out, size, "Volatility %.0f%% (calm: %.0f%%) at periods of %s",
                profile[drawn].value * 100, SNAPSHOT_VOLATILITY_DAMPED * 100,
                text_time(time, profile[drawn].period_s));
    if (drawn && !isnan(profile[0].value))
        text_append(out, size, ", %.0f%% at %s", profile[0].value * 100,
                    text_time(time, profile[0].period_s));
    if (object && object->volatilities && !isnan(object->volatilities[drawn]))
        text_append(out, size, "; %.60s %.0f%%", object->name, object->volatilities[drawn] * 100);
}

/* ---- sets and recurrence ---- */

const char *sets_note(const struct snapshot_sets *sets)
{
    static const char *const notes[] = {
        [SETS_EXACT] = "",
        [SETS_WITHIN_PAGE] = "this level is indexed by physical address; virtual addresses show "
                             "its sets only within a page",
        [SETS_GUESSED] = "the recording does not have its caches: the geometry is that of this "
                         "machine; -C LEVEL=SIZE,WAYS,LINE sets another"};
    return notes[sets->doubt];
}

static void format_hot_sets(const struct snapshot_sets *sets, bool misses, char *out, size_t size)
{
    if (sets->content == SETS_HOT_LINES)
        text_append(out, size,
                    "a few hot lines: %.0f%% of the excess is on at most %u lines per set%s",
                    100 * sets->fitting_share, sets->ways, misses ? ", not a conflict" : "");
    else if (sets->content == SETS_LARGE_OBJECT)
        text_append(
            out, size,
            "of an object with more lines than %s holds: lines at the same offset in their pages%s",
            sets->level, misses ? ", no sign of a conflict" : "");
    else
        text_append(out, size,
                    "on more lines than %s %u ways: %saddresses a multiple of %u bytes apart",
                    sets->hot_sets == 1 ? "its" : "their", sets->ways,
                    misses ? "conflict between " : "", sets->sets * sets->line);
}

void sets_reading(const struct snapshot *snapshot, char *out, size_t size)
{
    const struct snapshot_sets *sets = &snapshot->sets;
    const char *word = measured_word(&snapshot->source);
    bool misses = measured_of(&snapshot->source) == MEASURED_MISSES;
    *out = '\0';
    if (!sets->sets)
        return;
    if (sets->verdict == SETS_TOO_FEW) {
        snprintf(out, size, "too few samples to say: %.0f on %u sets", sets->samples, sets->sets);
    } else if (sets->verdict == SETS_UNIFORM) {
        snprintf(out, size, "the %u sets share the %s nearly evenly (%.0f%% more than even)%s",
                 sets->sets, word, 100 * sets->excess,
                 misses ? ": capacity rather than conflict" : "");
    } else if (sets->content == SETS_CONTENT_UNKNOWN) {
        snprintf(out, size,
                 "the %u sets share the %s unevenly (%.0f%% more than even), but no set stands out "
                 "yet%s",
                 sets->sets, word, 100 * sets->excess, misses ? ": no sign of a conflict" : "");
    } else {
        snprintf(out, size, "%u of %u sets %s %.0f%% of the %s, ", sets->hot_sets, sets->sets,
                 sets->hot_sets == 1 ? "takes" : "take", 100 * sets->hot_share, word);
        format_hot_sets(sets, misses, out, size);
    }
}

void window_reading(const struct snapshot *snapshot, char *out, size_t size)
{
    const struct snapshot_window *window = &snapshot->window;
    bool misses = measured_of(&snapshot->source) == MEASURED_MISSES;
    const char *level = snapshot->sets.level ? snapshot->sets.level : "the cache";
    if (isnan(window->lines))
        snprintf(out, size, "too few samples to say: %" PRIu64 " of the %d needed", window->used,
                 SNAPSHOT_WINDOW_MIN);
    else if (window->cache_multiple >= 1)
        snprintf(out, size,
                 "%s%.0f%% of %" PRIu64
                 " samples are on lines seen once; at least %.0f lines, %.1f times what %s holds",
                 misses ? "capacity: " : "",
                 100.0 * (double)window->singletons / (double)window->used, window->used,
                 window->lines, window->cache_multiple, level);
    else
        snprintf(out, size,
                 "%s%" PRIu64 " samples are on %" PRIu64 " lines, %" PRIu64
                 " of them repeatedly; about %.0f lines, %.0f%% of the size of %s",
                 misses ? "conflict or sharing: " : "", window->used, window->addresses,
                 window->recurring, window->lines, 100 * window->cache_multiple, level);
}

/* The usual significance level. */
static const double uneven_below = 0.05;

void sets_summary(const struct snapshot_sets *sets, char *out, size_t size)
{
    char bytes[16];
    snprintf(out, size, "%s: %s in %" PRIu32 " sets of %" PRIu32 " lines",
             sets->level ? sets->level : "cache",
             text_bytes(bytes, (uint64_t)sets->sets * sets->ways * sets->line), sets->sets,
             sets->ways);
    if (isfinite(sets->p_value))
        text_append(out, size, ", by %s address; used %s (p %s %.2g, chi-square %.0f)",
                    sets->index ? sets->index : "unknown",
                    sets->p_value < uneven_below ? "unevenly" : "evenly",
                    sets->p_value < 1e-12 ? "<" : "=", fmax(sets->p_value, 1e-12), sets->chi2);
}

void window_summary(const struct snapshot_window *window, char *out, size_t size)
{
    char once[16], again[16], used[16];
    char span[24] = "";
    if (isfinite(window->span_s))
        snprintf(span, sizeof span, " (%.3g s)", window->span_s);
    snprintf(out, size, "The last %s samples%s: %s lines seen once, %s again",
             text_count(used, (double)window->used), span,
             text_count(once, (double)window->singletons),
             text_count(again, (double)window->recurring));
}

void search_summary(const struct snapshot_search *search, char *out, size_t size)
{
    snprintf(out, size, "%s: %s, round %" PRIu32 " of %.3g s, %" PRIu32 " ways",
             search->range_name && *search->range_name ? search->range_name : "all",
             search_state_name(search->state), search->iteration, search->interval_s, search->ways);
    if (search->restarts)
        text_append(out, size, ", restarted %" PRIu32 " times", search->restarts);
    if (isfinite(search->explained))
        text_append(out, size, ", found explains %.1f%%", search->explained * 100);
}
