/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/whatif_choices.h"

#include "view/whatif_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct menu {
    const struct snapshot_object *object;
    const struct snapshot_layout *layout;
    uint32_t line_bytes;
    const struct snapshot_whatifs *asked;
    struct whatif_choice *choices;
    size_t count;
};

/* The answer that stands, or stood last. */
static double change_of(const struct menu *menu, const struct whatif_wanted *wanted)
{
    const struct snapshot_whatifs *asked = menu->asked;
    char words[160];
    whatif_words(wanted, words, sizeof words);
    for (uint32_t i = 0; i < asked->count; i++)
        if (asked->list[i].object_id == menu->object->id && !strcmp(asked->list[i].question, words))
            return snapshot_whatif_change(&asked->list[i]);
    for (uint32_t i = 0; i < asked->past_count; i++)
        if (asked->past[i].object_id == menu->object->id && !strcmp(asked->past[i].question, words))
            return asked->past[i].stall_change;
    return NAN;
}

static void add(struct menu *menu, enum whatif_kind kind, uint32_t bytes, const char *field,
                const char *title)
{
    struct whatif_choice *choice = &menu->choices[menu->count++];
    struct whatif_plan plan;
    struct error error = {0};
    *choice = (struct whatif_choice){.wanted = {.kind = kind, .bytes = bytes}};
    snprintf(choice->title, sizeof choice->title, "%s", title);
    if (strlen(field) < sizeof choice->wanted.fields)
        strcpy(choice->wanted.fields, field);
    choice->possible =
        !whatif_plan(&choice->wanted, menu->object, menu->layout, menu->line_bytes, &plan, &error);
    if (choice->possible)
        snprintf(choice->text, sizeof choice->text, "%s", plan.text);
    else
        snprintf(choice->text, sizeof choice->text, "Not here: %.170s.", error.text);
    choice->change = change_of(menu, &choice->wanted);
}

/* A member without a name is meant by its offset. */
static void add_split(struct menu *menu, const struct snapshot_layout_row *row)
{
    char field[128] = "+0";
    char title[64] = "split at a member";
    if (row && row->kind == LAYOUT_MEMBER && *row->member.name)
        snprintf(field, sizeof field, "%s", row->member.name);
    else if (row)
        snprintf(field, sizeof field, "+%llu", (unsigned long long)row->member.offset);
    if (row)
        snprintf(title, sizeof title, "split before %.40s", field);
    add(menu, WHATIF_SPLIT, 0, field, title);
    if (!row)
        snprintf(menu->choices[menu->count - 1].text, sizeof menu->choices->text,
                 "Not here: select a member on screen 8, Layout, and press x there.");
}

size_t whatif_choices(const struct snapshot_object *object, const struct snapshot_layout *layout,
                      const struct snapshot_layout_row *row, uint32_t line_bytes,
                      const struct snapshot_whatifs *asked,
                      struct whatif_choice choices[WHATIF_CHOICES_MAX])
{
    struct menu menu = {.object = object,
                        .layout = layout,
                        .line_bytes = line_bytes,
                        .asked = asked,
                        .choices = choices};
    uint64_t element = layout ? layout->size : object->element_size;
    char title[64];
    add(&menu, WHATIF_NEVER, 0, "", "it never missed");
    add(&menu, WHATIF_HOT, 0, "", "hot members lay apart");
    add_split(&menu, row);
    add(&menu, WHATIF_ORDER, 0, "", "hottest members came first");
    add(&menu, WHATIF_ARRAYS, 0, "", "each member had an array");
    if (!element || element & (element - 1))
        add(&menu, WHATIF_PAD, 0, "", "padded to a power of two");
    add(&menu, WHATIF_ALIGN, 0, "", "elements began on lines");
    if (element && element < line_bytes / 2) {
        uint32_t half = line_bytes / 2;
        snprintf(title, sizeof title, "elements began at %us", half);
        add(&menu, WHATIF_ALIGN, half, "", title);
    }
    add(&menu, WHATIF_ALIGN_OBJECT, 0, "", "it began on a line");
    if (object->blocks > 1)
        add(&menu, WHATIF_POOL, 0, "", "blocks lay side by side");
    return menu.count;
}
