/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen w: results of hardware watchpoints per object (--watch). */
#include "view/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "view/display/browser.h"
#include "view/widget/columns.h"

static struct table *watch_table(const struct browser *browser)
{
    return browser->states[SCREEN_WATCH];
}

/* ---- drawing ---- */

static void watch_draw_nothing(const struct snapshot_watch *watch, struct canvas *canvas,
                               struct area area)
{
    canvas_wrap(canvas, area, PAINT_DIM,
                watch->is_on
                    ? " No watched line has been accessed, or watched long enough, yet."
                    : " Watchpoints are off. With --watch, misstop sets the CPU's debug registers "
                      "on sampled lines, and shows here whether they are accessed again, how soon, "
                      "by which code, and how much of a line is used. This costs the process at "
                      "most 1% of its time, or the limit of --watch=PERCENT.");
}

/* Draws the overhead, and when all objects will have a verdict. Returns the rows used. */
static int draw_state(const struct snapshot_watch *watch, struct canvas *canvas, struct area area)
{
    char text[512];
    struct area rest = {area.row, area.column + 1, area.rows < 8 ? 1 : area.rows, area.columns - 1};
    if (!watch->is_on)
        return 0;
    watch_summary(watch, text, sizeof text);
    int rows = canvas_wrap(canvas, rest, watch->failure ? PAINT_WARN : PAINT_DIM, text);
    rest = area_below(rest, rows);
    if (watch_pace(watch, text, sizeof text))
        rows +=
            canvas_wrap(canvas, rest, watch->is_limited_by_budget ? PAINT_WARN : PAINT_DIM, text);
    return rows;
}

static void watch_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_watch *watch = &browser->snapshot->watch;
    int head = draw_state(watch, canvas, area);
    struct area body = area_below(area, head);
    if (!watch->count) {
        watch_draw_nothing(watch, canvas, body);
        return;
    }
    pane_explained(browser, canvas, body, watch_table(browser));
}

const struct screen watch_screen = {
    .name = "Watch",
    .description =
        "Results of hardware watchpoints (misstop --watch): whether the lines of an object "
        "are accessed again after a sample, how soon, and how much of a line is used.",
    .next_step =
        "Rarely accessed again: streaming. Again after a long time: process less data at a time.",
    .key_help = "Watch: with --watch, whether lines are accessed again, how soon and by which code",
    .state_size = sizeof(struct table),
    .tables = {{.columns = &watch_columns,
                .enter = "Detail",
                .hint = "Enter: Detail. F1: what the columns mean"}},
    .has_data_path = FIELD(struct snapshot, watch.is_on),
    .draw = watch_draw,
    .bar = {ACTION_BACK, ACTION_ENTER, ACTION_FIND, ACTION_FILTER, ACTION_SORT_NEXT, ACTION_FREEZE,
            ACTION_ZERO},
};

/* ---- columns of watchpoint results, one object per row ---- */

static struct value watch_reuse_time(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_watch_object);
    struct value value = value_number(row->reuse_s.value);
    if (snapshot_reuse_is_bound(&row->reuse_s))
        value = (struct value){.kind = VALUE_NUMBER, .high = row->reuse_s.high};
    return value;
}

/* Formats "<24us" if only an upper bound is known. */
static void format_reuse(char *out, size_t size, struct value value)
{
    if (value.high > 0)
        *out++ = '<';
    format_seconds(out, size - (value.high > 0), value.high > 0 ? value_number(value.high) : value);
}

static struct value first_touching_code(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_watch_object);
    return value_text(row->code_count ? row->codes[0].text : NULL);
}

static struct value watch_verdict_value(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_watch_object);
    struct value value = value_text(watch_verdict_name(row->verdict));
    if (row->verdict == WATCH_TOO_FEW) {
        value.low = (double)row->settled;
        value.high = (double)row->settled_needed;
    }
    return value;
}

/* Formats "3 of 8" until there is a verdict. */
static void format_verdict(char *out, size_t size, struct value value)
{
    if (value.high > 0)
        snprintf(out, size, "%.0f of %.0f", value.low, value.high);
    else
        snprintf(out, size, "%s", value.text);
}

static enum paint paint_verdict(struct value value)
{
    switch (value.kind == VALUE_TEXT ? value.text[0] : 0) {
    case 's':
        return PAINT_WARN;
    case 'c':
        return value.text[1] == 'o' ? PAINT_BAD : value.text[2] == 'p' ? PAINT_WARN : PAINT_GOOD;
    default:
        return PAINT_DIM;
    }
}

