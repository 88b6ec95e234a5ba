/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the page of one function lists: gathered from the snapshot, the source files and the
 * process; declared in browser.h. */
#include "view/browser.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>

static bool add_site(struct browser *browser, const struct snapshot_object *object,
                     const struct snapshot_code *code)
{
    struct site *sites = array_more(browser->code.sites, &browser->code.site_capacity,
                                    browser->code.site_count, sizeof *sites, ARRAY_UNBOUNDED);
    if (!sites)
        return false;
    browser->code.sites = sites;
    struct site *site = &browser->code.sites[browser->code.site_count++];
    *site = (struct site){.code = code, .object = object};
    if (!browser->sources.instruction ||
        !browser->sources.instruction(browser->sources.context, code->address, site->text,
                                      sizeof site->text))
        site->text[0] = '\0';
    return true;
}

/* The snapshot lists code by object; a function's accesses are gathered from there. */
void function_gather_sites(struct browser *browser)
{
    const struct snapshot *snapshot = browser->snapshot;
    double all = 0;
    for (size_t i = 0; i < snapshot->object_count; i++)
        for (size_t k = 0; k < snapshot->objects[i].code_count; k++)
            if (snapshot->objects[i].code[k].id == browser->code.id &&
                !add_site(browser, &snapshot->objects[i], &snapshot->objects[i].code[k]))
                return;
    for (size_t i = 0; i < browser->code.site_count; i++)
        all += browser->code.sites[i].code->samples;
    for (size_t i = 0; i < browser->code.site_count; i++)
        browser->code.sites[i].share = all > 0 ? browser->code.sites[i].code->samples / all : NAN;
}

static const struct snapshot_instruction *hottest_of(const struct snapshot_code *code)
{
    const struct snapshot_instruction *hottest = NULL;
    for (size_t i = 0; i < code->instruction_count; i++)
        if (!hottest || instruction_samples(&code->instructions[i]) > instruction_samples(hottest))
            hottest = &code->instructions[i];
    return hottest;
}

/* The source line selected, or all of the function where no line is known. */
void function_gather_line(struct browser *browser)
{
    const struct snapshot_code *code = browser->code.function;
    const struct source_row *line = table_selected(&browser->code.source);
    const struct snapshot_instruction *hottest = NULL;
    uint64_t wanted = line ? source_identity(line->file, line->line) : 0;
    /* Each one is read from the process and disassembled: not again for every key. */
    if (!code || (browser->code.gathered && wanted == browser->code.gathered_line))
        return;
    browser->code.accesses.pinned &= wanted == browser->code.gathered_line;
    browser->code.gathered = true;
    browser->code.gathered_line = wanted;
    instruction_rows_make(&browser->code.instructions, code, line, &browser->sources);
    for (size_t i = 0; i < browser->code.instructions.count; i++) {
        const struct snapshot_instruction *one = browser->code.instructions.list[i].instruction;
        if (!hottest || instruction_samples(one) > instruction_samples(hottest))
            hottest = one;
    }
    table_set(&browser->code.accesses, browser->snapshot, browser->code.instructions.list,
              browser->code.instructions.count);
    if (hottest)
        table_prefer(&browser->code.accesses, hottest->address);
}

void function_gather(struct browser *browser)
{
    const struct snapshot_code *code = browser->code.function;
    const struct snapshot_instruction *hottest = hottest_of(code);
    source_rows_make(&browser->code.lines, code, &browser->sources);
    table_set(&browser->code.source, browser->snapshot, browser->code.lines.list,
              browser->code.lines.count);
    if (hottest)
        table_prefer(&browser->code.source, source_identity(hottest->file, hottest->line));
    function_gather_line(browser);
}
