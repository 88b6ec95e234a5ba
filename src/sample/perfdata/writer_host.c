/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "config.h"
#include "sample/perfdata/writer_state.h"

/* Describes cores, nodes, caches and PMUs of this machine, from /sys
 * (Documentation/ABI/testing/sysfs-devices-system-cpu). */

enum {
    LIST_BYTES = 256, /* "0-63,128-191" */
    LISTS_MAX = 4096, /* groups of CPUs: at most one per CPU */
    CACHE_INDEX_MAX = 10,
    NODES_MAX = 1024,
    PMUS_MAX = 512,
    BLOCKS_MAX = 1 << 17, /* memory blocks: 16 TiB of the smallest */
    UNKNOWN_ID = -1       /* a CPU that is offline */
};

/* Writes the number of entries to its place. Without entries, removes the section. */
static void put_count(struct perfdata_bytes *section, size_t at, const void *count, size_t bytes,
                      bool any)
{
    if (any && !section->failed)
        memcpy(section->at + at, count, bytes);
    else
        perfdata_bytes_clear(section);
}

struct lists {
    char (*texts)[LIST_BYTES];
    unsigned count;
};

static void lists_add_unique(struct lists *lists, const char *text)
{
    for (unsigned i = 0; i < lists->count; i++)
        if (!strcmp(lists->texts[i], text))
            return;
    if (lists->texts && lists->count < LISTS_MAX)
        snprintf(lists->texts[lists->count++], LIST_BYTES, "%s", text);
}

static bool cpu_text(const struct kernel *kernel, unsigned cpu, const char *name,
                     char out[LIST_BYTES])
{
    char path[128];
    snprintf(path, sizeof path, "devices/system/cpu/cpu%u/%s", cpu, name);
    return kernel_text(kernel->sysfs, path, out, LIST_BYTES);
}

static uint32_t cpu_number(const struct kernel *kernel, unsigned cpu, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "devices/system/cpu/cpu%u/%s", cpu, name);
    return (uint32_t)kernel_number(kernel->sysfs, path, UNKNOWN_ID);
}

/* Puts the distinct groups of CPUs, by the newer or older of two file names. */
static void put_groups(struct perfdata_bytes *section, const struct kernel *kernel, unsigned cpus,
                       const char *newer, const char *older)
{
    char text[LIST_BYTES];
    struct lists lists = {malloc(LISTS_MAX * sizeof *lists.texts), 0};
    for (unsigned cpu = 0; cpu < cpus; cpu++)
        if (cpu_text(kernel, cpu, newer, text) || cpu_text(kernel, cpu, older, text))
            lists_add_unique(&lists, text);
    perfdata_bytes_u32(section, lists.count);
    for (unsigned i = 0; i < lists.count; i++)
        perfdata_bytes_string(section, lists.texts[i]);
    free(lists.texts);
}

static void perfdata_host_topology(struct perfdata_sections *sections, const struct kernel *kernel,
                                   unsigned cpus)
{
    struct perfdata_bytes *section = &sections->of[FEATURE_CPU_TOPOLOGY];
    char text[LIST_BYTES];
    if (!cpu_text(kernel, 0, "topology/core_id", text))
        return;
    put_groups(section, kernel, cpus, "topology/package_cpus_list", "topology/core_siblings_list");
    put_groups(section, kernel, cpus, "topology/core_cpus_list", "topology/thread_siblings_list");
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        perfdata_bytes_u32(section, cpu_number(kernel, cpu, "topology/core_id"));
        perfdata_bytes_u32(section, cpu_number(kernel, cpu, "topology/physical_package_id"));
    }
    if (!cpu_text(kernel, 0, "topology/die_cpus_list", text)) /* Linux 5.2 */
        return;
    put_groups(section, kernel, cpus, "topology/die_cpus_list", "topology/die_cpus_list");
    for (unsigned cpu = 0; cpu < cpus; cpu++)
        perfdata_bytes_u32(section, cpu_number(kernel, cpu, "topology/die_id"));
}

static bool cache_text(const struct kernel *kernel, unsigned cpu, unsigned index, const char *name,
                       char out[LIST_BYTES])
{
    char path[64];
    snprintf(path, sizeof path, "cache/index%u/%s", index, name);
    return cpu_text(kernel, cpu, path, out);
}

