/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cache lines that threads contend for, with who uses which bytes; declared in html_part.h. */
#include "view/html_part.h"

#include "view/html_table.h"
#include "view/sharing_picture.h"

#include <inttypes.h>

enum {
    GROUP_ROWS = 40,
    GROUPS_OPENED = 8,
    SIDES = 16,
    LINE_ROWS = 20,
    ACCESSES = 64,
    BYTES = 64,
    BYTE = 12, /* units of the drawing, like the rest */
    LEFT = 130,
    RIGHT = 70,
    HEIGHT = 16,
    STEP = 20,
    RULER = 16
};

static const struct snapshot_share *group_share(const void *row)
{
    return &((const struct snapshot_sharing_group *)row)->share;
}

/* A run of bytes with their bits set is one rectangle. */
static void draw_runs(struct html_writer *writer, uint64_t bits, const char *class, int y,
                      int height)
{
    for (int first = 0, end; first < BYTES; first = end + 1) {
        end = first;
        while (end < BYTES && bits >> end & 1)
            end++;
        if (end > first)
            html_markup(writer, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
                        class, LEFT + first * BYTE, y, (end - first) * BYTE - 1, height);
    }
}

/* What it reads above, what it writes below. */
static void draw_side(struct html_writer *writer, const struct snapshot_sharing_side *side, int y)
{
    html_markup(writer,
                "<text x=\"0\" y=\"%d\">thread %" PRIu32 "</text><rect class=\"frame\" x=\"%d\" "
                "y=\"%d\" width=\"%d\" height=\"%d\"/>",
                y + 12, side->tid, LEFT, y, BYTES * BYTE, HEIGHT);
    draw_runs(writer, side->read, "read", y, HEIGHT / 2);
    draw_runs(writer, side->written, "write", y + HEIGHT / 2, HEIGHT / 2);
    if (html_known(side->share))
        html_markup(writer, "<text x=\"%d\" y=\"%d\">%.1f%%</text>", LEFT + BYTES * BYTE + 6,
                    y + 12, side->share * 100);
    html_markup(writer, "\n");
}

static void draw_line(struct html_writer *writer, const struct snapshot_sharing_line *line)
{
    size_t sides = line->side_count < SIDES ? line->side_count : SIDES;
    uint64_t contended = sharing_contended(line);
    int y = RULER + (int)sides * STEP;
    html_markup(writer,
                "<div class=\"wide\"><svg class=\"chart\" viewBox=\"0 0 %d %d\" "
                "role=\"img\" aria-label=\"bytes that threads use\"><text class=\"dim\" x=\"0\" "
                "y=\"11\">byte of line</text>",
                LEFT + BYTES * BYTE + RIGHT, y + STEP);
    for (int byte = 0; byte < BYTES; byte += 8)
        html_markup(writer, "<text class=\"dim\" x=\"%d\" y=\"11\">%d</text>", LEFT + byte * BYTE,
                    byte);
    for (size_t i = 0; i < sides; i++)
        draw_side(writer, &line->sides[i], RULER + (int)i * STEP);
    html_markup(writer, "<text class=\"dim\" x=\"0\" y=\"%d\">same bytes</text>", y + 12);
    draw_runs(writer, contended, "same", y + 4, HEIGHT / 2);
    if (!contended)
        html_markup(writer,
                    "<text class=\"dim\" x=\"%d\" y=\"%d\">none: only the line is wanted by "
                    "all</text>",
                    LEFT, y + 12);
    html_markup(writer, "</svg></div>\n<ul class=\"keys\"><li><i class=\"key read\"></i>reads</li>"
                        "<li><i class=\"key write\"></i>writes</li></ul>\n");
}

static void write_accesses(struct html_writer *writer, const struct snapshot_sharing_line *line)
{
    struct sharing_access accesses[ACCESSES];
    size_t count = 0;
    for (size_t i = 0; i < line->side_count; i++)
        for (size_t k = 0; k < line->sides[i].code_count && count < ACCESSES; k++)
            accesses[count++] = (struct sharing_access){&line->sides[i], &line->sides[i].codes[k]};
    html_table(writer, &(struct html_table){.columns = &sharing_access_columns,
                                            .rows = accesses,
                                            .count = count,
                                            .most = ACCESSES});
}

static void write_group(struct html_writer *writer, const struct snapshot_sharing_group *group,
                        bool open)
{
    html_markup(writer, "<details%s><summary><span class=\"strong\">",
                open ? " open=\"open\"" : "");
    html_text(writer, group->name && *group->name ? group->name : "(no name)");
    html_markup(writer, "</span> %s</summary>\n", sharing_verdict_name(group->verdict));
    html_element(writer, "p", "says", group->reading);
    if (group->line_count) {
        draw_line(writer, &group->lines[0]);
        write_accesses(writer, &group->lines[0]);
    }
    if (group->line_count > 1)
        html_table(writer, &(struct html_table){.columns = &sharing_line_columns,
                                                .rows = group->lines,
                                                .count = group->line_count,
                                                .most = LINE_ROWS});
    html_markup(writer, "</details>\n");
}

void html_sharing(struct html_writer *writer)
{
    const struct snapshot_sharing *sharing = &writer->snapshot->sharing;
    if (!sharing->group_count)
        return;
    html_section(writer, "sharing", "Shared cache lines",
                 sharing->evidence == SHARING_HITM
                     ? "Lines that several threads use with a store among them; the hardware "
                       "told when one found the line modified in another's cache."
                     : "Lines that several threads use by turns with a store among them.");
    html_table(writer, &(struct html_table){.columns = &sharing_columns,
                                            .rows = sharing->groups,
                                            .count = sharing->group_count,
                                            .most = GROUP_ROWS,
                                            .interval = group_share});
    for (size_t i = 0; i < sharing->group_count && i < GROUPS_OPENED; i++)
        write_group(writer, &sharing->groups[i], i == 0);
    html_section_end(writer);
}
