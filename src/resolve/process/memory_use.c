/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/process/memory_use.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"

void memory_use_init(struct memory_use_of *use, pid_t pid)
{
    *use =
        (struct memory_use_of){.pid = pid, .faults_per_s = NAN, .cpus = NAN, .kernel_share = NAN};
    use->tlb_entries = pid ? tlb_entries() : 0;
}

void memory_use_tick(struct memory_use_of *use, const struct process_stat *stat, uint64_t now_ns)
{
    if (now_ns <= use->ticked_ns)
        return;
    if (use->ticked_ns && stat->minor_faults >= use->faults && stat->cpu_ticks > use->cpu_ticks &&
        stat->system_ticks >= use->system_ticks) {
        use->faults_per_s = (double)(stat->minor_faults - use->faults) * CLOCK_NS_PER_S /
                            (double)(now_ns - use->ticked_ns);
        use->cpus = (double)(stat->cpu_ticks - use->cpu_ticks) / (double)sysconf(_SC_CLK_TCK) *
                    CLOCK_NS_PER_S / (double)(now_ns - use->ticked_ns);
        use->kernel_share = (double)(stat->system_ticks - use->system_ticks) /
                            (double)(stat->cpu_ticks - use->cpu_ticks);
    }
    use->ticked_ns = now_ns;
    use->faults = stat->minor_faults;
    use->cpu_ticks = stat->cpu_ticks;
    use->system_ticks = stat->system_ticks;
}

/* Huge pages */

static struct memory_use_mapping *smallest_mapping(struct memory_use_mapping *mappings,
                                                   size_t count)
{
    struct memory_use_mapping *found = &mappings[0];
    for (size_t i = 1; i < count; i++)
        if (mappings[i].resident_kib < found->resident_kib)
            found = &mappings[i];
    return found;
}

static void memory_use_keep(struct memory_use_mapping *mappings, size_t *count,
                            const struct memory_use_mapping *mapping)
{
    if (!mapping->resident_kib)
        return;
    if (*count < MEMORY_USE_MAPPINGS) {
        mappings[(*count)++] = *mapping;
        return;
    }
    struct memory_use_mapping *least = smallest_mapping(mappings, *count);
    if (mapping->resident_kib > least->resident_kib)
        *least = *mapping;
}

/* Names in smaps are escaped, so every line starts with text of the kernel (fs/proc/task_mmu.c). */
size_t memory_use_parse(FILE *smaps, struct memory_use_mapping *mappings)
{
    struct memory_use_mapping one = {0};
    char line[256];
    size_t count = 0;
    bool begins = true;
    while (fgets(line, sizeof line, smaps)) {
        uint64_t start, end, kib;
        bool whole = strchr(line, '\n') != NULL;
        bool first = begins;
        begins = whole;
        if (!first) /* continuation of a long path */
            continue;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2) {
            memory_use_keep(mappings, &count, &one);
            one = (struct memory_use_mapping){.start = start, .end = end};
        } else if (sscanf(line, "Rss: %" SCNu64, &kib) == 1) {
            one.resident_kib += kib;
        } else if (sscanf(line, "AnonHugePages: %" SCNu64, &kib) == 1 ||
                   sscanf(line, "ShmemPmdMapped: %" SCNu64, &kib) == 1 ||
                   sscanf(line, "FilePmdMapped: %" SCNu64, &kib) == 1) {
            one.huge_kib += kib;
        } else if (sscanf(line, "Private_Hugetlb: %" SCNu64, &kib) == 1 ||
                   sscanf(line, "Shared_Hugetlb: %" SCNu64, &kib) == 1) {
            one.huge_kib += kib; /* Rss does not include hugetlbfs */
            one.resident_kib += kib;
        }
    }
    memory_use_keep(mappings, &count, &one);
    return count;
}

static void read_smaps(struct memory_use_of *use, uint64_t now_ns)
{
    char path[64];
    if (use->read_ns && now_ns < use->read_ns + MEMORY_USE_FRESH_NS)
        return;
    use->read_ns = now_ns;
    use->mapping_count = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps", (int)files_proc_tid(use->pid));
    FILE *smaps = fopen(path, "re");
    if (!smaps)
        return;
    use->mapping_count = memory_use_parse(smaps, use->mappings);
    fclose(smaps);
}

static double huge_share(const struct memory_use_of *use, uint64_t address)
{
    for (size_t i = 0; i < use->mapping_count; i++) {
        const struct memory_use_mapping *mapping = &use->mappings[i];
        if (address >= mapping->start && address < mapping->end)
            return (double)mapping->huge_kib / (double)mapping->resident_kib;
    }
    return NAN;
}

void memory_use_read(struct memory_use_of *use, uint64_t address, uint64_t now_ns,
                     struct memory_use *out)
{
    *out = (struct memory_use){NAN, NAN, NAN, NAN, 0};
    if (!use->pid)
        return;
    out->faults_per_s = use->faults_per_s;
    out->cpus = use->cpus;
    out->kernel_share = use->kernel_share;
    out->tlb_entries = use->tlb_entries;
    if (!address)
        return;
    read_smaps(use, now_ns);
    out->huge_share = huge_share(use, address);
}

static long ask_kernel(pid_t pid, unsigned long count, void **pages, const int *nodes, int *status,
                       int flags)
{
    return syscall(SYS_move_pages, pid, count, pages, nodes, status, flags);
}

/* Parses a CPU list, as in "0-3,8-11". */
static void parse_cpu_list(struct nodes *nodes, const char *list, int16_t node)
{
    char *end;
    for (const char *at = list; *at >= '0' && *at <= '9'; at = *end == ',' ? end + 1 : end) {
        unsigned long first = strtoul(at, &end, 10);
        unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        for (unsigned long cpu = first; cpu <= last && cpu < NODES_CPUS_MAX; cpu++)
            nodes->of_cpu[cpu] = node;
    }
}

static int read_node(struct nodes *nodes, unsigned node)
{
    char path[512];
    char list[4096];
    snprintf(path, sizeof path, "%s/node%u/cpulist", nodes->system.sysfs, node);
    FILE *in = fopen(path, "re");
    if (!in)
        return -1;
    if (fgets(list, sizeof list, in))
        parse_cpu_list(nodes, list, (int16_t)node);
    fclose(in);
    return 0;
}

/* Node numbers may have gaps if sockets are empty. */
void nodes_init(struct nodes *nodes, pid_t pid, const struct nodes_system *system)
{
    enum { HOLES_MAX = 64 };
    unsigned missing = 0;
    *nodes = (struct nodes){
        .pid = pid, .system = {.sysfs = "/sys/devices/system/node", .move_pages = ask_kernel}};
    if (system)
        nodes->system = *system;
    for (int i = 0; i < NODES_CPUS_MAX; i++)
        nodes->of_cpu[i] = -1;
    for (unsigned node = 0; node < NODES_MAX && missing < HOLES_MAX; node++)
        if (read_node(nodes, node))
            missing++;
        else
            nodes->count++;
}

int nodes_cpu(const struct nodes *nodes, uint32_t cpu)
{
    return nodes->count > 1 && cpu < NODES_CPUS_MAX ? nodes->of_cpu[cpu] : -1;
}

int nodes_page(const struct nodes *nodes, uint64_t address)
{
    void *page = (void *)(uintptr_t)(address & ~UINT64_C(4095));
    int status = -1;
    if (nodes->count < 2 || nodes->system.move_pages(nodes->pid, 1, &page, NULL, &status, 0))
        return -1;
    return status >= 0 ? status : -1;
}