static bool has_threads(const struct snapshot *snapshot)
{
    return snapshot->watch.threads > 1;
}

static void watch_reading(const struct snapshot_watch *watch,
                          const struct snapshot_watch_object *object, char *out, size_t size);

static void watch_column_reading(const struct snapshot *snapshot, const void *pointer, char *out,
                                 size_t size)
{
    watch_reading(&snapshot->watch, pointer, out, size);
}

static bool watch_explain(const struct snapshot *snapshot, const void *pointer, unsigned line,
                          struct explained *out)
{
    ROW(snapshot_watch_object);
    if (line > row->code_count)
        return false;
    if (line) {
        columns_share(out, "Touched by", row->codes[line - 1].share, row->codes[line - 1].text);
        return true;
    }
    out->label = "Verdict";
    out->paint = PAINT_STRONG;
    watch_reading(&snapshot->watch, row, out->text, sizeof out->text);
    return true;
}

static const struct column watch_list[] = {
    COLUMN(.title = "OBJECT", .key = "name", .from = FIELD(struct snapshot_watch_object, name),
           .width = 12, .width_max = 30, .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "VERDICT",
           .help =
               "Streaming: most lines are not accessed again. Capacity: accessed again after the "
               "cache was filled. Conflict: accessed again before it can have been filled, but "
               "missed. Cached: the same without evidence of misses. Reused: not known. 3 of 8: "
               "results so far, of the number that a verdict needs. The reason is below the list.",
           .value = watch_verdict_value, .width = 9, .format = format_verdict,
           .paint = paint_verdict),
    COLUMN(.title = "WATCHED", .key = "watched",
           .help = "Watched lines of its sampled accesses, among the last several thousand.",
           .from = FIELD(struct snapshot_watch_object, watched), .width = 7, .rank = 1, UNIT_COUNT),
    COLUMN(.title = "AGAIN", .key = "again",
           .help = "Share of these lines accessed again within the time in WITHIN.",
           .from = FIELD(struct snapshot_watch_object, touched_again_share.value), .width = 6,
           UNIT_PERCENT),
    COLUMN(.title = "±", .from = HALF(struct snapshot_watch_object, touched_again_share),
           .width = 4, .rank = 4, UNIT_POINTS),
    COLUMN(.title = "WITHIN", .key = "again_seconds",
           .from = FIELD(struct snapshot_watch_object, again_within_s), .width = 6, .rank = 2,
           UNIT_SECONDS, .paint = paint_dim),
    COLUMN(.title = "REUSE",
           .help = "Median time from one access of a line to the next. <: too short to be "
                   "measured, because setting a register takes as long.",
           .value = watch_reuse_time, .width = 6, .look = COLUMN_RIGHT, .format = format_reuse),
    COLUMN(.title = "FROM", .help = "95% interval of the median.",
           .from = FIELD(struct snapshot_watch_object, reuse_s.low), .width = 6, .rank = 5,
           UNIT_SECONDS, .paint = paint_dim),
    COLUMN(.title = "TO", .from = FIELD(struct snapshot_watch_object, reuse_s.high), .width = 6,
           .rank = 5, UNIT_SECONDS, .paint = paint_dim),
    COLUMN(.title = "MISSES", .key = "misses",
           .help = "Misses of the process in that time (median): an upper bound of the lines "
                   "fetched in between.",
           .from = FIELD(struct snapshot_watch_object, misses.value), .width = 6, .rank = 1,
           .shown_if = FIELD(struct snapshot, watch.counts_misses), UNIT_COUNT),
    COLUMN(.title = "THREAD", .key = "thread_misses",
           .help = "The same for the thread that made the first access.",
           .from = FIELD(struct snapshot_watch_object, thread_misses), .width = 6, .rank = 6,
           .shown_if = FIELD(struct snapshot, watch.counts_misses), UNIT_COUNT, .paint = paint_dim),
    COLUMN(.title = "USED", .key = "spatial_use",
           .help = "Share of the line's 64 bytes used within a millisecond of the sampled word, "
                   "when it is accessed again.",
           .from = FIELD(struct snapshot_watch_object, used.value), .width = 6, .rank = 1,
           UNIT_PERCENT),
    COLUMN(.title = "±", .from = HALF(struct snapshot_watch_object, used), .width = 4, .rank = 6,
           UNIT_POINTS),
    COLUMN(.title = "OTHERS", .key = "elsewhere",
           .help = "Share of the accesses by another thread than the previous one.",
           .from = FIELD(struct snapshot_watch_object, by_another_thread), .width = 6, .rank = 3,
           .shown = has_threads, UNIT_PERCENT),
    COLUMN(.title = "TOUCHED BY", .help = "The code that made the next access most often.",
           .value = first_touching_code, .width = 12, .width_max = 36, .rank = 2,
           .look = COLUMN_CODE),
    COLUMN(.key = "verdict", .from = FIELD(struct snapshot_watch_object, verdict),
           .name = watch_verdict_name),
    MEMBER("touched", struct snapshot_watch_object, touched),
    MEMBER("told", struct snapshot_watch_object, settled),
    MEMBER("needed", struct snapshot_watch_object, settled_needed),
    MEMBER("wait_seconds", struct snapshot_watch_object, verdict_in_s),
    COLUMN(.key = "again_between",
           .from = FIELD(struct snapshot_watch_object, touched_again_share.low), .elements = 2),
    MEMBER("reuse_seconds", struct snapshot_watch_object, reuse_s.value),
    COLUMN(.key = "reuse_between", .from = FIELD(struct snapshot_watch_object, reuse_s.low),
           .elements = 2),
    COLUMN(.key = "misses_between", .from = FIELD(struct snapshot_watch_object, misses.low),
           .elements = 2),
    MEMBER("visits", struct snapshot_watch_object, visits),
    COLUMN(.key = "spatial_use_between", .from = FIELD(struct snapshot_watch_object, used.low),
           .elements = 2),
    COLUMN(.key = "reading", .format_sentence = watch_column_reading),
    COLUMN(.key = "code", .from = ROW_IN(struct snapshot_watch_object, codes),
           .count = FIELD(struct snapshot_watch_object, code_count), .rows = &watch_code_members),
};

