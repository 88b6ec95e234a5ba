/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heap and its bins; declared in json_part.h. */
#include "view/json_part.h"

/* What is known of the blocks themselves; null for what is no heap bin. */
void json_set_heap(json_t *out, const struct heap_bin *heap)
{
    bool told = heap && !heap->walked;
    json_t *site = heap && heap->site_count ? json_array() : json_null();
    for (uint32_t i = 0; heap && i < heap->site_count; i++)
        json_array_append_new(site, json_text(heap->site[i]));
    json_set(out, "site", site);
    json_set(out, "live_blocks", heap ? json_whole(heap->live_blocks) : json_null());
    json_set(out, "live_bytes", heap ? json_whole(heap->usable_bytes) : json_null());
    json_set(out, "usable_bytes", heap ? json_whole(heap->usable_bytes) : json_null());
    json_set(out, "requested_bytes", told ? json_whole(heap->requested_bytes) : json_null());
}

static json_t *one_bin(const struct snapshot *snapshot, const struct snapshot_bin *from)
{
    const struct heap_bin *heap = &from->heap;
    json_t *bin = json_object();
    json_t *sizes = json_array();
    json_set(bin, "id", json_whole(heap->id));
    json_set(bin, "name", json_text(heap->name));
    json_set(bin, "path", json_text(heap->path));
    json_set(bin, "type", json_text(heap->type));
    json_set(bin, "known_by", json_text(heap->walked ? "walk" : "agent"));
    json_set(bin, "object", json_object_name(snapshot, from->object));
    json_set(bin, "samples", json_count(from->samples));
    json_set(bin, "share", from->touched ? json_share(from->share) : json_null());
    json_set_heap(bin, heap);
    json_set(bin, "allocations", heap->walked ? json_null() : json_whole(heap->allocations));
    json_set(bin, "frees", heap->walked ? json_null() : json_whole(heap->frees));
    json_set(bin, "allocation_rate", json_count(heap->allocations_per_s));
    json_set(bin, "free_rate", json_count(heap->frees_per_s));
    json_set(bin, "lifetime", json_count(heap->lifetime_s));
    json_set(bin, "age", json_count(heap->age_s));
    json_set(bin, "growth_blocks", json_count(heap->growth_blocks));
    json_set(bin, "growth_bytes", json_count(heap->growth_bytes));
    json_set(bin, "leak_suspect", json_boolean(from->suspect));
    for (int i = 0; i < HEAP_SIZES; i++)
        json_array_append_new(sizes, json_whole(heap->sizes[i]));
    json_set(bin, "sizes", sizes);
    return bin;
}

json_t *json_heap(const struct snapshot *snapshot)
{
    const struct heap_summary *summary = &snapshot->heap.summary;
    json_t *out = json_object();
    json_t *bins = json_array();
    bool known = summary->feed != HEAP_FEED_NONE;
    static const char *const feeds[] = {"none", "agent", "walk"};
    json_set(out, "feed", json_text(feeds[summary->feed]));
    json_set(out, "source", json_text(summary->source));
    json_set(out, "note", json_text(summary->note));
    json_set(out, "live_blocks", known ? json_whole(summary->live_blocks) : json_null());
    json_set(out, "live_bytes", known ? json_whole(summary->usable_bytes) : json_null());
    json_set(out, "requested_bytes",
             summary->feed == HEAP_FEED_AGENT ? json_whole(summary->requested_bytes) : json_null());
    json_set(out, "lost", known ? json_whole(summary->lost) : json_null());
    json_set(out, "failed", known ? json_whole(summary->failed) : json_null());
    json_set(out, "mark_age", json_share(summary->mark_age_s));
    for (size_t i = 0; i < snapshot->heap.bin_count; i++)
        json_array_append_new(bins, one_bin(snapshot, &snapshot->heap.bins[i]));
    json_set(out, "bins", bins);
    json_set(out, "bins_left_out", json_whole(snapshot->heap.bins_left_out));
    return out;
}
