/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of what ids mean and of what the tables asked. A name, path or text is the id of a string;
 * a double its bits. For src/store only. */
#ifndef MISSTOP_STORE_FORM_NAMES_H
#define MISSTOP_STORE_FORM_NAMES_H

#include "place.h"

enum object_field {
    OBJECT_ROW_NAME,
    OBJECT_ROW_MODULE,
    OBJECT_ROW_TYPE,
    OBJECT_ROW_TYPE_ID,
    OBJECT_ROW_VOTES,
    OBJECT_ROW_AGAINST,
    OBJECT_ROW_KIND,
    OBJECT_ROW_ADDRESS,
    OBJECT_ROW_SIZE,
    OBJECT_ROW_BLOCKS,
    OBJECT_ROW_PART_OF,
    OBJECT_ROW_FIELDS
};

enum function_field {
    FUNCTION_ROW_NAME,
    FUNCTION_ROW_MODULE,
    FUNCTION_ROW_FILE,
    FUNCTION_ROW_LINE,
    FUNCTION_ROW_START,
    FUNCTION_ROW_END,
    FUNCTION_ROW_FIELDS
};

enum type_field {
    TYPE_ROW_NAME,
    TYPE_ROW_KIND,
    TYPE_ROW_SIZE,
    TYPE_ROW_FIRST_MEMBER,
    TYPE_ROW_MEMBERS,
    TYPE_ROW_CUT,
    TYPE_ROW_FIELDS
};

enum member_field {
    MEMBER_ROW_NAME,
    MEMBER_ROW_TYPE,
    MEMBER_ROW_OFFSET,
    MEMBER_ROW_SIZE,
    MEMBER_ROW_COUNT,
    MEMBER_ROW_STRIDE,
    MEMBER_ROW_PARENT, /* plus 1; 0: the type itself */
    MEMBER_ROW_DEPTH,
    MEMBER_ROW_KIND,
    MEMBER_ROW_BIT_OFFSET,
    MEMBER_ROW_BIT_SIZE,
    MEMBER_ROW_FIELDS
};

enum instruction_field {
    INSTRUCTION_ROW_FILE,
    INSTRUCTION_ROW_LINE,
    INSTRUCTION_ROW_INLINED,
    INSTRUCTION_ROW_TEXT,
    INSTRUCTION_ROW_ASKED, /* whether file, line and inlined are an answer */
    INSTRUCTION_ROW_FIELDS
};

enum extent_field { EXTENT_ROW_BOUND, EXTENT_ROW_OBJECT, EXTENT_ROW_FIELDS };

enum bin_field {
    BIN_ROW_ID,
    BIN_ROW_OBJECT,
    BIN_ROW_NAME,
    BIN_ROW_PATH,
    BIN_ROW_TYPE_ID,
    BIN_ROW_TYPE,
    BIN_ROW_FLAGS, /* 1: walked, 2: renamed */
    BIN_ROW_COMBINED,
    BIN_ROW_LIVE_BLOCKS,
    BIN_ROW_USABLE_BYTES,
    BIN_ROW_REQUESTED_BYTES,
    BIN_ROW_ALLOCATIONS,
    BIN_ROW_FREES,
    BIN_ROW_ALLOCATION_RATE,
    BIN_ROW_FREE_RATE,
    BIN_ROW_LIFETIME,
    BIN_ROW_FIRST_NS, /* on the clock of HEAP_ROW_NOW_NS; UINT64_MAX: not known */
    BIN_ROW_LAST_NS,
    BIN_ROW_GROWTH_BLOCKS,
    BIN_ROW_GROWTH_BYTES,
    BIN_ROW_SIZES,
    BIN_ROW_FIELDS = BIN_ROW_SIZES + HEAP_SIZES
};

enum heap_field {
    HEAP_ROW_FEED,
    HEAP_ROW_SOURCE,
    HEAP_ROW_NOTE,
    HEAP_ROW_LIVE_BLOCKS,
    HEAP_ROW_USABLE_BYTES,
    HEAP_ROW_REQUESTED_BYTES,
    HEAP_ROW_LOST,
    HEAP_ROW_FAILED,
    HEAP_ROW_BINS,
    HEAP_ROW_MARK_AGE,
    HEAP_ROW_NOW_NS,
    HEAP_ROW_FIELDS
};

enum mapping_field {
    MAPPING_ROW_END,
    MAPPING_ROW_OFFSET,
    MAPPING_ROW_PATH,
    MAPPING_ROW_BUILD_ID,
    MAPPING_ROW_FIELDS
};

/* NUMA node plus 1, of a CPU or page; 0: not known. */
enum node_field { NODE_ROW_NODE, NODE_ROW_FIELDS };

enum thread_field { THREAD_ROW_NAME, THREAD_ROW_FIELDS };

/* How the target used memory then: doubles, and a number. */
enum memory_field {
    MEMORY_ROW_FAULTS,
    MEMORY_ROW_CPUS,
    MEMORY_ROW_KERNEL,
    MEMORY_ROW_HUGE,
    MEMORY_ROW_TLB,
    MEMORY_ROW_FIELDS
};

enum word_field { WORD_ROW_VALUE, WORD_ROW_FIELDS };
/* Strings, innermost first; the first 0 ends them. */
enum site_field { SITE_ROW_FIELDS = 64 };

#endif
