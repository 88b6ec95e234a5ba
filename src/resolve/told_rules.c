/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user wants bins of told.c called and combined, kept in a file of theirs. */
#include "resolve/told.h"

#include "resolve/rc.h"

#include <errno.h>

void told_load_rules(struct told *told)
{
    struct error unread;
    wrappers_init(&told->wrappers);
    bin_rules_init(&told->rules);
    wrappers_add_settings(&told->wrappers);
    if (rc_path(told->rules_path, sizeof told->rules_path, "bins"))
        told->rules_path[0] = '\0';
    else if (bin_rules_load(&told->rules, told->rules_path, &unread))
        told->rules_path[0] = '\0'; /* not ours to write over */
}

/* Rules are about full names; a change is kept at once, for misstop may be killed. */
static int keep_rules(struct told *told)
{
    struct error unwritten;
    int code = bins_regroup(told->bins, &told->rules);
    if (told->rules_path[0])
        bin_rules_save(&told->rules, told->rules_path, &unwritten);
    told_list_leads(told);
    return code;
}

static const char *full_name(const struct told *told, uint32_t bin)
{
    struct bin_info info;
    return bins_info(told->bins, bin, &info) ? info.full_name : NULL;
}

int told_rename(struct told *told, uint32_t bin, const char *name)
{
    const char *full = full_name(told, bin);
    int code = full ? bin_rules_rename(&told->rules, full, name) : -ENOENT;
    return code ? code : keep_rules(told);
}

int told_combine(struct told *told, const uint32_t *bins, uint32_t count)
{
    int code = count > 1 ? 0 : -EINVAL;
    uint32_t before = told->rules.count;
    bin_rules_begin_step(&told->rules);
    for (uint32_t i = 1; i < count && !code; i++) {
        const char *into = full_name(told, bins[0]);
        const char *from = full_name(told, bins[i]);
        code = into && from ? bin_rules_combine(&told->rules, into, from) : -ENOENT;
    }
    bin_rules_end_step(&told->rules);
    if (code && told->rules.count > before)
        bin_rules_undo(&told->rules);
    return code ? code : keep_rules(told);
}

int told_undo(struct told *told)
{
    return bin_rules_undo(&told->rules) ? keep_rules(told) : -ENOENT;
}
