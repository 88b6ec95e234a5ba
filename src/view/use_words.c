/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/use_words.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>

/* Below this more is fetched in vain than is used. */
static const double half = 0.5;

bool use_told(const struct snapshot *snapshot)
{
    return snapshot->uses.told;
}

struct value use_spatial(const struct snapshot_use *use)
{
    return value_number(snapshot_use_spatial(use));
}

struct value use_temporal(const struct snapshot_use *use)
{
    return value_number(snapshot_use_temporal(use));
}

enum paint paint_spatial(struct value value)
{
    if (value.kind != VALUE_NUMBER)
        return PAINT_PLAIN;
    return value.number < half / 2 ? PAINT_BAD : value.number < half ? PAINT_WARN : PAINT_PLAIN;
}

void format_again(char *out, size_t size, struct value value)
{
    char text[16];
    if (value.kind != VALUE_NUMBER)
        *out = '\0';
    else if (value.number < 100)
        snprintf(out, size, "%.1fx", value.number);
    else
        snprintf(out, size, "%sx", text_count(text, value.number));
}

/* What used them: stores and floating-point accesses as parts of the accesses; of those known. */
static size_t say_uses(const struct snapshot_use *use, char *out, size_t size)
{
    double stores = use->uses[LINE_STORES_INTEGER] + use->uses[LINE_STORES_FLOAT];
    double floats = use->uses[LINE_LOADS_FLOAT] + use->uses[LINE_STORES_FLOAT];
    double all = use->uses[LINE_LOADS_INTEGER] + use->uses[LINE_LOADS_FLOAT] + stores;
    if (!(all > 0))
        return 0;
    int used = snprintf(out, size, "; %.0f%% loads, %.0f%% stores", 100 - 100 * stores / all,
                        100 * stores / all);
    if (floats / all >= 0.005 && used > 0 && (size_t)used < size)
        used += snprintf(out + used, size - (size_t)used, ", %.0f%% of floating point",
                         100 * floats / all);
    return (size_t)used;
}

void use_sentence(const struct snapshot *snapshot, const struct snapshot_use *use, char *out,
                  size_t size)
{
    char lines[16];
    char again[24];
    *out = '\0';
    if (!use || !snapshot->uses.told || !(use->fetched_bytes > 0))
        return;
    format_again(again, sizeof again, use_temporal(use));
    int used = snprintf(out, size, "%s lines left L%u%s: %.0f%% of their bytes used%s%s",
                        text_count(lines, use->lines), snapshot->uses.level + 1,
                        snapshot->uses.is_nearer ? " (few a deeper cache)" : "",
                        100 * snapshot_use_spatial(use), *again ? ", each again " : "", again);
    if (used > 0 && (size_t)used < size)
        say_uses(use, out + used, size - (size_t)used);
}

bool use_line(const struct snapshot *snapshot, const struct snapshot_use *use,
              struct canvas *canvas, struct area area)
{
    char text[256];
    use_sentence(snapshot, use, text, sizeof text);
    if (*text)
        canvas_format(canvas, area.row, area.column, area.columns, PAINT_PLAIN, " %s", text);
    return *text != '\0';
}
