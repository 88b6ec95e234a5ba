/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 9: recognised problems, largest gain first, and what to try. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "profile/tables/rates.h"
#include "view/answer.h"
#include "view/findings.h"
#include "view/display/browser.h"
#include "view/widget/columns.h"

static struct table *findings_table(const struct browser *browser)
{
    return browser->states[SCREEN_FINDINGS];
}

/* ---- drawing ---- */

static void findings_draw_nothing(const struct snapshot *snapshot, struct canvas *canvas,
                                  struct area area)
{
    char why[FINDINGS_NONE_BYTES];
    char text[sizeof why + 80];
    findings_none(snapshot, why, sizeof why);
    snprintf(text, sizeof text, " %s 1 Objects and 2 Code rank the data and the code.", why);
    canvas_wrap(canvas, area, PAINT_DIM, text);
}

static void findings_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot *snapshot = browser->snapshot;
    if (snapshot->findings.count)
        pane_explained(browser, canvas, area, findings_table(browser));
    else
        findings_draw_nothing(snapshot, canvas, area);
}

/* ---- keys ---- */

static const char *finding_screen_label(const struct snapshot_finding *finding)
{
    return screens[finding_screen(finding)].screen->name;
}

void findings_open(struct browser *browser, const void *row)
{
    const struct snapshot_finding *finding = row;
    const struct snapshot_object *object = columns_object(browser->snapshot, finding->object);
    enum screen_id screen = finding_screen(finding);
    if (screens[screen].place == SCREEN_IS_TAB) {
        browser_go(browser, screen);
        return;
    }
    if (!object)
        return;
    browser_open_object(browser, object);
    if (screen == SCREEN_LAYOUT && object->layout_count)
        browser_enter(browser, SCREEN_LAYOUT);
}

void findings_open_hint(const struct snapshot_finding *finding, char *out, size_t size)
{
    snprintf(out, size, "Enter: %s, with the details. 9: remedy and evidence",
             finding_screen_label(finding));
}

static const char *findings_label(struct browser *browser, enum action action)
{
    const struct snapshot_finding *finding = table_selected(findings_table(browser));
    return action != ACTION_ENTER ? NULL : finding ? finding_screen_label(finding) : "";
}

static void findings_hint(struct browser *browser, char *out, size_t size)
{
    const struct snapshot_finding *finding = table_selected(findings_table(browser));
    if (finding)
        snprintf(out, size, "Enter: %s, with the details", finding_screen_label(finding));
    else
        snprintf(out, size, "1: the most costly data.  2: the code that accesses it");
}

static bool findings_have_alert(const struct snapshot *snapshot)
{
    return snapshot->findings.count > 0;
}

const struct screen findings_screen = {
    .name = "Findings",
    .description =
        "Problems that misstop recognises, largest estimated gain first. Below, for the selected "
        "one: the evidence in numbers, the remedy, the estimated gain, and the confidence.",
    .next_step =
        "Enter opens the screen with the details. An empty list means that no rule applies, "
        "not that there is no problem.",
    .key_help = "findings: recognised problems, and their remedies",
    .state_size = sizeof(struct table),
    .tables = {{.columns = &finding_columns, .open = findings_open}},
    .needs_attention = findings_have_alert,
    .draw = findings_draw,
    .hint = findings_hint,
    .label = findings_label,
    .bar = {ACTION_BACK, ACTION_ENTER, ACTION_FIND, ACTION_FILTER, ACTION_SORT_NEXT, ACTION_FREEZE,
            ACTION_BASIS},
};

/* ---- columns of the findings ---- */

static struct value finding_gain_value(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_finding);
    struct value value = value_number(row->gain);
    value.low = row->gain_low;
    value.high = row->gain_low > 0 ? row->gain : 0;
    return value;
}

static void format_gain(char *out, size_t size, struct value value)
{
    if (value.high > value.low)
        snprintf(out, size, "%.0f-%.0f%%", value.low * 100, value.high * 100);
    else
        format_percent(out, size, value);
}

static struct value finding_gain_prefix(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_finding);
    return value_text(isnan(row->gain) || row->gain_low > 0 ? ""
                      : row->is_upper_bound                 ? "at most"
                                                            : "about");
}

static struct value finding_screen_name(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_finding);
    return value_text(finding_screen_label(row));
}

static void finding_text(const struct snapshot_finding *finding, size_t at, char *out, size_t size)
{
    struct finding_words words;
    finding_words(finding, &words);
    snprintf(out, size, "%s", (const char *)&words + at);
}

static void finding_evidence(const struct snapshot *snapshot, const void *row, char *out,
                             size_t size)
{
    (void)snapshot;
    finding_text(row, offsetof(struct finding_words, evidence), out, size);
}

static void finding_estimate(const struct snapshot *snapshot, const void *row, char *out,
                             size_t size)
{
    (void)snapshot;
    finding_text(row, offsetof(struct finding_words, gain_method), out, size);
}

static void finding_confidence_reason(const struct snapshot *snapshot, const void *row, char *out,
                                      size_t size)
{
    (void)snapshot;
    finding_text(row, offsetof(struct finding_words, evidence_limits), out, size);
}

static void finding_advice(const struct snapshot *snapshot, const void *row, char *out, size_t size)
{
    (void)snapshot;
    finding_text(row, offsetof(struct finding_words, advice), out, size);
}

