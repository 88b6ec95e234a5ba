/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why lines were missed, in batch text; declared in text_writer.h. */
#include "view/causes_words.h"
#include "view/text_writer.h"

enum { CAUSES_ROWS = 15, EVICTORS = 3 };

static void say_object(struct text_writer *writer, const struct snapshot_causes_object *object)
{
    char text[512];
    causes_advice(object, text, sizeof text);
    text_say(writer, "%s: %s", object->name, text);
    for (size_t i = 0; i < object->evictor_count && i < EVICTORS; i++) {
        const struct snapshot_evictor *evictor = &object->evictors[i];
        text_say(writer, "  %5.1f%% thrown out by %s%s%s", 100 * evictor->share, evictor->function,
                 evictor->object ? " on " : "", evictor->object ? evictor->object : "");
    }
}

void causes_text_print(struct text_writer *writer)
{
    enum { EXPLAINED = 5 };
    const struct snapshot_causes *causes = &writer->snapshot->causes;
    char text[512];
    if (!causes->told)
        return;
    causes_summary(writer->snapshot, text, sizeof text);
    text_say(writer, "\ncauses of %s", text);
    text_rows(writer, &causes_columns, causes->objects, causes->count, CAUSES_ROWS);
    for (size_t i = 0; i < causes->count && i < EXPLAINED; i++)
        say_object(writer, &causes->objects[i]);
}
