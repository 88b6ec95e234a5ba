/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "machine.h"

#include <math.h>
#include <string.h>

static uint32_t object_at(const struct machine *machine, uint64_t address)
{
    for (uint32_t i = 1; i < MACHINE_NAMES && machine->options.objects[i].name; i++) {
        const struct machine_object *object = &machine->options.objects[i];
        if (address - object->base < object->size_bytes)
            return i;
    }
    return 0;
}

/* Adds a miss to the profile, as the Valgrind tool reports it and the resolver names it. */
static void on_miss(void *context, const struct model_miss *miss)
{
    struct machine *machine = (struct machine *)context;
    const struct model_missed *level = &miss->level[0];
    bool evicted = level->evictor.ip != MODEL_NONE;
    uint32_t object = object_at(machine, miss->address);
    struct place place = {.object = object,
                          .function = miss->who.ip,
                          .base = machine->options.objects[object].base,
                          .evictor_object =
                              evicted ? object_at(machine, level->evictor.address) : 0,
                          .evictor_function = evicted ? level->evictor.ip : 0};
    place.access = (struct access){.time_ns = machine->misses,
                                   .ip = miss->who.ip,
                                   .address = miss->address,
                                   .weight = machine->options.one_in,
                                   .tid = miss->thread + 1,
                                   .size = (uint8_t)miss->size_bytes,
                                   .kind = miss->kind & MODEL_STORE ? ACCESS_STORE : ACCESS_LOAD,
                                   .cause = (uint8_t)(CAUSE_UNKNOWN + level->cause)};
    machine->missed = true;
    if (machine->misses++ % machine->options.one_in == 0)
        profile_add(machine->profile, &place);
}

static bool answer(void *context, enum place_question question, uint64_t id,
                   union place_answer *answer)
{
    const struct machine *machine = (const struct machine *)context;
    bool object = question == PLACE_OBJECT;
    const char *name = id >= MACHINE_NAMES ? NULL
                       : object            ? machine->options.objects[id].name
                                           : machine->options.functions[id];
    name = name ? name : "unknown";
    if (object)
        answer->object = (struct object_desc){.name = name, .kind = OBJECT_HEAP};
    else
        answer->function = (struct function_desc){.name = name, .module = "", .file = ""};
    return object || question == PLACE_FUNCTION;
}

void machine_init(struct machine *machine, const struct machine_options *options)
{
    *machine = (struct machine){.options = *options};
    struct model_spec spec = {.level = {options->cache},
                              .level_count = 1,
                              .threads = options->processors,
                              .causes = true};
    struct profile_options profile = {
        .names = {.context = machine, .answer = answer}, .ways = 10, .event_count = 1};
    struct model_host host = model_host_of(&machine->rooms);
    host.miss = on_miss;
    host.context = machine;
    model_spec_complete(&spec);
    machine->model = model_new(&spec, &host);
    assert_non_null(machine->model);
    for (uint32_t i = 0; i < options->processors; i++)
        machine->processors[i] = model_thread(machine->model, i);
    assert_int_equal(geometry_parse(&profile.geometry, "L1=64K,1,64", "/", NULL), 0);
    assert_int_equal(profile_new(&machine->profile, &profile, NULL), 0);
}

void machine_fini(struct machine *machine)
{
    profile_free(machine->profile);
    model_rooms_free(&machine->rooms);
}

void machine_access(struct machine *machine, uint32_t processor, uint32_t function, uint32_t object,
                    uint64_t offset_bytes, uint32_t size_bytes, uint32_t kind)
{
    uint64_t address = machine->options.objects[object].base + offset_bytes;
    machine->missed = false;
    machine->accesses[object]++;
    machine->reads += kind & MODEL_LOAD ? 1 : 0;
    machine->writes += kind & MODEL_STORE ? 1 : 0;
    model_access(machine->processors[processor], address, size_bytes, kind, function);
}

const struct snapshot *machine_snapshot(struct machine *machine)
{
    struct snapshot head = {.iteration = 1, .basis = BASIS_RUN};
    return profile_snapshot(machine->profile, &head, machine->misses + 1);
}

const struct snapshot_causes_row *machine_causes(const struct snapshot *snapshot,
                                                 const char *object)
{
    const struct snapshot_causes_list *list = &snapshot->causes.by_kind[CAUSES_OBJECTS];
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->rows[i].name, object))
            return &list->rows[i];
    return NULL;
}

static bool is_cell(const struct snapshot *snapshot, uint16_t row, uint16_t column,
                    const char *function, const char *object)
{
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    return row < matrix->row_count && column < matrix->column_count &&
           !strcmp(snapshot->code[matrix->rows[row]].function, function) &&
           !strcmp(snapshot->objects[matrix->columns[column]].name, object);
}

const struct snapshot_causes_figures *machine_cell(const struct snapshot *snapshot,
                                                   const char *function, const char *object)
{
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    for (uint16_t row = 0; row < matrix->row_count; row++)
        for (uint16_t column = 0; column < matrix->column_count; column++)
            if (is_cell(snapshot, row, column, function, object))
                return matrix->cells[row * (matrix->column_count + 2) + column].causes;
    return NULL;
}

double machine_evicted_by(const struct snapshot *snapshot, const char *function, const char *object,
                          const char *by)
{
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    const struct snapshot_causes_figures *cell = machine_cell(snapshot, function, object);
    double misses = 0;
    for (size_t i = 0; i < matrix->evictor_count; i++)
        if (is_cell(snapshot, matrix->evictors[i].row, matrix->evictors[i].column, function,
                    object) &&
            matrix->evictors[i].object && !strcmp(matrix->evictors[i].object, by))
            misses += matrix->evictors[i].misses;
    return cell ? misses / cell->evicted : NAN;
}
