/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perf/event.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct alias {
    const char *name;
    enum event_role role;
    /* Tried in order; libpfm4 skips events that the CPU lacks. Intel's names since Skylake, before
     * Skylake, AMD's since Zen 4, Zen 3, then perf's generic events. */
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
      /* On AMD the generic event counts L2 misses (doc/facts.md), on Intel L3 misses. */
      "PERF_COUNT_HW_CACHE_MISSES"}},
    {"mem-fill",
     EVENT_MEM_FILL,
     {"MEM_LOAD_RETIRED:L3_MISS", "MEM_LOAD_UOPS_RETIRED:L3_MISS",
      "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_NEAR:DRAM_IO_FAR",
      "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_LCL:MEM_IO_RMT", "PERF_COUNT_HW_CACHE_LL:READ:MISS",
      "PERF_COUNT_HW_CACHE_MISSES"}},
    {"stall",
     EVENT_STALL,
     /* Stalled beyond L1, on AMD since Zen 4: the oldest instruction waits for a load that missed.
      * Falls back to all cycles if no event counts that. */
     {"CYCLE_ACTIVITY:STALLS_L1D_MISS", "CYCLE_ACTIVITY:STALLS_L1D_PENDING",
      "CYCLES_NO_RETIRE:NOT_COMPLETE_MISSING_LOAD", "PERF_COUNT_HW_CPU_CYCLES"}},
    {"cycles",
     EVENT_TIME,
     {"PERF_COUNT_HW_CPU_CYCLES", "UNHALTED_CORE_CYCLES", "CYCLES_NOT_IN_HALT"}},
    {"access",
     EVENT_ACCESS,
     /* Loads, because the miss events count loads. The last candidate counts instructions; those
      * that access memory are accesses (event_counts_instructions()). */
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

bool event_is_clock(const struct event *event)
{
    return event_is_software(event) && event->role == EVENT_TIME;
}

/* Not a code of libpfm4: the string requests more than user mode. */
enum { ENCODE_NOT_USER = -1000 };

/* Returns 0 or a negative code, libpfm4's or ours. Requests user mode only. */
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

static bool is_cycles(const struct event *event)
{
    return event->type == PERF_TYPE_HARDWARE && event->config == PERF_COUNT_HW_CPU_CYCLES;
}

static enum event_role role_of(const struct event *event)
{
    if (event->type == PERF_TYPE_SOFTWARE &&
        (event->config == PERF_COUNT_SW_CPU_CLOCK || event->config == PERF_COUNT_SW_TASK_CLOCK))
        return EVENT_TIME;
    if (is_cycles(event))
        return EVENT_TIME;
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

static bool is_hybrid(const struct kernel *kernel)
{
    return sysfs_pmu_type(kernel, event_twin_pmus()[0]) >= 0;
}

/* Returns false for an event of the wrong level, because miss levels are computed from events. On
 * Intel the generic cache-misses event counts the last level (SDM 3, LLC Misses). */
static bool event_fits_level(const struct event *event, const struct kernel *kernel)
{
    if (event->role == EVENT_STALL && !is_cycles(event) && is_hybrid(kernel))
        return false;
    return event->role != EVENT_MISS_L2 || !is_cache_misses(event) ||
           !kernel_vendor(kernel, "GenuineIntel");
}

static int encode_alias(struct event *event, const struct alias *alias, unsigned skip,
                        const struct kernel *kernel, struct error *error)
{
    event->role = alias->role;
    for (size_t i = 0; i < sizeof alias->candidates / sizeof *alias->candidates; i++)
        if (alias->candidates[i] && !encode_by_libpfm(event, alias->candidates[i]) &&
            event_fits_level(event, kernel) && !skip--) {
            event->role = is_cycles(event) ? EVENT_TIME : alias->role;
            return 0;
        }
    return error_set(error, -ENOENT,
                     "this CPU has no event for %s that its kernel opens; name one with -e "
                     "(perf list shows them)",
                     alias->name);
}

/* Encodes "r0843": the config of the CPU's own PMU in hexadecimal, in perf's syntax. */
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

static void offer_event_name(struct nearest *best, size_t count, const char *wanted,
                             const char *name)
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
                offer_event_name(best, count, wanted, info.name);
                if (info.equiv)
                    offer_event_name(best, count, wanted, info.equiv);
            }
        }
    }
}

static int suggest_events(const char *word, int why, struct error *error)
{
    enum { OFFERED = 3 };
    struct nearest best[OFFERED] = {{0}};
    char name[sizeof((struct event *)0)->name];
    text_sanitise(name, sizeof name, word, strlen(word));
    /* Names that perf has built in; libpfm4 spells some of them in capitals only. */
    static const char *const common[] = {"cache-misses", "cpu-clock",    "page-faults",
                                         "cycles",       "instructions", "L1-dcache-load-misses"};
    for (size_t i = 0; i < ALIASES; i++)
        offer_event_name(best, OFFERED, name, aliases[i].name);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        offer_event_name(best, OFFERED, name, common[i]);
    offer_libpfm(best, OFFERED, name);
    return error_set(error, -EINVAL, "no event '%s' (%s); did you mean %s, %s or %s?", name,
                     pfm_strerror(why), best[0].name, best[1].name, best[2].name);
}