static uint32_t cache_number(const struct kernel *kernel, unsigned cpu, unsigned index,
                             const char *name)
{
    char text[LIST_BYTES];
    return cache_text(kernel, cpu, index, name, text) ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

/* Puts one cache, unless an earlier CPU that shares it has already put it. Returns false if there
 * is no such index. */
static bool put_cache(struct perfdata_bytes *section, const struct kernel *kernel, unsigned cpu,
                      unsigned index, uint32_t *count)
{
    char type[LIST_BYTES], size[LIST_BYTES], shared[LIST_BYTES];
    if (!cache_text(kernel, cpu, index, "type", type))
        return false;
    if (!cache_text(kernel, cpu, index, "size", size) ||
        !cache_text(kernel, cpu, index, "shared_cpu_list", shared) ||
        strtoul(shared, NULL, 10) != cpu)
        return true;
    perfdata_bytes_u32(section, cache_number(kernel, cpu, index, "level"));
    perfdata_bytes_u32(section, cache_number(kernel, cpu, index, "coherency_line_size"));
    perfdata_bytes_u32(section, cache_number(kernel, cpu, index, "number_of_sets"));
    perfdata_bytes_u32(section, cache_number(kernel, cpu, index, "ways_of_associativity"));
    perfdata_bytes_string(section, type);
    perfdata_bytes_string(section, size);
    perfdata_bytes_string(section, shared);
    ++*count;
    return true;
}

static void perfdata_host_caches(struct perfdata_bytes *section, const struct kernel *kernel,
                                 unsigned cpus)
{
    uint32_t count = 0;
    perfdata_bytes_u32(section, FEATURE_CACHE_VERSION);
    perfdata_bytes_u32(section, 0);
    for (unsigned cpu = 0; cpu < cpus; cpu++)
        for (unsigned index = 0; index < CACHE_INDEX_MAX; index++)
            if (!put_cache(section, kernel, cpu, index, &count))
                break;
    put_count(section, sizeof count, &count, sizeof count, count);
}

/* Parses "Node 0 MemTotal:  8000 kB". */
static uint64_t node_memory_kb(const struct kernel *kernel, unsigned node, const char *what)
{
    char path[128];
    char line[256];
    char name[32];
    unsigned long long kb = 0, found = 0;
    snprintf(path, sizeof path, "%s/devices/system/node/node%u/meminfo", kernel->sysfs, node);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Node %*u %31s %llu", name, &kb) == 2 && !strcmp(name, what))
            found = kb;
    if (file)
        fclose(file);
    return found;
}

static void perfdata_host_nodes(struct perfdata_bytes *section, const struct kernel *kernel)
{
    char path[64];
    char cpus[LIST_BYTES];
    uint32_t count = 0;
    perfdata_bytes_u32(section, 0);
    for (unsigned node = 0; node < NODES_MAX; node++) {
        snprintf(path, sizeof path, "devices/system/node/node%u/cpulist", node);
        if (!kernel_text(kernel->sysfs, path, cpus, sizeof cpus))
            continue;
        perfdata_bytes_u32(section, node);
        perfdata_bytes_u64(section, node_memory_kb(kernel, node, "MemTotal:"));
        perfdata_bytes_u64(section, node_memory_kb(kernel, node, "MemFree:"));
        perfdata_bytes_string(section, cpus);
        count++;
    }
    put_count(section, 0, &count, sizeof count, count);
}

/* Sets the bits of the memory blocks of a node. Returns one past the highest. */
static uint64_t find_blocks(const struct kernel *kernel, unsigned node,
                            uint64_t bits[BLOCKS_MAX / 64])
{
    char path[512];
    struct dirent *entry;
    uint64_t past = 0;
    unsigned long block;
    snprintf(path, sizeof path, "%s/devices/system/node/node%u", kernel->sysfs, node);
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder)))
        if (sscanf(entry->d_name, "memory%lu", &block) == 1 && block < BLOCKS_MAX) {
            bits[block / 64] |= UINT64_C(1) << block % 64;
            past = block >= past ? block + 1 : past;
        }
    if (folder)
        closedir(folder);
    return past;
}

/* Puts the memory blocks of the nodes, by which perf c2c finds the node of a physical address. */
static void perfdata_host_memory(struct perfdata_bytes *section, const struct kernel *kernel)
{
    char block_bytes[LIST_BYTES];
    uint64_t count = 0;
    enum { COUNT_AT = 16 };
    if (!kernel_text(kernel->sysfs, "devices/system/memory/block_size_bytes", block_bytes,
                     sizeof block_bytes))
        return;
    perfdata_bytes_u64(section, FEATURE_MEM_TOPOLOGY_VERSION);
    perfdata_bytes_u64(section, strtoull(block_bytes, NULL, 16));
    perfdata_bytes_u64(section, 0);
    for (unsigned node = 0; node < NODES_MAX; node++) {
        uint64_t bits[BLOCKS_MAX / 64] = {0};
        uint64_t past = find_blocks(kernel, node, bits);
        if (!past)
            continue;
        perfdata_bytes_u64(section, node);
        perfdata_bytes_u64(section, past);
        perfdata_bytes_u64(section, past); /* repeated before the bits */
        perfdata_bytes_put(section, bits, (past + 63) / 64 * sizeof *bits);
        count++;
    }
    put_count(section, COUNT_AT, &count, sizeof count, count);
}

