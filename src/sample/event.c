/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/event.h"

#include "base/text.h"
#include "sample/sysfs_event.h"

#include <ctype.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>

struct alias {
    const char *name;
    enum event_role role;
    /* Tried in order; what the CPU at hand lacks is passed over by libpfm4. Intel's names
     * since Skylake, before it, AMD's since Zen 4, Zen 3, then perf's generic ones. */
    const char *candidates[8];
};

static const struct alias aliases[] = {
    {"l1-miss",
     EVENT_MISS_L1,
     {"MEM_LOAD_RETIRED:L1_MISS", "MEM_LOAD_UOPS_RETIRED:L1_MISS",
      "PERF_COUNT_HW_CACHE_L1D:READ:MISS"}},
    {"l2-miss",
     EVENT_MISS_L2,
     {"MEM_LOAD_RETIRED:L2_MISS", "MEM_LOAD_UOPS_RETIRED:L2_MISS",
      /* On AMD the generic event counts misses of the L2 (doc/facts.md); on Intel, of the L3. */
      "PERF_COUNT_HW_CACHE_MISSES"}},
    {"mem-fill",
     EVENT_MEM_FILL,
     {"MEM_LOAD_RETIRED:L3_MISS", "MEM_LOAD_UOPS_RETIRED:L3_MISS",
      "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_NEAR:DRAM_IO_FAR",
      "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_LCL:MEM_IO_RMT", "PERF_COUNT_HW_CACHE_LL:READ:MISS",
      "PERF_COUNT_HW_CACHE_MISSES"}},
    {"stall",
     EVENT_STALL,
     {"CYCLE_ACTIVITY:STALLS_MEM_ANY", "CYCLE_ACTIVITY:STALLS_LDM_PENDING",
      "PERF_COUNT_HW_CPU_CYCLES"}},
    {"access",
     EVENT_ACCESS,
     /* Loads, as the misses are of loads; where nothing else is there, instructions, of which those
      * that access memory count (event_counts_instructions()). */
     {"MEM_INST_RETIRED:ALL_LOADS", "MEM_UOPS_RETIRED:ALL_LOADS", "LS_DISPATCH:LD_DISPATCH",
      "PERF_COUNT_HW_CACHE_L1D:READ:ACCESS", "PERF_COUNT_HW_INSTRUCTIONS"}},
};

enum { ALIASES = sizeof aliases / sizeof *aliases };

const char *const *event_aliases(void)
{
    static const char *const names[] = {"l1-miss", "l2-miss", "mem-fill", "stall", "access", NULL};
    return names;
}

bool event_is_software(const struct event *event)
{
    return event->type == PERF_TYPE_SOFTWARE;
}

/* Not one of libpfm4's codes: the string asks for more than user mode. */
enum { ENCODE_NOT_USER = -1000 };

/* 0 or a negative code, libpfm4's or ours. User mode only: misstop asks for no more. */
static int encode_by_libpfm(struct event *event, const char *string)
{
    struct perf_event_attr attr = {.size = sizeof attr};
    char *full = NULL;
    pfm_perf_encode_arg_t argument = {.attr = &attr, .fstr = &full, .size = sizeof argument};
    if (pfm_initialize() != PFM_SUCCESS)
        return PFM_ERR_NOINIT;
    int code = pfm_get_os_event_encoding(string, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &argument);
    if (code == PFM_SUCCESS && attr.exclude_user)
        code = ENCODE_NOT_USER;
    if (code == PFM_SUCCESS) {
        event->type = attr.type;
        event->config = attr.config;
        event->config1 = attr.config1;
        event->config2 = attr.config2;
        event->precise_ip = (uint8_t)attr.precise_ip;
        snprintf(event->encoded, sizeof event->encoded, "%s", full ? full : string);
    }
    free(full);
    return code;
}

static bool is_cache_misses(const struct event *event)
{
    return event->type == PERF_TYPE_HARDWARE && event->config == PERF_COUNT_HW_CACHE_MISSES;
}