/* Adds the encodings for other PMUs: generic events of a hybrid CPU go to cpu_core, unless the
 * upper half of config names another PMU (perf_event.h, PERF_PMU_TYPE_SHIFT). */
static void add_twin_encodings(struct event *event, const struct kernel *kernel)
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
        return suggest_events(event->name, code, error);
    event->role = role_of(event);
    if (!event_fits_level(event, kernel))
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
        add_twin_encodings(event, kernel);
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

static const char devices[] = "bus/event_source/devices";

long sysfs_pmu_type(const struct kernel *kernel, const char *pmu)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/type", devices, pmu);
    return kernel_number(kernel->sysfs, path, -1);
}

/* Writes a value to the bits "0-7,32-35" of a word and replaces the old value: a term overrides the
 * same term of the event file. Returns false if the value does not fit. */
static bool put_bits(uint64_t *word, const char *ranges, uint64_t value)
{
    for (;;) {
        char *end;
        unsigned long low = strtoul(ranges, &end, 10);
        unsigned long high = *end == '-' ? strtoul(end + 1, &end, 10) : low;
        if (end == ranges || high > 63 || low > high)
            return false;
        for (unsigned long bit = low; bit <= high; bit++, value >>= 1)
            *word = (*word & ~(UINT64_C(1) << bit)) | (value & 1) << bit;
        if (*end != ',')
            return !value;
        ranges = end + 1;
    }
}

static uint64_t *config_word(struct event *event, const char *name)
{
    return !strcmp(name, "config")    ? &event->config
           : !strcmp(name, "config1") ? &event->config1
           : !strcmp(name, "config2") ? &event->config2
                                      : NULL;
}

/* Sets one term by its format file ("config1:0-15"), or a whole word ("config1=0x1e"). */
static int set_term(struct event *event, const char *pmu, const char *term, uint64_t value,
                    const struct kernel *kernel, struct error *error)
{
    char path[PATH_MAX];
    char format[128];
    uint64_t *word = config_word(event, term);
    if (word) {
        *word = value;
        return 0;
    }
    snprintf(path, sizeof path, "%s/%s/format/%s", devices, pmu, term);
    char *bits =
        kernel_text(kernel->sysfs, path, format, sizeof format) ? strchr(format, ':') : NULL;
    if (!bits)
        return error_set(error, -EINVAL, "%s: %s has no term '%s'; see /sys/%s/%s/format",
                         event->name, pmu, term, devices, pmu);
    *bits++ = '\0';
    word = config_word(event, format);
    if (!word)
        return error_set(error, -EINVAL, "%s: term '%s' is in %s, which misstop does not set",
                         event->name, term, format);
    if (!put_bits(word, bits, value))
        return error_set(error, -EINVAL, "%s: %#llx does not fit the bits of '%s' (%s)",
                         event->name, (unsigned long long)value, term, bits);
    return 0;
}

/* Parses "term=value", or "term" with the value 1. Cuts the value off the term. */
static int parse_term_value(char *term, uint64_t *value, const struct event *event,
                            struct error *error)
{
    char *equals = strchr(term, '=');
    char *end;
    *value = 1;
    if (!equals)
        return 0;
    *equals = '\0';
    *value = strtoull(equals + 1, &end, 0);
    if (end == equals + 1 || *end)
        return error_set(error, -EINVAL, "%s: '%s' is no number for %s", event->name, equals + 1,
                         term);
    return 0;
}

static int set_terms(struct event *event, const char *pmu, char *terms, const struct kernel *kernel,
                     bool expand, struct error *error)
{
    char *rest = NULL;
    for (char *term = strtok_r(terms, ",", &rest); term; term = strtok_r(NULL, ",", &rest)) {
        char path[PATH_MAX];
        char named[256];
        uint64_t value;
        bool bare = !strchr(term, '=');
        int code = parse_term_value(term, &value, event, error);
        snprintf(path, sizeof path, "%s/%s/events/%s", devices, pmu, term);
        /* A bare word may be an event file that contains terms. */
        bool is_event = expand && bare && kernel_text(kernel->sysfs, path, named, sizeof named);
        if (!code)
            code = is_event ? set_terms(event, pmu, named, kernel, false, error)
                            : set_term(event, pmu, term, value, kernel, error);
        if (code)
            return code;
    }
    return 0;
}

/* Parses modifiers after the closing slash: u, and precision (p, pp, ppp, P: the highest). */
static int set_modifiers(struct event *event, const char *modifiers, struct error *error)
{
    enum { MOST_PRECISE = 3 };
    for (; *modifiers; modifiers++) {
        if (*modifiers == 'p')
            event->precise_ip++;
        else if (*modifiers == 'P')
            event->precise_ip = MOST_PRECISE;
        else if (*modifiers != 'u')
            return error_set(error, -EINVAL,
                             "%s: modifier '%c': misstop samples user mode only, "
                             "and knows u, p and P",
                             event->name, *modifiers);
    }
    if (event->precise_ip > MOST_PRECISE)
        return error_set(error, -EINVAL, "%s: at most ppp", event->name);
    return 0;
}

