/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of bins: the full one tells the whole path and is the same in every run, so no
 * addresses; the short one is the first frame that is no wrapper of an allocator. What stands
 * inside of a wrapper without a name of its own (a static function of a stripped library) is
 * part of the allocator too, and outside of it the first frame with a name says more than one
 * without; as long as both are of one module, for main() is no name for what a library does.
 */
#include "resolve/bins_state.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_NAME_BYTES = 512, FRAME_MODULE_BYTES = 128 };

struct frame {
    char text[FRAME_NAME_BYTES]; /* function, else [module], else ? */
    bool known;                  /* the function is */
    uint64_t address;            /* behind the call; 0: it is no allocation's */
    char module[FRAME_MODULE_BYTES];
    bool nameless; /* called by its place in its module */
    bool wraps;
    char place[FRAME_NAME_BYTES]; /* " file:line", or nothing */
    bool place_later;
};

struct naming {
    const struct wrappers *wrappers;
    bins_namer *namer;
    bins_assigned *assigned;
    void *context;
    uint32_t type; /* of the blocks; 0: not known */
    bool unsure;   /* an answer is still to come */
};

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "libx.so.1+0x1230" */
static bool is_place(const char *function, const char *module)
{
    size_t length = module ? strlen(module) : 0;
    return length && !strncmp(function, module, length) && !strncmp(function + length, "+0x", 3);
}

static void frame_name(struct frame *frame, struct naming *naming, uint64_t return_address)
{
    const char *function = NULL;
    const char *module = NULL;
    const char *file = NULL;
    uint32_t line = 0;
    bool found =
        naming->namer(naming->context, return_address - 1, &function, &module, &file, &line);
    frame->known = found && function && *function;
    frame->place[0] = '\0';
    frame->address = return_address;
    snprintf(frame->module, sizeof frame->module, "%s", found && module ? module : "");
    frame->nameless = !frame->known || is_place(function, module);
    frame->wraps = frame->known && wrappers_match(naming->wrappers, function);
    if (frame->known)
        snprintf(frame->text, sizeof frame->text, "%s", function);
    else if (found && module && *module)
        snprintf(frame->text, sizeof frame->text, "[%s]", last_component(module));
    else
        snprintf(frame->text, sizeof frame->text, "?");
    frame->place_later = found && line == BINS_LINE_LATER;
    if (found && file && line && !frame->place_later)
        snprintf(frame->place, sizeof frame->place, " %s:%u", last_component(file), line);
    /* Cut in the middle of a character, or not as clean as promised: once more. */
    text_sanitise(frame->text, sizeof frame->text, frame->text, sizeof frame->text);
    text_sanitise(frame->place, sizeof frame->place, frame->place, sizeof frame->place);
}

/* TYPE.VARIABLE, else function and line. */
static char *short_name(const struct frame *frame, struct naming *naming)
{
    char *name;
    char variable[FRAME_NAME_BYTES];
    int code = frame->address && naming->assigned
                   ? naming->assigned(naming->context, frame->address, variable, sizeof variable,
                                      &naming->type)
                   : -ENOENT;
    naming->unsure = code == -EAGAIN || (code && frame->place_later);
    if (!code) {
        text_sanitise(variable, sizeof variable, variable, strlen(variable));
        return strdup(variable);
    }
    return asprintf(&name, "%s%s", frame->text, frame->place) < 0 ? NULL : name;
}

/* The short name, while the path is walked from the innermost frame out. */
struct choice {
    struct frame frame;
    bool chosen;
    bool settled; /* nothing further out is better */
};

enum { WRAPPER_WITHIN = 16, NAME_WITHIN = 8 }; /* frames that are looked at */