const struct columns watch_columns = {
    .title = "Watched",
    TABLE(struct snapshot_watch_object, watch_list),
    ALL_OF(watch.objects, watch.count),
    .sort = COLUMNS_AS_THEY_COME,
    .key = FIELD(struct snapshot_watch_object, id),
    .object = FIELD(struct snapshot_watch_object, object),
    .explain = watch_explain,
};

static const char *seconds_text(char out[24], double seconds)
{
    format_seconds(out, 24, value_number(seconds));
    return out;
}

void watch_summary(const struct snapshot_watch *watch, char *out, size_t size)
{
    char trap[24];
    char spent[32] = "nothing yet";
    if (!isnan(watch->overhead))
        snprintf(spent, sizeof spent, "%.2f%% of its time", watch->overhead * 100);
    snprintf(out, size,
             "cost %s, %.3g%% allowed; %u debug register%s on %zu thread%s: set %" PRIu64
             " times, %" PRIu64 " accesses of %s each%s%s",
             spent, watch->budget * 100, watch->registers, watch->registers == 1 ? "" : "s",
             watch->threads, watch->threads == 1 ? "" : "s", watch->armed, watch->touches,
             seconds_text(trap, watch->trap_ns / 1e9), watch->failure ? ". " : "",
             watch->failure ? watch->failure : "");
}

bool watch_pace(const struct snapshot_watch *watch, char *out, size_t size)
{
    char next[24];
    size_t waiting = watch->count > watch->verdicts ? watch->count - watch->verdicts : 0;
    if (!waiting)
        return false;
    snprintf(out, size, "%zu of %zu objects have a verdict", watch->verdicts, watch->count);
    if (!isnan(watch->next_s))
        text_append(out, size, "; at this pace the next in about %s",
                    seconds_text(next, watch->next_s));
    double more = watch->budget <= 0.025 ? 0.05 : watch->budget <= 0.1 ? 0.2 : 0;
    if (watch->is_limited_by_budget && more > 0)
        text_append(out, size,
                    ". The %.3g%% allowed sets the pace: --watch=%.0f is up to %.0f times as fast",
                    watch->budget * 100, more * 100, more / watch->budget);
    return true;
}

const struct snapshot_watch_object *watch_find(const struct snapshot *snapshot, uint32_t id)
{
    for (size_t i = 0; i < snapshot->watch.count; i++)
        if (snapshot->watch.objects[i].id == id)
            return &snapshot->watch.objects[i];
    return NULL;
}

void watch_line(const struct snapshot_watch_object *object, char *out, size_t size)
{
    char time[24];
    snprintf(out, size, "watched %" PRIu64 ": %s", object->watched,
             watch_verdict_name(object->verdict));
    if (!isnan(object->touched_again_share.value))
        text_append(out, size, ", %.0f%% accessed again within %s",
                    object->touched_again_share.value * 100,
                    seconds_text(time, object->again_within_s));
    if (snapshot_reuse_is_bound(&object->reuse_s))
        text_append(out, size, ", most within %s", seconds_text(time, object->reuse_s.high));
    else if (!isnan(object->reuse_s.value))
        text_append(out, size, ", after %s (median)", seconds_text(time, object->reuse_s.value));
    if (!isnan(object->used.value))
        text_append(out, size, ", %.0f%% of the line used", object->used.value * 100);
}