static enum event_role role_of(const struct event *event)
{
    if (event->type == PERF_TYPE_SOFTWARE &&
        (event->config == PERF_COUNT_SW_CPU_CLOCK || event->config == PERF_COUNT_SW_TASK_CLOCK))
        return EVENT_STALL;
    if (event->type == PERF_TYPE_HARDWARE && event->config == PERF_COUNT_HW_CPU_CYCLES)
        return EVENT_STALL;
    if (is_cache_misses(event))
        return EVENT_MISS_L2;
    if (event->type == PERF_TYPE_HW_CACHE && event->config == 0x10000) /* L1D, read, miss */
        return EVENT_MISS_L1;
    if (event->type == PERF_TYPE_HW_CACHE && !event->config) /* L1D, read, access */
        return EVENT_ACCESS;
    if (event->type == PERF_TYPE_HARDWARE && event->config == PERF_COUNT_HW_INSTRUCTIONS)
        return EVENT_ACCESS;
    return EVENT_OTHER;
}

/* Levels are worked out from what missed where: an event of the wrong level would be a lie. On
 * Intel the generic cache-misses are those of the last level (SDM 3, LLC Misses). */
static bool fits(const struct event *event, const struct kernel *kernel)
{
    return event->role != EVENT_MISS_L2 || !is_cache_misses(event) ||
           !kernel_vendor(kernel, "GenuineIntel");
}

static int encode_alias(struct event *event, const struct alias *alias, unsigned skip,
                        const struct kernel *kernel, struct error *error)
{
    event->role = alias->role;
    for (size_t i = 0; i < sizeof alias->candidates / sizeof *alias->candidates; i++)
        if (alias->candidates[i] && !encode_by_libpfm(event, alias->candidates[i]) &&
            fits(event, kernel) && !skip--)
            return 0;
    return error_set(error, -ENOENT,
                     "this CPU has no event for %s that its kernel opens; name one with -e "
                     "(perf list shows them)",
                     alias->name);
}

/* "r0843": config of the CPU's own PMU in hexadecimal, as perf writes it. */
static bool encode_raw(struct event *event, const char *name)
{
    char *end;
    if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
        return false;
    uint64_t config = strtoull(name + 1, &end, 16);
    if (*end)
        return false;
    event->type = PERF_TYPE_RAW;
    event->config = config;
    snprintf(event->encoded, sizeof event->encoded, "%s", name);
    return true;
}

struct nearest {
    const char *name;
    unsigned distance;
};

static void offer(struct nearest *best, size_t count, const char *wanted, const char *name)
{
    struct nearest next = {name, text_distance(wanted, name)};
    for (size_t i = 0; i < count; i++) {
        if (best[i].name && !strcmp(best[i].name, next.name))
            return;
        if (!best[i].name || next.distance < best[i].distance) {
            struct nearest pushed = best[i];
            best[i] = next;
            next = pushed;
        }
        if (!next.name)
            return;
    }
}

static void offer_libpfm(struct nearest *best, size_t count, const char *wanted)
{
    pfm_pmu_t pmu;
    for (pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
        pfm_pmu_info_t about = {.size = sizeof about};
        if (pfm_get_pmu_info(pmu, &about) != PFM_SUCCESS || !about.is_present)
            continue;
        for (int i = about.first_event; i != -1; i = pfm_get_event_next(i)) {
            pfm_event_info_t info = {.size = sizeof info};
            if (pfm_get_event_info(i, PFM_OS_PERF_EVENT_EXT, &info) == PFM_SUCCESS) {
                offer(best, count, wanted, info.name);
                if (info.equiv)
                    offer(best, count, wanted, info.equiv);
            }
        }
    }
}

