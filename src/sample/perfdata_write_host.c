/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata_write_host.h"

#include "base/clock.h"
#include "base/text.h"
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

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

static void put_version(struct perfdata_sections *sections)
{
    put_text(sections, FEATURE_VERSION, PACKAGE_NAME " " PACKAGE_VERSION);
}

/* The value of "name<tabs>: value"; empty if there is no such line. */
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

/* Ours: the arguments with NULs between them. */
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

/* Which clock the times of samples are of, and what the wall's said at one of its moments. */
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
    put_version(sections);
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
        perfdata_bytes_string(section, ""); /* of which CPUs is not kept */
    }
}

void perfdata_host_copy(struct perfdata_sections *sections, const struct perfdata_machine *machine)
{
    put_text(sections, FEATURE_HOSTNAME, machine->host);
    put_text(sections, FEATURE_OSRELEASE, machine->os_release);
    put_version(sections);
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
