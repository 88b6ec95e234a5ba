/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a simulation told of lines, out of the file; declared in store_read.h and read_state.h. */
#include "store/line_row.h"
#include "store/read_state.h"

bool reader_take_line(struct store_reader *reader, uint64_t *row, struct line_place *line)
{
    if (!row_get(&reader->from, row, LINE_ROW_FIELDS) || !line_row_read(row, line))
        return false;
    reader->line_ns += number_to_difference(row[LINE_ROW_SINCE]);
    line->place.access.time_ns = reader->line_ns;
    return true;
}

bool store_reader_pair(const struct store_reader *reader, enum line_pairs kind, uint8_t level,
                       uint32_t *at, struct line_pair *out)
{
    return pair_row_next(&reader->rows[STORE_PAIR], kind, level, at, out);
}

uint32_t store_reader_function(const struct store_reader *reader, uint64_t address)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_CODE], address);
    return row ? (uint32_t)row[CODE_ROW_FUNCTION] : 0;
}