static void perfdata_host_pmus(struct perfdata_bytes *section, const struct kernel *kernel)
{
    char path[512];
    struct dirent *entry;
    uint32_t count = 0;
    snprintf(path, sizeof path, "%s/bus/event_source/devices", kernel->sysfs);
    DIR *folder = opendir(path);
    perfdata_bytes_u32(section, 0);
    while (folder && count < PMUS_MAX && (entry = readdir(folder))) {
        snprintf(path, sizeof path, "bus/event_source/devices/%s/type", entry->d_name);
        long type = entry->d_name[0] == '.' ? -1 : kernel_number(kernel->sysfs, path, -1);
        if (type < 0)
            continue;
        perfdata_bytes_u32(section, (uint32_t)type);
        perfdata_bytes_string(section, entry->d_name);
        count++;
    }
    if (folder)
        closedir(folder);
    put_count(section, 0, &count, sizeof count, count);
}

enum { ARGUMENTS_MAX = 1024 };

void perfdata_sections_fini(struct perfdata_sections *sections)
{
    for (unsigned i = 0; i < FEATURE_COUNT; i++)
        perfdata_bytes_fini(&sections->of[i]);
}

static void put_text(struct perfdata_sections *sections, enum feature feature, const char *text)
{
    if (*text)
        perfdata_bytes_string(&sections->of[feature], text);
}

/* Finds the value of "name<tabs>: value"; empty if there is no such line. */
static void cpuinfo_value(const char *text, const char *name, char *out, size_t out_size)
{
    const char *at = text;
    size_t length = strlen(name);
    *out = '\0';
    while (at && (strncmp(at, name, length) || (at[length] != '\t' && at[length] != ':')))
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    at = at ? strchr(at, ':') : NULL;
    if (!at)
        return;
    at += 1 + (at[1] == ' ');
    text_sanitise(out, out_size, at, strcspn(at, "\n"));
}

static void put_cpu(struct perfdata_sections *sections, const struct kernel *kernel)
{
    char text[4096];
    char path[64];
    char vendor[32], family[16], model[16], stepping[16], name[128], id[96];
    snprintf(path, sizeof path, "%s/cpuinfo", kernel->procfs);
    if (text_read_file(path, text, sizeof text) <= 0)
        return;
    cpuinfo_value(text, "model name", name, sizeof name);
    cpuinfo_value(text, "vendor_id", vendor, sizeof vendor);
    cpuinfo_value(text, "cpu family", family, sizeof family);
    cpuinfo_value(text, "model", model, sizeof model);
    cpuinfo_value(text, "stepping", stepping, sizeof stepping);
    put_text(sections, FEATURE_CPUDESC, name);
    snprintf(id, sizeof id, "%s,%s,%s,%s", vendor, family, model, stepping);
    if (*vendor && *family && *model && *stepping)
        put_text(sections, FEATURE_CPUID, id);
}

static void put_memory(struct perfdata_sections *sections, const struct kernel *kernel)
{
    char text[4096];
    char path[64];
    unsigned long long kb;
    snprintf(path, sizeof path, "%s/meminfo", kernel->procfs);
    if (text_read_file(path, text, sizeof text) > 0 && sscanf(text, "MemTotal: %llu kB", &kb) == 1)
        perfdata_bytes_u64(&sections->of[FEATURE_TOTAL_MEM], kb);
}

