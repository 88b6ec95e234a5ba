/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a member of a type to the code that misses on it; declared in browser.h. */
#include "view/browser.h"

#include <stdio.h>
#include <string.h>

struct found {
    const struct snapshot_code *code;
    const struct snapshot_instruction *instruction;
};

/* Members [first, end) are the row's own and those inside it. */
static uint32_t end_of(const struct snapshot_layout *layout, const struct snapshot_layout_row *row)
{
    uint32_t end = row->index + 1;
    for (size_t i = (size_t)(row - layout->rows) + 1;
         i < layout->row_count && layout->rows[i].member.depth > row->member.depth; i++)
        if (layout->rows[i].index != TYPE_NO_MEMBER)
            end = layout->rows[i].index + 1;
    return end;
}

/* Without a type the fields of object and instruction are both called by their offset. */
static bool same_offset(const struct snapshot_object *object, uint64_t offset, const char *field)
{
    for (size_t i = 0; field && i < object->field_count; i++)
        if (!object->fields[i].type_id && object->fields[i].offset == offset &&
            !strcmp(object->fields[i].name, field))
            return true;
    return false;
}

/* Another member may have the same bytes: in a union, or a bit-field beside it. */
static bool is_at(const struct snapshot_layout_row *row,
                  const struct snapshot_instruction *instruction)
{
    return instruction->member != TYPE_NO_MEMBER && instruction->offset >= row->member.offset &&
           instruction->offset < row->member.offset + row->member.size;
}

static bool on_member(const struct snapshot_object *object, const struct snapshot_layout *layout,
                      const struct snapshot_layout_row *row,
                      const struct snapshot_instruction *instruction)
{
    if (row->index == TYPE_NO_MEMBER)
        return !instruction->type_id && same_offset(object, row->member.offset, instruction->field);
    return instruction->type_id == layout->type &&
           ((instruction->member >= row->index && instruction->member < end_of(layout, row)) ||
            is_at(row, instruction));
}

/* The instruction with most samples on the member; in this object, or else (index UINT32_MAX)
 * in any. */
static struct found hottest(const struct snapshot *snapshot, const struct snapshot_object *object,
                            const struct snapshot_layout *layout,
                            const struct snapshot_layout_row *row, uint32_t index)
{
    struct found found = {NULL, NULL};
    for (size_t i = 0; i < snapshot->code_count; i++)
        for (size_t k = 0; k < snapshot->code[i].instruction_count; k++) {
            const struct snapshot_instruction *one = &snapshot->code[i].instructions[k];
            if ((index != UINT32_MAX && one->object != index) ||
                !on_member(object, layout, row, one) ||
                (found.instruction && one->samples <= found.instruction->samples))
                continue;
            found = (struct found){&snapshot->code[i], one};
        }
    return found;
}

void browser_open_member(struct browser *browser, const struct snapshot_layout *layout,
                         const struct snapshot_layout_row *row)
{
    const struct snapshot *snapshot = browser->snapshot;
    const struct snapshot_object *object = browser->detail.object;
    uint32_t index = (uint32_t)(object - snapshot->objects);
    struct found found = hottest(snapshot, object, layout, row, index);
    if (!found.instruction)
        found = hottest(snapshot, object, layout, row, UINT32_MAX);
    if (found.instruction) {
        browser_open_instruction(browser, found.code, found.instruction);
    } else if (object->code_count) {
        browser_open_function(browser, &object->code[0]);
        browser_message(
            browser,
            "no instruction is mostly on this member; this is the function with most samples "
            "on the object");
    } else {
        browser_message(browser, "no code is known that accesses it");
    }
}
