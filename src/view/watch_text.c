/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What watchpoints saw, in batch text; declared in text_writer.h. */
#include "view/text_writer.h"
#include "view/watch_words.h"

enum { WATCH_ROWS = 15 };

void watch_text_print(struct text_writer *writer)
{
    const struct snapshot_watch *watch = &writer->snapshot->watch;
    char text[512];
    if (!watch->on)
        return;
    watch_summary(watch, text, sizeof text);
    text_say(writer, "\nwatch: %s", text);
    if (watch_pace(watch, text, sizeof text))
        text_say(writer, "%s", text);
    text_rows(writer, &watch_columns, watch->objects, watch->count, WATCH_ROWS);
    for (size_t i = 0; i < watch->count && i < WATCH_ROWS; i++)
        if (watch->objects[i].verdict != WATCH_TOO_FEW)
            text_say(writer, "%s: %s", watch->objects[i].name, watch->objects[i].reading);
}