/* Puts misstop's command line: arguments separated by NULs. */
static void put_command(struct perfdata_bytes *section, const struct kernel *kernel)
{
    char text[16384];
    char path[64];
    uint32_t count = 0;
    snprintf(path, sizeof path, "%s/self/cmdline", kernel->procfs);
    long got = text_read_file(path, text, sizeof text);
    for (long at = 0; at < got && count < ARGUMENTS_MAX; at += (long)strlen(text + at) + 1)
        count++;
    if (!count)
        return;
    perfdata_bytes_u32(section, count);
    for (long at = 0; count--; at += (long)strlen(text + at) + 1)
        perfdata_bytes_string(section, text + at);
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Puts the clock of the samples, and the wall clock at one of its moments. */
static void put_clock(struct perfdata_sections *sections)
{
    struct perfdata_bytes *data = &sections->of[FEATURE_CLOCK_DATA];
    struct timespec step;
    if (clock_getres(CLOCK_MONOTONIC, &step))
        return;
    perfdata_bytes_u64(&sections->of[FEATURE_CLOCKID],
                       (uint64_t)step.tv_sec * CLOCK_NS_PER_S + (uint64_t)step.tv_nsec);
    perfdata_bytes_u32(data, FEATURE_CLOCK_DATA_VERSION);
    perfdata_bytes_u32(data, CLOCK_MONOTONIC);
    perfdata_bytes_u64(data, clock_ns(CLOCK_REALTIME));
    perfdata_bytes_u64(data, clock_ns(CLOCK_MONOTONIC));
}

static void put_cpus(struct perfdata_sections *sections, uint32_t available, uint32_t online)
{
    perfdata_bytes_u32(&sections->of[FEATURE_NRCPUS], available);
    perfdata_bytes_u32(&sections->of[FEATURE_NRCPUS], online);
}

void perfdata_host_describe(struct perfdata_sections *sections, const struct kernel *kernel)
{
    struct utsname name;
    long available = sysconf(_SC_NPROCESSORS_CONF);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (!uname(&name)) {
        put_text(sections, FEATURE_HOSTNAME, name.nodename);
        put_text(sections, FEATURE_OSRELEASE, name.release);
        put_text(sections, FEATURE_ARCH, name.machine);
    }
    put_text(sections, FEATURE_VERSION, PACKAGE_NAME " " PACKAGE_VERSION);
    put_cpu(sections, kernel);
    put_memory(sections, kernel);
    put_command(&sections->of[FEATURE_CMDLINE], kernel);
    put_clock(sections);
    perfdata_host_nodes(&sections->of[FEATURE_NUMA_TOPOLOGY], kernel);
    perfdata_host_memory(&sections->of[FEATURE_MEM_TOPOLOGY], kernel);
    perfdata_host_pmus(&sections->of[FEATURE_PMU_MAPPINGS], kernel);
    if (available <= 0 || online <= 0)
        return;
    put_cpus(sections, (uint32_t)available, (uint32_t)online);
    perfdata_host_topology(sections, kernel, (unsigned)available);
    perfdata_host_caches(&sections->of[FEATURE_CACHE], kernel, (unsigned)available);
}

static void copy_caches(struct perfdata_bytes *section, const struct perfdata_machine *machine)
{
    if (!machine->cache_count)
        return;
    perfdata_bytes_u32(section, FEATURE_CACHE_VERSION);
    perfdata_bytes_u32(section, machine->cache_count);
    for (unsigned i = 0; i < machine->cache_count; i++) {
        const struct perfdata_cache *cache = &machine->caches[i];
        perfdata_bytes_u32(section, cache->level);
        perfdata_bytes_u32(section, cache->line_bytes);
        perfdata_bytes_u32(section, cache->sets);
        perfdata_bytes_u32(section, cache->ways);
        perfdata_bytes_string(section, cache->type);
        perfdata_bytes_string(section, cache->size);
        perfdata_bytes_string(section, ""); /* its list of CPUs is not kept */
    }
}

void perfdata_host_copy(struct perfdata_sections *sections, const struct perfdata_machine *machine)
{
    put_text(sections, FEATURE_HOSTNAME, machine->host);
    put_text(sections, FEATURE_OSRELEASE, machine->os_release);
    put_text(sections, FEATURE_VERSION, PACKAGE_NAME " " PACKAGE_VERSION);
    put_text(sections, FEATURE_ARCH, machine->architecture);
    put_text(sections, FEATURE_CPUDESC, machine->cpu);
    put_text(sections, FEATURE_CPUID, machine->cpuid);
    if (machine->cpus_available)
        put_cpus(sections, machine->cpus_available, machine->cpus_online);
    if (machine->memory_kb)
        perfdata_bytes_u64(&sections->of[FEATURE_TOTAL_MEM], machine->memory_kb);
    if (*machine->command) {
        perfdata_bytes_u32(&sections->of[FEATURE_CMDLINE], 1);
        perfdata_bytes_string(&sections->of[FEATURE_CMDLINE], machine->command);
    }
    copy_caches(&sections->of[FEATURE_CACHE], machine);
}
