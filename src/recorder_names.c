/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The resolver's names with the recorder listening; declared in recorder.h. */
#include "recorder_state.h"

static bool ask_object(void *context, uint32_t object, struct object_desc *desc)
{
    struct recorder *recorder = context;
    return recorder->names.object(recorder->names.context, object, desc);
}

static bool ask_function(void *context, uint32_t function, struct function_desc *desc)
{
    struct recorder *recorder = context;
    return recorder->names.function(recorder->names.context, function, desc);
}

static bool ask_extent(void *context, uint64_t address, struct object_extent *extent)
{
    struct recorder *recorder = context;
    bool known = recorder->names.extent(recorder->names.context, address, extent);
    if (known && recorder->store)
        store_writer_extent(recorder->store, extent);
    return known;
}

static bool ask_type(void *context, uint32_t type, struct type_desc *desc)
{
    struct recorder *recorder = context;
    return recorder->names.type(recorder->names.context, type, desc);
}

static bool ask_instruction(void *context, uint64_t address, struct instruction_desc *desc)
{
    struct recorder *recorder = context;
    bool known = recorder->names.instruction(recorder->names.context, address, desc);
    if (known && recorder->store)
        store_writer_instruction(recorder->store, address, desc);
    return known;
}

static void ask_reading(void *context, struct reading_state *state)
{
    struct recorder *recorder = context;
    recorder->names.reading(recorder->names.context, state);
}

static void ask_heap(void *context, struct heap_summary *summary)
{
    struct recorder *recorder = context;
    recorder->names.heap(recorder->names.context, summary);
}

static bool ask_bin(void *context, uint32_t index, struct heap_bin *bin)
{
    struct recorder *recorder = context;
    return recorder->names.heap_bin(recorder->names.context, index, bin);
}

static bool ask_mapping(void *context, uint64_t address, struct mapping_desc *desc)
{
    struct recorder *recorder = context;
    return recorder->names.mapping(recorder->names.context, address, desc);
}

static int ask_cpu_node(void *context, uint32_t cpu)
{
    struct recorder *recorder = context;
    int node = recorder->names.cpu_node(recorder->names.context, cpu);
    if (recorder->store)
        store_writer_cpu_node(recorder->store, cpu, node);
    return node;
}

static void ask_page_nodes(void *context, const uint64_t *addresses, size_t count, int *nodes)
{
    struct recorder *recorder = context;
    recorder->names.page_nodes(recorder->names.context, addresses, count, nodes);
    for (size_t i = 0; recorder->store && i < count; i++)
        store_writer_page_node(recorder->store, addresses[i], nodes[i]);
}

static bool ask_exact(void *context, enum exact_of of, uint32_t id, struct exact_counts *counts)
{
    struct recorder *recorder = context;
    return recorder->names.exact(recorder->names.context, of, id, counts);
}

static bool ask_thread(void *context, uint32_t tid, char *out, size_t out_size)
{
    struct recorder *recorder = context;
    if (recorder->store)
        return store_writer_thread(recorder->store, tid, out, out_size);
    return recorder->names.thread(recorder->names.context, tid, out, out_size);
}

static void ask_memory(void *context, uint64_t address, struct memory_use *use)
{
    struct recorder *recorder = context;
    recorder->names.memory(recorder->names.context, address, use);
    if (recorder->store)
        store_writer_memory(recorder->store, address, use);
}

static bool ask_word(void *context, uint64_t address, uint64_t *value)
{
    struct recorder *recorder = context;
    bool known = recorder->names.word(recorder->names.context, address, value);
    if (!recorder->store)
        return known;
    /* A process that has ended cannot be read any more; a replay answers with what was read before. */
    if (!known)
        return store_writer_known_word(recorder->store, address, value);
    store_writer_word(recorder->store, address, *value);
    return true;
}

/* What the resolver cannot tell, it cannot tell through here either. */
struct place_names recorder_names(struct recorder *recorder)
{
    const struct place_names *own = &recorder->names;
    return (struct place_names){.context = recorder,
                                .object = ask_object,
                                .function = ask_function,
                                .extent = ask_extent,
                                .type = own->type ? ask_type : NULL,
                                .instruction = own->instruction ? ask_instruction : NULL,
                                .mapping = own->mapping ? ask_mapping : NULL,
                                .cpu_node = own->cpu_node ? ask_cpu_node : NULL,
                                .page_nodes = own->page_nodes ? ask_page_nodes : NULL,
                                .exact = own->exact ? ask_exact : NULL,
                                .thread = own->thread ? ask_thread : NULL,
                                .memory = own->memory ? ask_memory : NULL,
                                .word = own->word ? ask_word : NULL,
                                .reading = own->reading ? ask_reading : NULL,
                                .heap = own->heap ? ask_heap : NULL,
                                .heap_bin = own->heap_bin ? ask_bin : NULL};
}
