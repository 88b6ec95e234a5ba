/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of bins: the full one tells the whole path and is the same in every run, so no
 * addresses; the short one is the first frame that is no wrapper of an allocator.
 */
#include "resolve/bins_state.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_NAME_BYTES = 512 };

struct frame {
    char text[FRAME_NAME_BYTES];  /* function, else [module], else ? */
    bool known;                   /* the function is */
    char place[FRAME_NAME_BYTES]; /* " file:line", or nothing */
};

struct naming {
    const struct wrappers *wrappers;
    bins_namer *namer;
    void *context;
};

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void frame_name(struct frame *frame, const struct naming *naming, uint64_t return_address)
{
    const char *function = NULL;
    const char *module = NULL;
    const char *file = NULL;
    uint32_t line = 0;
    bool found =
        naming->namer(naming->context, return_address - 1, &function, &module, &file, &line);
    frame->known = found && function && *function;
    frame->place[0] = '\0';
    if (frame->known)
        snprintf(frame->text, sizeof frame->text, "%s", function);
    else if (found && module && *module)
        snprintf(frame->text, sizeof frame->text, "[%s]", last_component(module));
    else
        snprintf(frame->text, sizeof frame->text, "?");
    if (found && file && line)
        snprintf(frame->place, sizeof frame->place, " %s:%u", last_component(file), line);
    /* Cut in the middle of a character, or not as clean as promised: once more. */
    text_sanitise(frame->text, sizeof frame->text, frame->text, sizeof frame->text);
    text_sanitise(frame->place, sizeof frame->place, frame->place, sizeof frame->place);
}

static char *short_name(const struct frame *frame)
{
    char *name;
    return asprintf(&name, "%s%s", frame->text, frame->place) < 0 ? NULL : name;
}

/* Both names, while the path is walked from the innermost frame out. */
static int name_path(struct bin *bin, const uint64_t *path, const struct naming *naming)
{
    char full[BIN_RULES_NAME_BYTES];
    struct frame frame;
    size_t used = 0;
    bool settled = false;
    for (unsigned i = 0; i < bin->depth; i++) {
        frame_name(&frame, naming, path[i]);
        size_t left = sizeof full - used;
        int wrote = snprintf(full + used, left, "%s%s", i ? " < " : "", frame.text);
        if ((size_t)wrote >= left) { /* whole frames only */
            full[used] = '\0';
            break;
        }
        used += (size_t)wrote;
        if (settled)
            continue;
        settled = !frame.known || !wrappers_match(naming->wrappers, frame.text);
        free(bin->short_name);
        bin->short_name = short_name(&frame); /* wrappers all the way: the outermost */
        if (!bin->short_name)
            return -ENOMEM;
    }
    bin->full_name = strdup(full);
    return bin->full_name ? 0 : -ENOMEM;
}

static int name_plainly(struct bin *bin)
{
    char least[16];
    char most[16];
    int wrote;
    if (bin->walked)
        wrote = asprintf(&bin->full_name, "walked, %s to %s bytes",
                         text_bytes(least, size_class_least(bin->size_class)),
                         text_bytes(most, size_class_least(bin->size_class + 1u) - 1));
    else
        wrote = asprintf(&bin->full_name, "unknown call path");
    if (wrote < 0) {
        bin->full_name = NULL;
        return -ENOMEM;
    }
    bin->short_name = strdup(bin->full_name);
    return bin->short_name ? 0 : -ENOMEM;
}

static int name_bin(struct bins *bins, uint32_t id, const struct naming *naming)
{
    struct bin *bin = &bins->at[id];
    int result =
        bin->depth ? name_path(bin, &bins->words[bin->path_at], naming) : name_plainly(bin);
    if (!result) {
        bin->full_name_hash = hash_bytes(bin->full_name, strlen(bin->full_name));
        return 0;
    }
    free(bin->full_name);
    free(bin->short_name);
    bin->full_name = bin->short_name = NULL;
    return result;
}

int bins_update_names(struct bins *bins, const struct wrappers *wrappers,
                      const struct bin_rules *rules, bins_namer *namer, void *context)
{
    const struct naming naming = {wrappers, namer, context};
    if (bins->named == bins->count)
        return 0;
    for (; bins->named < bins->count; bins->named++)
        if (name_bin(bins, bins->named + 1, &naming))
            return -ENOMEM;
    return bins_regroup(bins, rules);
}