int sysfs_event_encode(struct event *event, const struct kernel *kernel, struct error *error)
{
    char pmu[sizeof event->name];
    snprintf(pmu, sizeof pmu, "%s", event->name);
    char *terms = strchr(pmu, '/');
    *terms++ = '\0';
    char *modifiers = strchr(terms, '/');
    if (!modifiers)
        return error_set(error, -EINVAL, "%s: the closing '/' is missing", event->name);
    *modifiers++ = '\0';
    long type = !*pmu || strstr(pmu, "..") ? -1 : sysfs_pmu_type(kernel, pmu);
    if (type < 0)
        return error_set(error, -ENOENT, "no PMU '%s' here; ls /sys/%s shows them", pmu, devices);
    event->type = (uint32_t)type;
    snprintf(event->encoded, sizeof event->encoded, "%s", event->name);
    int code = set_terms(event, pmu, terms, kernel, true, error);
    return code ? code : set_modifiers(event, modifiers, error);
}

/* The hardware samples evenly among the accesses that pass the filter, so a share is a share of
 * these accesses and the text must say so. source_pebs.c and source_ibs.c cite the sources. */

enum {
    IBS_L3_MISS_ONLY = 1 << 16,
    IBS_LDLAT = 0xfff,
    PEBS_LDLAT = 0xffff,
    PEBS_LDLAT_OF_ALL = 3 /* the lowest that the hardware accepts (SDM 3, load latency facility) */
};

/* Intel's load latency events. */
static const uint16_t timed_loads[] = {0x100b, 0x01cd, 0x05d0, 0};

static bool is_listed_config(uint64_t config, const uint16_t *configs)
{
    for (; *configs; configs++)
        if (config == *configs)
            return true;
    return false;
}

static void describe_ibs_op(const struct event *event, char *out, size_t out_size)
{
    unsigned ldlat = event->config1 & IBS_LDLAT;
    if (ldlat)
        snprintf(out, out_size, "loads that took more than %u cycles", ldlat);
    else
        snprintf(out, out_size, "%s",
                 event->config & IBS_L3_MISS_ONLY ? "loads and stores that missed the L3"
                                                  : "loads and stores among the ops tagged");
}

/* Returns false if it is neither an Intel load latency nor an Intel store event. */
static bool describe_pebs_event(const struct event *event, char *out, size_t out_size)
{
    static const uint16_t stores[] = {0x82d0, 0x02cd, 0x06d0, 0};
    unsigned ldlat = event->config1 & PEBS_LDLAT;
    if (!event->precise_ip || event->type < PERF_TYPE_RAW)
        return false;
    if (event_samples_all(event))
        snprintf(out, out_size, "loads");
    else if (ldlat && is_listed_config(event->config, timed_loads))
        snprintf(out, out_size, "loads that took more than %u cycles", ldlat);
    else if (is_listed_config(event->config, stores))
        snprintf(out, out_size, "stores");
    else
        return false;
    return true;
}

static bool is_op(const struct event *event)
{
    return !strncmp(event->name, "ibs_op", 6);
}

bool event_samples_all(const struct event *event)
{
    unsigned ldlat = event->config1 & PEBS_LDLAT;
    if (is_op(event))
        return !(event->config & IBS_L3_MISS_ONLY) && !(event->config1 & IBS_LDLAT);
    return event->precise_ip && event->type >= PERF_TYPE_RAW && ldlat &&
           ldlat <= PEBS_LDLAT_OF_ALL && is_listed_config(event->config, timed_loads);
}

/* On hybrid CPUs the upper half of config names the PMU. */
bool event_counts_instructions(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_HARDWARE && (uint32_t)attr->config == PERF_COUNT_HW_INSTRUCTIONS;
}

void event_describe_weight(const struct event *event, char *out, size_t out_size)
{
    static const char *const roles[] = {
        [EVENT_MISS_L1] = "L1 data cache misses",
        [EVENT_MISS_L2] = "L2 cache misses",
        [EVENT_MEM_FILL] = "fills from memory",
        [EVENT_STALL] = "stalled cycles",
        [EVENT_ACCESS] = "loads",
        [EVENT_OTHER] = NULL,
        [EVENT_TIME] = "cycles at the access",
    };
    const char *role = event->role < EVENT_ROLES ? roles[event->role] : NULL;
    if (event_is_clock(event))
        role = "time at the access";
    if (event->type == PERF_TYPE_HARDWARE && event->role == EVENT_ACCESS)
        role = "instructions that access memory";
    if (is_op(event))
        describe_ibs_op(event, out, out_size);
    else if (!describe_pebs_event(event, out, out_size))
        snprintf(out, out_size, "%s", role ? role : event->name);
}