static int say_nearest(const char *word, int why, struct error *error)
{
    enum { OFFERED = 3 };
    struct nearest best[OFFERED] = {{0}};
    char name[sizeof((struct event *)0)->name];
    text_sanitise(name, sizeof name, word, strlen(word));
    /* Names perf knows by heart; libpfm4 spells some of them in capitals only. */
    static const char *const common[] = {"cache-misses", "cpu-clock",    "page-faults",
                                         "cycles",       "instructions", "L1-dcache-load-misses"};
    for (size_t i = 0; i < ALIASES; i++)
        offer(best, OFFERED, name, aliases[i].name);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        offer(best, OFFERED, name, common[i]);
    offer_libpfm(best, OFFERED, name);
    return error_set(error, -EINVAL, "no event '%s' (%s); did you mean %s, %s or %s?", name,
                     pfm_strerror(why), best[0].name, best[1].name, best[2].name);
}

/*
 * Generic events of a hybrid go to cpu_core; in the upper half of config stands the PMU that
 * shall count them instead (perf_event.h, PERF_PMU_TYPE_SHIFT).
 */
static void add_twins(struct event *event, const struct kernel *kernel)
{
    if (event->type != PERF_TYPE_HARDWARE && event->type != PERF_TYPE_HW_CACHE)
        return;
    for (const char *const *pmu = event_twin_pmus(); *pmu; pmu++) {
        long type = sysfs_pmu_type(kernel, *pmu);
        if (type >= 0)
            event->twins[event->twin_count++] =
                (struct event_twin){event->type, event->config | (uint64_t)type << 32, 0};
    }
}

const char *const *event_twin_pmus(void)
{
    static const char *const pmus[EVENT_TWINS_MAX + 1] = {"cpu_atom", "cpu_lowpower", NULL};
    return pmus;
}

static int encode_name(struct event *event, unsigned skip, const struct kernel *kernel,
                       struct error *error)
{
    for (size_t i = 0; i < ALIASES; i++)
        if (!strcmp(event->name, aliases[i].name))
            return encode_alias(event, &aliases[i], skip, kernel, error);
    if (skip)
        return error_set(error, -ENOENT, "no other way to count %s", event->name);
    if (strchr(event->name, '/'))
        return sysfs_event_encode(event, kernel, error);
    if (encode_raw(event, event->name))
        return 0;
    int code = encode_by_libpfm(event, event->name);
    if (code == ENCODE_NOT_USER)
        return error_set(error, -EINVAL,
                         "%s: misstop samples user mode only; leave the modifier "
                         "out or take :u",
                         event->name);
    if (code != PFM_SUCCESS)
        return say_nearest(event->name, code, error);
    event->role = role_of(event);
    if (!fits(event, kernel))
        event->role = EVENT_OTHER;
    return 0;
}

int event_encode(struct event *event, const char *name, size_t name_size, unsigned skip,
                 const struct kernel *kernel, struct error *error)
{
    *event = (struct event){.role = EVENT_OTHER};
    if (!name_size || name_size >= sizeof event->name)
        return error_set(error, -EINVAL, "an event name is empty or longer than %zu characters",
                         sizeof event->name - 1);
    memcpy(event->name, name, name_size);
    int code = encode_name(event, skip, kernel, error);
    if (!code)
        add_twins(event, kernel);
    return code;
}

bool event_next_word(const char **list, const char **word, size_t *word_size)
{
    bool inside = false;
    const char *at = *list;
    if (!*at)
        return false;
    for (*word = at; *at && (*at != ',' || inside); at++)
        inside ^= *at == '/';
    *word_size = (size_t)(at - *word);
    *list = *at ? at + 1 : at;
    return true;
}

void event_describe_pmus(FILE *out)
{
    pfm_pmu_t pmu;
    if (pfm_initialize() != PFM_SUCCESS) {
        fprintf(out, "  libpfm4 does not know this CPU\n");
        return;
    }
    int version = pfm_get_version();
    fprintf(out, "  libpfm4 %d.%d\n", PFM_MAJ_VERSION(version), PFM_MIN_VERSION(version));
    for (pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
        pfm_pmu_info_t about = {.size = sizeof about};
        if (pfm_get_pmu_info(pmu, &about) == PFM_SUCCESS && about.is_present)
            fprintf(out, "  %s: %s, %d events\n", about.name, about.desc, about.nevents);
    }
}
