/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a simulation tells of lines, into the file; declared in store_write.h. */
#include "store/line_row.h"
#include "store/write_state.h"

static void note_ids(struct store_writer *writer, const struct line_place *line)
{
    writer_object(writer, line->place.object);
    writer_function(writer, line->place.function);
    writer_address(writer, line->line.ip);
    if (line->place.type)
        writer_type(writer, line->place.type);
}

void store_writer_line(struct store_writer *writer, const struct line_place *line)
{
    uint64_t now[LINE_ROW_FIELDS];
    uint64_t time_ns = line->place.access.time_ns;
    bool created;
    if (writer->failed)
        return;
    line_row_fill(now, line, number_of_difference(time_ns - writer->line_ns));
    unsigned slot = line_row_slot(now);
    uint64_t *before = rows_take(&writer->rows[STORE_LINE], slot, &created);
    if (!before)
        return;
    if (created || line_row_new_ids(now, before))
        note_ids(writer, line);
    /* Not writer_row(): one like the last one counts, too. */
    unsigned char *at = writer_room(writer, 2 * NUMBER_BYTES_MAX + ROW_BYTES_MAX);
    at = number_put(number_put(at, STORE_LINE), slot);
    writer->at = row_put(at, now, before, LINE_ROW_FIELDS);
    writer->line_ns = time_ns;
    if (time_ns > writer->end_ns)
        writer->end_ns = time_ns;
}

void store_writer_pair(struct store_writer *writer, enum line_pairs kind, uint8_t level,
                       uint32_t place, const struct line_pair *pair)
{
    uint64_t row[PAIR_ROW_FIELDS] = {[PAIR_ROW_FIRST] = pair->first,
                                     [PAIR_ROW_SECOND] = pair->second,
                                     [PAIR_ROW_COUNT] = pair->count};
    if (!writer->failed)
        writer_row(writer, STORE_PAIR, pair_row_id(kind, level, place), row);
}

bool store_writer_next_pair(const struct store_writer *writer, enum line_pairs kind, uint8_t level,
                            uint32_t *at, struct line_pair *out)
{
    return pair_row_next(&writer->rows[STORE_PAIR], kind, level, at, out);
}

void store_writer_code(struct store_writer *writer, uint64_t address, uint32_t function)
{
    uint64_t row[CODE_ROW_FIELDS] = {[CODE_ROW_FUNCTION] = function};
    if (writer->failed)
        return;
    writer_function(writer, function);
    writer_row(writer, STORE_CODE, address, row);
}
