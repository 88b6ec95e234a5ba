/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences about how types and fields are known; see field_words.h. */
#include "view/field_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { UNTYPED_SHOWN = FIELD_PARTS_MAX - TYPED_COUNT };

/* Adds to a text that may be full. */
__attribute__((format(printf, 3, 4))) static void append(char *out, size_t size, const char *format,
                                                         ...)
{
    size_t used = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out + used, size - used, format, arguments);
    va_end(arguments);
}

/* What is known how, and why it is not: by weight, as all shares; by number where that is not
 * known. */
struct known {
    double typed[TYPED_COUNT];
    double untyped[UNTYPED_COUNT];
    double all;
};

static struct known known_of(const struct snapshot_totals *totals)
{
    struct known known = {.all = 0};
    double weight = 0;
    for (int i = 0; i < TYPED_COUNT; i++)
        weight += totals->typed_weight[i];
    for (int i = 0; i < TYPED_COUNT; i++) {
        known.typed[i] = weight > 0 ? totals->typed_weight[i] : (double)totals->typed[i];
        known.all += known.typed[i];
    }
    for (int i = 0; i < UNTYPED_COUNT; i++)
        known.untyped[i] = weight > 0 ? totals->untyped_weight[i] : (double)totals->untyped[i];
    return known;
}

/* The most frequent reasons first. */
static unsigned add_reasons(const struct known *known, struct field_part *parts)
{
    bool said[UNTYPED_COUNT] = {false};
    for (unsigned i = 0; i < UNTYPED_SHOWN; i++) {
        int most = -1;
        for (int k = 0; k < UNTYPED_COUNT; k++)
            if (!said[k] && known->untyped[k] > 0 &&
                (most < 0 || known->untyped[k] > known->untyped[most]))
                most = k;
        if (most < 0)
            return i;
        said[most] = true;
        parts[i] = (struct field_part){most ? untyped_name((enum untyped)most) : "other",
                                       known->untyped[most] / known->all, false};
    }
    return UNTYPED_SHOWN;
}

unsigned field_parts(const struct snapshot *snapshot, struct field_part parts[FIELD_PARTS_MAX])
{
    static const char *const how[TYPED_COUNT] = {
        [TYPED_CODE] = "by code",
        [TYPED_DATA] = "by data",
        [TYPED_AGREED] = "by both",
        [TYPED_DISAGREED] = "disagreed",
    };
    struct known known = known_of(&snapshot->totals);
    unsigned count = 0;
    if (!(known.all > 0))
        return 0;
    parts[count++] =
        (struct field_part){"Fields known for", 1 - known.typed[TYPED_NOT] / known.all, true};
    for (int i = TYPED_CODE; i < TYPED_COUNT; i++)
        if (known.typed[i] > 0)
            parts[count++] = (struct field_part){how[i], known.typed[i] / known.all, true};
    return count + add_reasons(&known, parts + count);
}

void field_summary(const struct snapshot *snapshot, char *out, size_t size)
{
    struct field_part parts[FIELD_PARTS_MAX];
    unsigned count = field_parts(snapshot, parts);
    *out = '\0';
    for (unsigned i = 0; i < count; i++)
        append(out, size, "%s%s %.1f%%",
               i == 0                                 ? ""
               : parts[i].known != parts[i - 1].known ? "; not: "
               : i == 1                               ? ": "
                                                      : ", ",
               parts[i].label, parts[i].share * 100);
}

void field_reading(const struct snapshot *snapshot, char *out, size_t size)
{
    const struct reading_state *reading = &snapshot->reading;
    *out = '\0';
    if (!reading->waiting)
        return;
    append(out, size, "reading debug information%s%.60s: %" PRIu32 " waiting",
           reading->busy_with ? " of " : "", reading->busy_with ? reading->busy_with : "",
           reading->waiting);
}

/* "struct particle [1000]" is made of "struct particle". */
static bool made_of(const char *type, const char *element)
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
        append(out, size, "inferred from the distances of sampled offsets");
        if (object->element_size == layout->size)
            append(out, size, " (%.0f%% sure)", object->element_confidence * 100);
        append(out, size, ": no debug information names it");
        return;
    }
    if (layout && !made_of(object->type, layout->name))
        append(out, size, "not the object's own type: some code accesses it as this");
    else if (!object->type_votes)
        append(out, size, "declared so in the debug information");
    else
        append(out, size, "by the code: %" PRIu32 " accesses say so, %" PRIu32 " another",
               object->type_votes, object->type_against);
    if (against > 0 && object->samples > 0)
        append(out, size, "; code and data DISAGREE on %.1f%% of the samples",
               against * 100 / object->samples);
}