static void consider(struct choice *choice, const struct frame *frame, unsigned depth)
{
    bool empty = !choice->chosen;
    if (choice->settled)
        return;
    /* A mapping is whoever asked for it: what an allocator maps belongs to no caller. */
    if (empty && !strcmp(frame->text, BINS_MAPPING_NAME)) {
        choice->frame = *frame;
        choice->chosen = true;
        return;
    }
    if (!empty && !strcmp(choice->frame.text, BINS_MAPPING_NAME)) {
        choice->settled = true;
        choice->frame.address = 0;
        int used = snprintf(choice->frame.text, sizeof choice->frame.text,
                            BINS_MAPPING_NAME " in %.400s", frame->text);
        snprintf(choice->frame.place, sizeof choice->frame.place, "%s",
                 used > 0 ? frame->place : "");
        return;
    }
    bool related = *frame->module && !strcmp(frame->module, choice->frame.module);
    bool better =
        empty || choice->frame.wraps ||
        (related && choice->frame.nameless &&
         ((frame->wraps && depth < WRAPPER_WITHIN) || (!frame->nameless && depth < NAME_WITHIN)));
    if (better)
        choice->frame = *frame;
    choice->chosen = true;
    choice->settled = !choice->frame.nameless && !choice->frame.wraps;
}

/* Both names. */
static int name_path(struct bin *bin, const uint64_t *path, struct naming *naming)
{
    char full[BIN_RULES_NAME_BYTES] = "";
    struct choice choice = {.chosen = false};
    struct frame frame;
    size_t used = 0;
    for (unsigned i = 0; i < bin->depth; i++) {
        frame_name(&frame, naming, path[i]);
        size_t left = sizeof full - used;
        int wrote = snprintf(full + used, left, "%s%s", i ? " < " : "", frame.text);
        if ((size_t)wrote >= left) { /* whole frames only */
            full[used] = '\0';
            break;
        }
        used += (size_t)wrote;
        consider(&choice, &frame, i);
    }
    bin->full_name = strdup(full);
    bin->short_name = short_name(&choice.frame, naming);
    return bin->full_name && bin->short_name ? 0 : -ENOMEM;
}

static int name_plainly(struct bin *bin)
{
    bin->full_name = strdup("unknown call path");
    bin->short_name = bin->full_name ? strdup(bin->full_name) : NULL;
    return bin->short_name ? 0 : -ENOMEM;
}

static int name_bin(struct bins *bins, uint32_t id, struct naming *naming)
{
    struct bin *bin = &bins->at[id];
    naming->unsure = false;
    naming->type = 0;
    int result =
        bin->depth ? name_path(bin, &bins->words[bin->path_at], naming) : name_plainly(bin);
    if (!result) {
        bin->full_name_hash = hash_bytes(bin->full_name, strlen(bin->full_name));
        bin->unsure = naming->unsure;
        bin->type = naming->type;
        bins->unsure += naming->unsure;
        return 0;
    }
    free(bin->full_name);
    free(bin->short_name);
    bin->full_name = bin->short_name = NULL;
    return result;
}

/* Debugging information comes later than the blocks. */
static int name_again(struct bins *bins, struct naming *naming)
{
    int code = 0;
    bins->unsure = 0;
    for (uint32_t id = 1; id <= bins->named && !code; id++) {
        struct bin *bin = &bins->at[id];
        if (!bin->unsure)
            continue;
        free(bin->full_name);
        free(bin->short_name);
        bin->full_name = bin->short_name = NULL;
        code = name_bin(bins, id, naming);
    }
    return code;
}

void bins_ask_again(struct bins *bins)
{
    bins->ask_again = true;
}

int bins_update_names(struct bins *bins, const struct wrappers *wrappers,
                      const struct bin_rules *rules, bins_namer *namer, bins_assigned *assigned,
                      void *context)
{
    struct naming naming = {
        .wrappers = wrappers, .namer = namer, .assigned = assigned, .context = context};
    bool again = bins->unsure && bins->ask_again;
    bins->ask_again = false;
    if (bins->named == bins->count && !again)
        return 0;
    if (again && name_again(bins, &naming))
        return -ENOMEM;
    for (; bins->named < bins->count; bins->named++)
        if (name_bin(bins, bins->named + 1, &naming))
            return -ENOMEM;
    return bins_regroup(bins, rules);
}
