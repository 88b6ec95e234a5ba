/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodings, including those of other CPUs: LIBPFM_FORCE_PMU selects libpfm4's CPU, once per
 * process, so each such case runs in a child. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample/perf/event.h"
#include "sample/perfdata/header.h"
#include "unit.h"
#include "unit/sample/fake_kernel.h"

static const struct kernel *event_kernel;

static int set_up(void **state)
{
    (void)state;
    event_kernel = fake_kernel_begin(NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_kernel_end();
    return 0;
}

static int encode(struct event *event, const char *name, struct error *error)
{
    return event_encode(event, name, strlen(name), 0, event_kernel, error);
}

struct expected {
    const char *name;
    uint32_t type;
    uint64_t config;
    uint64_t config1;
    enum event_role role;
};

static int check_in_child(const char *pmu, const struct expected *wanted, size_t count)
{
    int failures = 0;
    setenv("LIBPFM_FORCE_PMU", pmu, 1);
    for (size_t i = 0; i < count; i++) {
        struct event event;
        struct error error = {0};
        if (!encode(&event, wanted[i].name, &error) && event.type == wanted[i].type &&
            event.config == wanted[i].config && event.config1 == wanted[i].config1 &&
            event.role == wanted[i].role)
            continue;
        fprintf(stderr,
                "%s on %s: expected type %u config %#llx,%#llx role %d, got type %u config "
                "%#llx,%#llx role %d; %s\n",
                wanted[i].name, pmu, wanted[i].type, (unsigned long long)wanted[i].config,
                (unsigned long long)wanted[i].config1, wanted[i].role, event.type,
                (unsigned long long)event.config, (unsigned long long)event.config1, event.role,
                error.text);
        failures++;
    }
    return failures;
}

static void check_encodings(const char *pmu, const struct expected *wanted, size_t count)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (!child)
        _exit(check_in_child(pmu, wanted, count));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
#define CHECK(pmu, wanted) check_encodings(pmu, wanted, sizeof(wanted) / sizeof *(wanted))

static void event_aliases_select_amd_events(void **state)
{
    /* Fills from DRAM or I/O, near and far: event 0x44, umasks 0x08 and 0x40. */
    static const struct expected zen3[] = {{"mem-fill", 4, 0x4844, 0, EVENT_MEM_FILL}};
    /* Zen 4 counts cycles in which the oldest instruction waits for a load that missed. */
    static const struct expected zen4[] = {{"stall", 4, 0xa2d6, 0, EVENT_STALL}};
    (void)state;
    CHECK("amd64_fam19h_zen3", zen3);
    CHECK("amd64_fam19h_zen4", zen3);
    CHECK("amd64_fam19h_zen4", zen4);
}

/* Falls back to perf's generic events if libpfm4 has no better one. */
static void event_aliases_fall_back_to_generic_events(void **state)
{
    static const struct expected generic[] = {
        {"mem-fill", 3, 0x10002, 0, EVENT_MEM_FILL},
        {"l2-miss", 0, PERF_COUNT_HW_CACHE_MISSES, 0, EVENT_MISS_L2},
        {"l1-miss", 3, 0x10000, 0, EVENT_MISS_L1},
        {"stall", 0, PERF_COUNT_HW_CPU_CYCLES, 0, EVENT_TIME},
        {"cycles", 0, PERF_COUNT_HW_CPU_CYCLES, 0, EVENT_TIME},
        {"access", 3, 0, 0, EVENT_ACCESS},
    };
    (void)state;
    CHECK("perf", generic);
}

/* Intel SDM volume 3, tables of Skylake and Haswell: event, umask << 8, counter mask << 24. */
static void event_aliases_select_intel_events(void **state)
{
    static const struct expected skylake[] = {
        {"mem-fill", 4, 0x20d1, 0, EVENT_MEM_FILL}, {"l2-miss", 4, 0x10d1, 0, EVENT_MISS_L2},
        {"l1-miss", 4, 0x08d1, 0, EVENT_MISS_L1},   {"stall", 4, 0x0c000ca3, 0, EVENT_STALL},
        {"access", 4, 0x81d0, 0, EVENT_ACCESS},
    };
    static const struct expected haswell[] = {
        {"mem-fill", 4, 0x20d1, 0, EVENT_MEM_FILL},
        {"l1-miss", 4, 0x08d1, 0, EVENT_MISS_L1},
        {"stall", 4, 0x0c000ca3, 0, EVENT_STALL},
        {"access", 4, 0x81d0, 0, EVENT_ACCESS},
    };
    (void)state;
    CHECK("skl", skylake);
    CHECK("hsw", haswell);
}

static void libpfm4_event_strings_are_accepted(void **state)
{
    static const struct expected skylake[] = {
        {"skl::MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=30:precise=2", 4, 0x1cd, 30, EVENT_OTHER}};
    (void)state;
    CHECK("skl", skylake);
}

static void perf_event_names_are_accepted(void **state)
{
    static const struct expected known[] = {
        {"cpu-clock", 1, PERF_COUNT_SW_CPU_CLOCK, 0, EVENT_TIME},
        {"task-clock", 1, PERF_COUNT_SW_TASK_CLOCK, 0, EVENT_TIME},
        {"page-faults", 1, PERF_COUNT_SW_PAGE_FAULTS, 0, EVENT_OTHER},
        {"cache-misses", 0, PERF_COUNT_HW_CACHE_MISSES, 0, EVENT_MISS_L2},
        {"cycles:u", 0, PERF_COUNT_HW_CPU_CYCLES, 0, EVENT_TIME},
        {"L1-dcache-load-misses", 3, 0x10000, 0, EVENT_MISS_L1},
        {"r0843", 4, 0x0843, 0, EVENT_OTHER},
    };
    (void)state;
    CHECK("perf", known);
}

static void expect_error(const char *name, const char *text)
{
    struct event event;
    struct error error = {0};
    assert_int_equal(encode(&event, name, &error), -EINVAL);
    if (!strstr(error.text, text))
        fail_msg("%s: error text '%s' lacks '%s'", name, error.text, text);
}

static void unknown_event_suggests_nearest_name(void **state)
{
    char long_name[200];
    (void)state;
    expect_error("l2-mis", "did you mean l2-miss");
    expect_error("cahce-misses", "did you mean cache-misses");
    expect_error("cpu-clok", "cpu-clock");
    expect_error("rzz", "did you mean");
    expect_error("\033[31m", "did you mean");
    expect_error("cycles:k", "user mode");
    memset(long_name, 'x', sizeof long_name);
    long_name[199] = '\0';
    expect_error(long_name, "longer than");
}

/* An unknown name is printed without its control characters. */
static void event_error_messages_are_printable(void **state)
{
    struct event event;
    struct error error = {0};
    (void)state;
    assert_int_equal(encode(&event, "a\033[31mb\n", &error), -EINVAL);
    for (const char *at = error.text; *at; at++)
        assert_true((unsigned char)*at >= ' ');
}

static void event_lists_are_split_outside_slashes(void **state)
{
    static const char *const wanted[] = {"l1-miss", "cpu/event=1,umask=2/", "", "x"};
    const char *list = "l1-miss,cpu/event=1,umask=2/,,x";
    const char *word;
    size_t size;
    size_t i = 0;
    (void)state;
    for (; event_next_word(&list, &word, &size); i++) {
        assert_int_equal(size, strlen(wanted[i]));
        assert_memory_equal(word, wanted[i], size);
    }
    assert_int_equal(i, 4);
}

static void event_encoding_fails_after_last_candidate(void **state)
{
    struct event event;
    struct error error = {0};
    (void)state;
    assert_int_equal(event_encode(&event, "l1-miss", 7, 50, event_kernel, &error), -ENOENT);
    assert_int_equal(event_encode(&event, "cycles", 6, 1, event_kernel, &error), -ENOENT);
}

/* On hybrid CPUs the generic events have a second encoding, for the efficient cores. */
static void hybrid_generic_events_have_a_twin(void **state)
{
    struct event event;
    (void)state;
    assert_int_equal(encode(&event, "cache-misses", NULL), 0);
    assert_int_equal(event.twin_count, 0);
    fake_kernel_file("sys/bus/event_source/devices/cpu_core/type", "4");
    fake_kernel_file("sys/bus/event_source/devices/cpu_atom/type", "10");
    assert_int_equal(encode(&event, "cache-misses", NULL), 0);
    assert_int_equal(event.twin_count, 1);
    assert_int_equal(event.twins[0].type, PERF_TYPE_HARDWARE);
    assert_int_equal(event.twins[0].config, UINT64_C(10) << 32 | PERF_COUNT_HW_CACHE_MISSES);
    assert_int_equal(encode(&event, "cpu-clock", NULL), 0);
    assert_int_equal(event.twin_count, 0);
}

/* On Intel the generic event counts misses of the last level, not of L2. */
static void cache_misses_are_not_l2_misses_on_intel(void **state)
{
    struct event event;
    (void)state;
    fake_kernel_file("proc/cpuinfo", "vendor_id\t: AuthenticAMD");
    assert_int_equal(encode(&event, "l2-miss", NULL), 0);
    assert_int_equal(event.config, PERF_COUNT_HW_CACHE_MISSES);
    assert_int_equal(encode(&event, "cache-misses", NULL), 0);
    assert_int_equal(event.role, EVENT_MISS_L2);
    fake_kernel_file("proc/cpuinfo", "vendor_id\t: GenuineIntel");
    assert_int_equal(encode(&event, "l2-miss", NULL), -ENOENT);
    assert_int_equal(encode(&event, "cache-misses", NULL), 0);
    assert_int_equal(event.role, EVENT_OTHER);
    assert_int_equal(encode(&event, "mem-fill", NULL), 0);
    assert_int_equal(event.role, EVENT_MEM_FILL);
}

/* A share has a different meaning for each event; recordings have only attribute and name. */
static void events_describe_their_weight(void **state)
{
    static const struct {
        struct event event;
        const char *text;
    } cases[] = {
        {{.name = "cpu/mem-loads,ldlat=30/P",
          .type = 4,
          .config = 0x1cd,
          .config1 = 30,
          .precise_ip = 3,
          .role = EVENT_OTHER},
         "loads that took more than 30 cycles"},
        {{.name = "x",
          .type = 10,
          .config = 0x5d0,
          .config1 = 100,
          .precise_ip = 2,
          .role = EVENT_OTHER},
         "loads that took more than 100 cycles"},
        {{.name = "x",
          .type = 4,
          .config = 0x100b,
          .config1 = 3,
          .precise_ip = 1,
          .role = EVENT_OTHER},
         "loads"},
        {{.name = "x", .type = 4, .config = 0x82d0, .precise_ip = 2, .role = EVENT_OTHER},
         "stores"},
        /* Not precise: it counts without a filter. */
        {{.name = "r82d0", .type = 4, .config = 0x82d0, .role = EVENT_OTHER}, "r82d0"},
        {{.name = "ibs_op//", .type = 9, .config = 1 << 19, .role = EVENT_ACCESS},
         "loads and stores among the ops tagged"},
        {{.name = "ibs_op", .type = 9, .config = 1 << 16, .role = EVENT_MEM_FILL},
         "loads and stores that missed the L3"},
        {{.name = "ibs_op", .type = 9, .config1 = 512, .role = EVENT_MEM_FILL},
         "loads that took more than 512 cycles"},
        {{.name = "mem-fill", .type = 4, .config = 0x4844, .role = EVENT_MEM_FILL},
         "fills from memory"},
        {{.name = "cpu-clock", .type = 1, .role = EVENT_TIME}, "time at the access"},
        {{.name = "access", .type = 3, .role = EVENT_ACCESS}, "loads"},
        {{.name = "instructions", .type = 0, .config = 1, .role = EVENT_ACCESS},
         "instructions that access memory"},
        {{.name = "branches", .type = 0, .config = 4, .role = EVENT_OTHER}, "branches"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        event_describe_weight(&cases[i].event, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

/* Only events that sample every load, or every op, include hits as well as misses. */
static void only_unfiltered_events_sample_hits(void **state)
{
    struct event loads = {.type = 4, .config = 0x1cd, .config1 = 3, .precise_ip = 2};
    struct event ops = {.name = "ibs_op", .type = 9, .config = 1 << 19};
    (void)state;
    assert_true(event_samples_all(&loads));
    loads.config1 = 4;
    assert_false(event_samples_all(&loads));
    loads.config1 = 0; /* no threshold: it counts something else */
    assert_false(event_samples_all(&loads));
    assert_true(event_samples_all(&ops));
    ops.config1 = 128;
    assert_false(event_samples_all(&ops));
    ops.config1 = 0;
    ops.config |= 1 << 16;
    assert_false(event_samples_all(&ops));
}

static int run_event(void)
{
    /* Set before libpfm4 is first used: children that are forked later initialise it again. */
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    const struct CMUnitTest in_children[] = {
        cmocka_unit_test(event_aliases_select_amd_events),
        cmocka_unit_test(event_aliases_fall_back_to_generic_events),
        cmocka_unit_test(event_aliases_select_intel_events),
        cmocka_unit_test(libpfm4_event_strings_are_accepted),
        cmocka_unit_test(perf_event_names_are_accepted),
    };
    const struct CMUnitTest here[] = {
        cmocka_unit_test(unknown_event_suggests_nearest_name),
        cmocka_unit_test(only_unfiltered_events_sample_hits),
        cmocka_unit_test(event_error_messages_are_printable),
        cmocka_unit_test(event_lists_are_split_outside_slashes),
        cmocka_unit_test(event_encoding_fails_after_last_candidate),
        cmocka_unit_test(hybrid_generic_events_have_a_twin),
        cmocka_unit_test_setup_teardown(cache_misses_are_not_l2_misses_on_intel, set_up, tear_down),
        cmocka_unit_test(events_describe_their_weight),
    };
    int failed = cmocka_run_group_tests(in_children, set_up, tear_down);
    /* Excludes the events of this machine's CPU. */
    setenv("LIBPFM_FORCE_PMU", "perf", 1);
    return failed + cmocka_run_group_tests(here, set_up, tear_down);
}

enum { ATTR = 72 };

/* Two events: "cpu/mem-loads/" with 3 ids, and a name with terminal escapes. */
static size_t build(unsigned char *at)
{
    static const char *const names[] = {"cpu/mem-loads/", "a\033[31mb"};
    uint32_t words[] = {2, ATTR};
    size_t used = sizeof words;
    memset(at, 0, 512);
    memcpy(at, words, sizeof words);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t tail[] = {i ? 1 : 3, 64};
        memcpy(at + used + ATTR, tail, sizeof tail);
        memcpy(at + used + ATTR + sizeof tail, names[i], strlen(names[i]));
        used += ATTR + sizeof tail + 64 + tail[0] * 8;
    }
    return used;
}

static void add_events(struct attributes *attributes)
{
    static const unsigned char attr[ATTR];
    *attributes = (struct attributes){0};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(attributes_add(attributes, attr, sizeof attr, false), 0);
}

static void take_section(const unsigned char *section, size_t size, struct attributes *attributes)
{
    struct cursor cursor = {section, size, false, false};
    event_desc_take(&cursor, attributes);
}

static void event_desc_names_are_sanitised(void **state)
{
    unsigned char section[512];
    struct attributes attributes;
    size_t size = build(section);
    (void)state;
    add_events(&attributes);
    take_section(section, size, &attributes);
    assert_string_equal(attributes.events[0].name, "cpu/mem-loads/");
    assert_string_equal(attributes.events[1].name, "a?[31mb");
    attributes_fini(&attributes);
}

/* perf's sections may be in another order than the attributes: the ids decide. */
static void event_desc_names_are_assigned_by_id(void **state)
{
    unsigned char section[512];
    struct attributes attributes;
    uint64_t id = 42;
    size_t size = build(section);
    (void)state;
    add_events(&attributes);
    assert_int_equal(attributes_add_id(&attributes, 0, id), 0);
    memcpy(section + size - 8, &id, 8); /* of the second description */
    take_section(section, size, &attributes);
    assert_string_equal(attributes.events[0].name, "a?[31mb");
    assert_string_equal(attributes.events[1].name, "");
    attributes_fini(&attributes);
}

static void truncated_event_desc_is_harmless(void **state)
{
    unsigned char section[512];
    struct attributes attributes;
    size_t size = build(section);
    (void)state;
    add_events(&attributes);
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *copy = malloc(cut + !cut);
        memcpy(copy, section, cut);
        take_section(copy, cut, &attributes);
        free(copy);
    }
    assert_string_equal(attributes.events[0].name, "cpu/mem-loads/");
    assert_string_equal(attributes.events[1].name, ""); /* never complete */
    memset(section, 0xff, sizeof section);
    take_section(section, sizeof section, &attributes);
    attributes_fini(&attributes);
}

static void piped_event_names_are_assigned_by_id(void **state)
{
    struct {
        uint64_t what;
        uint64_t id;
        char name[16];
    } update = {2, 42, "cycles:P"};
    struct attributes attributes;
    (void)state;
    add_events(&attributes);
    assert_int_equal(attributes_add_id(&attributes, 1, 42), 0);
    struct cursor cursor = {(unsigned char *)&update, sizeof update, false, false};
    event_desc_update(&cursor, &attributes);
    assert_string_equal(attributes.events[1].name, "cycles:P");
    update.what = 1; /* its scale */
    update.name[0] = 'X';
    cursor = (struct cursor){(unsigned char *)&update, sizeof update, false, false};
    event_desc_update(&cursor, &attributes);
    assert_string_equal(attributes.events[1].name, "cycles:P");
    attributes_fini(&attributes);
}

static void event_name_is_guessed_from_attributes(void **state)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_CACHE_MISSES};
    char name[64];
    (void)state;
    event_desc_guess(&attr, name, sizeof name);
    assert_string_equal(name, "cache-misses");
    attr.type = PERF_TYPE_RAW;
    attr.config = 0x1cd;
    event_desc_guess(&attr, name, sizeof name);
    assert_string_equal(name, "r01cd of PMU 4");
    attr.type = PERF_TYPE_SOFTWARE;
    event_desc_guess(&attr, name, sizeof name);
    assert_string_equal(name, "r01cd of PMU 1");
}

static int run_event_desc(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(event_desc_names_are_sanitised),
        cmocka_unit_test(truncated_event_desc_is_harmless),
        cmocka_unit_test(event_desc_names_are_assigned_by_id),
        cmocka_unit_test(piped_event_names_are_assigned_by_id),
        cmocka_unit_test(event_name_is_guessed_from_attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#define PMU "sys/bus/event_source/devices/"

static const struct kernel *sysfs_event_kernel;

static int sysfs_event_set_up(void **state)
{
    (void)state;
    sysfs_event_kernel = fake_kernel_begin(NULL);
    fake_kernel_file(PMU "cpu/type", "4");
    fake_kernel_file(PMU "cpu/format/event", "config:0-7");
    fake_kernel_file(PMU "cpu/format/umask", "config:8-15");
    fake_kernel_file(PMU "cpu/format/ldlat", "config1:0-15");
    fake_kernel_file(PMU "cpu/format/wide", "config:0-7,32-35");
    fake_kernel_file(PMU "cpu/format/any", "config:21");
    fake_kernel_file(PMU "cpu/format/odd", "config9:0-7");
    fake_kernel_file(PMU "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3");
    fake_kernel_file(PMU "cpu/events/loop", "loop");
    return 0;
}

static int sysfs_event_tear_down(void **state)
{
    (void)state;
    fake_kernel_end();
    return 0;
}

static int encode_sysfs_event(struct event *event, const char *name, struct error *error)
{
    *event = (struct event){0};
    strcpy(event->name, name);
    return sysfs_event_encode(event, sysfs_event_kernel, error);
}

static void sysfs_terms_are_spread_over_their_bits(void **state)
{
    struct event event;
    (void)state;
    assert_int_equal(encode_sysfs_event(&event, "cpu/event=0x43,umask=8/", NULL), 0);
    assert_int_equal(event.type, 4);
    assert_int_equal(event.config, 0x0843);
    assert_int_equal(encode_sysfs_event(&event, "cpu/wide=0x7c1/", NULL), 0);
    assert_int_equal(event.config, UINT64_C(0x7000000c1));
    assert_int_equal(encode_sysfs_event(&event, "cpu/any/", NULL), 0);
    assert_int_equal(event.config, 1 << 21);
    assert_int_equal(encode_sysfs_event(&event, "cpu/config=0x1cd,config1=0x1e/", NULL), 0);
    assert_int_equal(event.config, 0x1cd);
    assert_int_equal(event.config1, 0x1e);
}

/* 3 is the threshold of the event file: 30 must replace it, not be ORed to it. */
static void explicit_term_overrides_the_event_file(void **state)
{
    struct event event;
    (void)state;
    assert_int_equal(encode_sysfs_event(&event, "cpu/mem-loads,ldlat=30/", NULL), 0);
    assert_int_equal(event.config, 0x1cd);
    assert_int_equal(event.config1, 30);
    assert_int_equal(encode_sysfs_event(&event, "cpu/mem-loads/", NULL), 0);
    assert_int_equal(event.config1, 3);
}

static void modifiers_set_precision(void **state)
{
    struct event event;
    struct error error = {0};
    (void)state;
    assert_int_equal(encode_sysfs_event(&event, "cpu/mem-loads/pp", NULL), 0);
    assert_int_equal(event.precise_ip, 2);
    assert_int_equal(encode_sysfs_event(&event, "cpu/mem-loads/P", NULL), 0);
    assert_int_equal(event.precise_ip, 3);
    assert_int_equal(encode_sysfs_event(&event, "cpu/mem-loads/u", NULL), 0);
    assert_int_equal(event.precise_ip, 0);
    assert_int_equal(encode_sysfs_event(&event, "cpu/mem-loads/k", &error), -EINVAL);
    assert_non_null(strstr(error.text, "user mode"));
    assert_int_equal(encode_sysfs_event(&event, "cpu/mem-loads/pppp", &error), -EINVAL);
}

static void missing_pmu_or_term_is_named(void **state)
{
    static const struct {
        const char *name;
        int code;
        const char *text;
    } cases[] = {
        {"gpu/event=1/", -ENOENT, "no PMU 'gpu'"}, {"/event=1/", -ENOENT, "no PMU"},
        {"../cpu/event=1/", -ENOENT, "no PMU"},    {"cpu/evnt=1/", -EINVAL, "no term 'evnt'"},
        {"cpu/odd=1/", -EINVAL, "config9"},        {"cpu/event=1x/", -EINVAL, "1x"},
        {"cpu/event=/", -EINVAL, "event"},         {"cpu/event=0x100/", -EINVAL, "does not fit"},
        {"cpu/event=1", -EINVAL, "closing"},       {"cpu/loop/", -EINVAL, "no term 'loop'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct event event;
        struct error error = {0};
        assert_int_equal(encode_sysfs_event(&event, cases[i].name, &error), cases[i].code);
        if (!strstr(error.text, cases[i].text))
            fail_msg("%s: error text '%s' lacks '%s'", cases[i].name, error.text, cases[i].text);
    }
}

static int run_sysfs_event(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sysfs_terms_are_spread_over_their_bits),
        cmocka_unit_test(explicit_term_overrides_the_event_file),
        cmocka_unit_test(modifiers_set_precision),
        cmocka_unit_test(missing_pmu_or_term_is_named),
    };
    return cmocka_run_group_tests(tests, sysfs_event_set_up, sysfs_event_tear_down);
}

int main(void)
{
    int failed = 0;
    failed += run_event();
    failed += run_event_desc();
    failed += run_sysfs_event();
    return failed;
}
