/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the builders of a snapshot: causes, axes of the matrix, names of heap bins. Private to
 * src/profile/snapshot; the builders' entry points are in state.h. */
#ifndef MISSTOP_PROFILE_SNAPSHOT_BUILDERS_H
#define MISSTOP_PROFILE_SNAPSHOT_BUILDERS_H

#include "base/array.h"
#include "profile/state.h"
#include "snapshot_objects.h"

/* Like place_ask(). */
bool build_ask(const struct build *build, enum place_question question, uint64_t number,
               union place_answer *answer);
/* Describe an id or an address; return false and all zeros if it is not known. The texts are valid
 * until the next call. */
bool build_describe_object(const struct build *build, uint32_t id, struct object_desc *desc);
bool build_describe_function(const struct build *build, uint32_t id, struct function_desc *desc);
void build_describe_instruction(const struct build *build, uint64_t address,
                                struct instruction_desc *desc);
/* Returns the file of an instruction in the arena, and *line; NULL and 0 if not known.
 * build_line_name() formats both as "file.c:12". */
const char *build_locate(struct build *build, uint64_t address, uint32_t *line);
const char *build_line_name(struct build *build, const char *file, uint32_t line);
/* Copies a name into the arena; NULL becomes "unknown". Sets build->failed if memory runs out. */
const char *build_name(struct build *build, const char *name);
const char *build_function_name(struct build *build, uint32_t id);
/* Returns the name of the listed object, otherwise that of its description. */
const char *build_object_name(struct build *build, uint32_t id);

/* Sums start as zeros and hold weights instead of shares. NULL adds nothing. */
void build_sum_causes(const struct build *build, const struct causes_row *row,
                      struct snapshot_causes_figures *sums);
/* Converts sums to figures in the arena; NULL: no causes, or no memory. */
struct snapshot_causes_figures *build_figures_of(struct build *build,
                                                 const struct snapshot_causes_figures *sums);

/* Maps the functions and objects of one snapshot to rows and columns of its matrix. */
struct matrix_axes {
    size_t rows; /* listed rows; followed by the rest and by samples without a function */
    size_t columns;
    uint8_t *row_of; /* [functions], by id */
    size_t functions;
    uint8_t *column_of; /* [objects], by id */
    size_t objects;
};

/* Returns the number of cells in a row. */
static inline size_t matrix_axes_width(const struct matrix_axes *axes)
{
    return axes->columns + SNAPSHOT_MATRIX_REST;
}

/* Ids beyond the tallies count under 0. */
static inline size_t matrix_axes_row(const struct matrix_axes *axes, uint32_t function)
{
    return axes->row_of[function < axes->functions ? function : 0];
}

static inline size_t matrix_axes_column(const struct matrix_axes *axes, uint32_t object)
{
    return axes->column_of[object < axes->objects ? object : 0];
}

void build_cell_causes(struct build *build, const struct matrix_axes *axes);

/* Heap bins that have the same name: blocks that one function allocated for different callers. Used
 * by objects.c after it has listed the bins. */

/* Sets `called` of these bins, in the arena. Returns false if memory runs out. */
bool bins_add_callers(struct snapshot_heap *heap, struct arena *arena);

/* The stacks of each function on each object, in callers.c. */
struct build_stack {
    uint64_t key; /* build_stack_key() */
    double weight;
    const struct snapshot_frame *outermost;
};

static inline uint64_t build_stack_key(uint32_t object, uint32_t function)
{
    return (uint64_t)object << 32 | function;
}

struct build_stacks {
    struct build_stack *list; /* [count] in the arena, by object and function, largest first */
    size_t count;
};

/* Lists all stacks; sets build->failed if memory runs out. */
void build_stacks_list(struct build *build, struct build_stacks *stacks);
/* Returns the stacks of a function on an object; their shares add up to 1. NULL: none. */
const struct snapshot_stack *build_stacks_of(struct build *build, const struct build_stacks *stacks,
                                             uint32_t object, uint32_t function, size_t *count);

#endif