static bool findings_explain(const struct snapshot *snapshot, const void *pointer, unsigned line,
                             struct explained *out)
{
    static const char *const labels[] = {"Evidence", "Try", "Gain", "Confidence", "Code"};
    ROW(snapshot_finding);
    struct finding_words words;
    char gain[96];
    if (line >= sizeof labels / sizeof *labels)
        return false;
    finding_words(row, &words);
    out->label = labels[line];
    out->paint = line == 1 ? PAINT_STRONG : PAINT_PLAIN;
    finding_gain(row, gain, sizeof gain);
    if (line == 0)
        snprintf(out->text, sizeof out->text, "%s", words.evidence);
    else if (line == 1)
        snprintf(out->text, sizeof out->text, "%s", words.advice);
    else if (line == 2)
        snprintf(out->text, sizeof out->text, "%s: %s.", gain, words.gain_method);
    else if (line == 3)
        snprintf(out->text, sizeof out->text, "%s: %s.", finding_confidence(row->confidence),
                 words.evidence_limits);
    else if (row->function && row->file && row->line)
        snprintf(out->text, sizeof out->text, "%s (%s:%u)", row->function, row->file, row->line);
    else
        snprintf(out->text, sizeof out->text, "%s", row->function ? row->function : "");
    return true;
}

static uint64_t finding_column_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_finding);
    return (uint64_t)row->id << 8 | row->kind;
}

/* If there is a lower bound, returns the middle of the range. */
static struct value finding_gain_middle(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_finding);
    return value_number(row->gain_low > 0 ? (row->gain_low + row->gain) / 2 : row->gain);
}

static struct value gain_is_bound(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_finding);
    return value_yes_no(!isnan(row->gain) && row->is_upper_bound);
}

static const struct column finding_list[] = {
    COLUMN(.title = "", .value = finding_gain_prefix, .width = 7, .rank = 1, .paint = paint_dim),
    COLUMN(.title = "GAIN",
           .help = "Estimated gain of the remedy, as a share of all samples: an interval or an "
                   "upper bound; blank: not known.",
           .value = finding_gain_value, .width = 7, .look = COLUMN_RIGHT, .format = format_gain,
           .paint = paint_share),
    COLUMN(.title = "SHARE", .key = "share", .help = "Share of all samples that it is about.",
           .from = FIELD(struct snapshot_finding, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "PROBLEM", .help = "Below the list: the evidence.",
           .from = FIELD(struct snapshot_finding, kind), .name = finding_kind_words, .width = 15,
           .width_max = 19, .paint = paint_strong),
    COLUMN(.title = "OBJECT", .key = "object", .from = FIELD(struct snapshot_finding, name),
           .width = 10, .width_max = 40, .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "FIELDS", .key = "field", .from = FIELD(struct snapshot_finding, field),
           .width = 10, .width_max = 40, .rank = 2, .look = COLUMN_NAME),
    COLUMN(.title = "FUNCTION", .key = "function", .help = "The function with most samples on it.",
           .from = FIELD(struct snapshot_finding, function), .width = 10, .width_max = 32,
           .rank = 3, .look = COLUMN_NAME),
    COLUMN(.title = "CONFID.",
           .help = "How well the evidence supports it; the limits are below the list.",
           .from = FIELD(struct snapshot_finding, confidence), .name = finding_confidence,
           .width = 7, .rank = 1),
    COLUMN(.title = "SCREEN", .key = "screen", .help = "Enter opens it.",
           .value = finding_screen_name, .width = 7, .rank = 4, .paint = paint_dim),
    COLUMN(.key = "kind", .from = FIELD(struct snapshot_finding, kind), .name = finding_kind_name),
    MEMBER("file", struct snapshot_finding, file),
    MEMBER_KNOWN("line", struct snapshot_finding, line),
    COLUMN(.key = "evidence", .format_sentence = finding_evidence),
    COLUMN(.key = "gain", .value = finding_gain_middle),
    MEMBER_KNOWN("gain_low", struct snapshot_finding, gain_low),
    COLUMN(.key = "gain_high", .known_if = KNOWN(struct snapshot_finding, gain_low),
           .from = FIELD(struct snapshot_finding, gain)),
    COLUMN(.key = "gain_is_bound", .value = gain_is_bound),
    COLUMN(.key = "reckoned", .format_sentence = finding_estimate),
    COLUMN(.key = "sure", .from = FIELD(struct snapshot_finding, confidence),
           .name = finding_sure_name),
    COLUMN(.key = "why_sure", .format_sentence = finding_confidence_reason),
    COLUMN(.key = "try", .format_sentence = finding_advice),
};

const struct columns finding_columns = {
    .title = "Findings",
    TABLE(struct snapshot_finding, finding_list),
    ALL_OF(findings.list, findings.count),
    .sort = COLUMNS_AS_THEY_COME,
    .identity = finding_column_identity,
    .explain = findings_explain,
};

void findings_none(const struct snapshot *snapshot, char *out, size_t size)
{
    snprintf(
        out, size,
        "No known problem found%s. misstop looks for hot and cold fields in one line, elements "
        "that straddle lines, false and true sharing, %swalks down columns, pointer chasing, "
        "streaming, scattered and wasted blocks, objects used together, allocation churn, stack "
        "variables, first touches, threads that spin, page walks and remote memory.",
        snapshot->totals.attributed < 1000 ? " in so few samples" : "",
        measured_of(&snapshot->source) == MEASURED_MISSES ? "set conflicts, " : "");
    if (answer_is_vague(snapshot))
        text_append(out, size,
                    " Samples of time cannot show more precisely how much it waits: run misstop "
                    "--sim -- COMMAND, or use a machine with counters.");
}