/* ---- the verdict in sentences ---- */

static const double mostly = 0.5;

/* Formats the time until a line is touched again, and the misses in between. */
static void format_reuse_and_misses(const struct snapshot_watch_object *object, char out[128])
{
    char time[24], count[16];
    if (snapshot_reuse_is_bound(&object->reuse_s))
        snprintf(out, 128, "mostly accessed again within %s",
                 seconds_text(time, object->reuse_s.high));
    else if (object->touched_again_share.high < mostly)
        snprintf(out, 128, "mostly (%.0f%%) not accessed again within %s",
                 (1 - object->touched_again_share.value) * 100,
                 seconds_text(time, object->again_within_s));
    else if (isnan(object->reuse_s.value))
        snprintf(out, 128, "accessed again");
    else if (isnan(object->misses.value))
        snprintf(out, 128, "accessed again after %s (median)",
                 seconds_text(time, object->reuse_s.value));
    else
        snprintf(out, 128, "accessed again after %s (median), with %s misses in between",
                 seconds_text(time, object->reuse_s.value),
                 text_count(count, object->misses.value));
}

static void write_reused_reading(const struct snapshot_watch_object *object, const char *again,
                                 char *out, size_t size)
{
    char low[24], high[24], range[80] = "";
    if (object->reuse_s.low > 0 && !isnan(object->reuse_s.high))
        snprintf(range, sizeof range, " (the median is between %s and %s)",
                 seconds_text(low, object->reuse_s.low), seconds_text(high, object->reuse_s.high));
    snprintf(out, size,
             "Its lines are %s%s: it is not known whether the cache was filled in between.", again,
             range);
}

static void write_too_few_reading(const struct snapshot_watch *watch,
                                  const struct snapshot_watch_object *object, char *out,
                                  size_t size)
{
    char wait[24], time[24], pace[64] = "";
    if (!isnan(object->verdict_in_s))
        snprintf(pace, sizeof pace, ", about %s more at this pace",
                 seconds_text(wait, object->verdict_in_s));
    snprintf(out, size,
             "No verdict yet: of %" PRIu64 " watched line%s, %" PRIu64
             " were accessed again or watched for %s; about %" PRIu64 " are needed%s.",
             object->watched, object->watched == 1 ? "" : "s", object->settled,
             seconds_text(time, watch->long_s), object->settled_needed, pace);
}

/* Explains the verdict and suggests a remedy, in one to three sentences. */
static void watch_reading(const struct snapshot_watch *watch,
                          const struct snapshot_watch_object *object, char *out, size_t size)
{
    char again[128];
    format_reuse_and_misses(object, again);
    switch (object->verdict) {
    case WATCH_STREAMING:
        snprintf(out, size,
                 "Its lines are %s: they are streamed through the caches. Prefetch them, pack more "
                 "used data into a line, or write with non-temporal stores.",
                 again);
        break;
    case WATCH_CAPACITY:
        snprintf(out, size,
                 "Its lines are %s: L%u has %" PRIu64
                 " lines and was filled meanwhile. Process less at a time (blocking), or make it "
                 "smaller.%s",
                 again, watch->level, watch->level_lines,
                 watch->counts_misses
                     ? ""
                     : " This is inferred from time, because misses are not counted here: if "
                       "little else was accessed meanwhile, the lines were still cached.");
        break;
    case WATCH_CONFLICT:
        snprintf(out, size,
                 "Its lines are %s: too soon for the %" PRIu64
                 " lines of L%u to have been replaced. They are evicted from a few sets, or taken "
                 "by another core.%s",
                 again, watch->level_lines, watch->level,
                 object->by_another_thread > mostly
                     ? " The next access is mostly by another thread: see Sharing."
                     : " Screen Cache shows the sets; make rows one line longer.");
        break;
    case WATCH_CACHED:
        snprintf(out, size,
                 "Its lines are %s: too soon for capacity misses in L%u, and there is no other "
                 "evidence of eviction. The time here is work on cached data, or conflict misses "
                 "in a lower level: see Cache.",
                 again, watch->level);
        break;
    case WATCH_REUSED:
        write_reused_reading(object, again, out, size);
        break;
    default:
        write_too_few_reading(watch, object, out, size);
    }
}
