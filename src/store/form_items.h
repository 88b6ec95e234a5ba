/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of what comes in the order of time: places, watches, counts, refreshes. An id is that of a
 * row of names. For src/store only. */
#ifndef MISSTOP_STORE_FORM_ITEMS_H
#define MISSTOP_STORE_FORM_ITEMS_H

enum place_field {
    PLACE_ROW_ADDRESS,
    PLACE_ROW_OFFSET, /* address - base */
    PLACE_ROW_TID,
    PLACE_ROW_CPU,
    PLACE_ROW_OBJECT,
    PLACE_ROW_SIZE,
    PLACE_ROW_LATENCY,
    PLACE_ROW_DATA_SRC,
    PLACE_ROW_PHYSICAL,
    PLACE_ROW_WEIGHT,
    PLACE_ROW_IP,
    PLACE_ROW_FUNCTION,
    PLACE_ROW_HOLDER,
    PLACE_ROW_TYPE,
    PLACE_ROW_TYPE_OFFSET,
    PLACE_ROW_SHAPE, /* event 16 bits, reason, how, size, kind, base, index 8 each, from low to high
                      */
    PLACE_ROW_DISPLACEMENT,
    PLACE_ROW_TYPING, /* by_member, typed, untyped, locked, waits and kept, unit, 8 bits each */
    PLACE_ROW_PID,
    PLACE_ROW_CAUSE,
    PLACE_ROW_EVICTOR_IP,
    PLACE_ROW_EVICTOR_ADDRESS,
    PLACE_ROW_EVICTOR_OBJECT,
    PLACE_ROW_EVICTOR_FUNCTION,
    PLACE_ROW_EVICTOR_TID,
    PLACE_ROW_FIELDS
};

/* As struct line_told has it, and of its place what the tables count by. */
enum line_field {
    LINE_ROW_SINCE, /* ns since the line before it, of any slot */
    LINE_ROW_ADDRESS,
    LINE_ROW_OFFSET, /* address - base */
    LINE_ROW_OBJECT,
    LINE_ROW_DISTANCE, /* plus 1; 0: none */
    LINE_ROW_WEIGHT,
    LINE_ROW_IP,
    LINE_ROW_FUNCTION,
    /* event 16 bits, line_bytes 16, what, level, by_member, unit 8 each, from low to high */
    LINE_ROW_SHAPE,
    LINE_ROW_TYPE,
    LINE_ROW_TYPE_OFFSET,
    LINE_ROW_USED,
    LINE_ROW_TOUCHED,
    LINE_ROW_USES, /* in the order of enum line_use */
    LINE_ROW_FIELDS = LINE_ROW_USES + 4
};

/* As struct line_pair has it, as of a refresh. */
enum pair_field { PAIR_ROW_FIRST, PAIR_ROW_SECOND, PAIR_ROW_COUNT, PAIR_ROW_FIELDS };
enum code_field { CODE_ROW_FUNCTION, CODE_ROW_FIELDS };

/* As struct watch_result has it, and the code that touched. */
enum watch_field {
    WATCH_ROW_END_NS,
    WATCH_ROW_SHAPE, /* kind and end, 8 bits each from low to high */
    WATCH_ROW_OBJECT,
    WATCH_ROW_ORIGIN_TID,
    WATCH_ROW_TOUCHER_TID,
    WATCH_ROW_ADDRESS,
    WATCH_ROW_BASE,
    WATCH_ROW_ORIGIN_NS,
    WATCH_ROW_ARMED_NS,
    WATCH_ROW_OFF_NS,
    WATCH_ROW_FUNCTION,
    WATCH_ROW_IP, /* within the instruction that touched; 0: not touched */
    WATCH_ROW_FIELDS
};

/* As struct object_rename has it. */
enum rename_field {
    RENAME_ROW_FROM,
    RENAME_ROW_TO,
    RENAME_ROW_TYPE,
    RENAME_ROW_FIXED,
    RENAME_ROW_OFFSET,
    RENAME_ROW_FIELDS
};

/* Index of the event that ranks from here on. */
enum ranking_field { RANKING_ROW_EVENT, RANKING_ROW_FIELDS };

enum counts_field { COUNTS_ROW_LOST, COUNTS_ROW_THROTTLED, COUNTS_ROW_EXECS, COUNTS_ROW_FIELDS };
enum mark_field { MARK_ROW_NOW_NS, MARK_ROW_INTERVAL, MARK_ROW_FIELDS };

#endif
