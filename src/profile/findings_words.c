/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What findings are called; declared in snapshot_findings.h. */
#include "snapshot_findings.h"

const char *finding_kind_name(enum finding_kind kind)
{
    static const char *const names[FINDING_KIND_COUNT] = {
        "split",     "straddling", "false-sharing", "true-sharing", "conflict",
        "chasing",   "streaming",  "tlb",           "remote",       "scattered",
        "together",  "churn",      "waste",         "stack",        "first-touch",
        "tlb-reach", "columns",    "pushed-out",    "spinning",     "copying"};
    return (unsigned)kind < FINDING_KIND_COUNT ? names[kind] : "split";
}

const char *finding_kind_words(enum finding_kind kind)
{
    static const char *const words[FINDING_KIND_COUNT] = {
        "hot and cold fields", "straddles lines",  "false sharing", "true sharing",
        "set conflict",        "pointer chasing",  "streaming",     "page walks",
        "remote memory",       "scattered blocks", "used together", "allocation churn",
        "wasted memory",       "stack variable",   "first touch",   "beyond the TLB",
        "down columns",        "pushed out",       "spinning",      "copied"};
    return (unsigned)kind < FINDING_KIND_COUNT ? words[kind] : "";
}

const char *finding_sure_name(enum finding_sure sure)
{
    static const char *const names[] = {"perhaps", "likely", "sure"};
    return (unsigned)sure < 3 ? names[sure] : "perhaps";
}

const char *finding_page_name(enum finding_page page)
{
    static const char *const names[] = {"Detail", "Layout", "Sharing", "Sets", "Code", "Heap"};
    return (unsigned)page < 6 ? names[page] : "Detail";
}
