/* SPDX-License-Identifier: GPL-3.0-or-later */
/* misstop on running programs with a known answer (planted.c). Each test runs once for every source
 * that works here; other sources are skipped by name. */
#include "unit/unit.h"

#include "run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *source; /* source under test */

static bool known(double value)
{
    return !isnan(value);
}

/*
 * Compares the shares of the last report with the program's own times. Returns the largest error.
 */
static double largest_error(json_t *report, const struct planted *planted, const char *const *names,
                            int count)
{
    double total = 0;
    double worst = 0;
    for (int i = 0; i < count; i++)
        total += atof(planted_last(planted, names[i]));
    for (int i = 0; i < count; i++) {
        double truth = atof(planted_last(planted, names[i])) / total;
        double share = report_number(report_object(report, names[i]), "share");
        printf("  %s: program %.4f, misstop %.4f\n", names[i], truth, share);
        if (truth > 0.01)
            worst = fmax(worst, known(share) ? fabs(share - truth) : 1);
    }
    return worst;
}

/* Returns the attributed share of all samples except kernel samples, which have no user data
 * address. */
static double attributed(json_t *report)
{
    json_t *samples = json_object_get(report, "samples");
    return report_number(samples, "attributed") /
           (report_number(samples, "total") - report_number(samples, "kernel"));
}

static void assert_conserved(json_t *report)
{
    const char *key;
    json_t *value;
    json_t *samples = json_object_get(report, "samples");
    double sum = report_number(samples, "attributed");
    json_object_foreach(json_object_get(samples, "unattributed"), key, value) sum +=
        json_number_value(value);
    assert_true(sum == report_number(samples, "total"));
}

static double samples_of(json_t *report)
{
    return report_number(json_object_get(report, "samples"), "total");
}

/* Returns the last report on a program in this mode, watched from start to end. */
static json_t *watch(struct planted *planted, const char *mode, const char *const *arguments,
                     report_has_enough enough)
{
    assert_true(planted_start(planted, mode, 0));
    json_t *report = misstop_until(planted->pid, arguments, enough);
    int status = planted_finish(planted);
    assert_non_null(report);
    assert_int_equal(status, 0);
    return report;
}

static bool has_4000(json_t *report)
{
    return samples_of(report) >= 4000;
}

static bool has_20000(json_t *report)
{
    return samples_of(report) >= 20000;
}

static void object_shares_match_the_program(void **state)
{
    (void)state;
    static const char *const names[] = {"array_a", "array_b", "array_c",
                                        "array_d", "array_e", "array_f"};
    const char *const arguments[] = {"-s", source, "-H", "0", "-d", "0.25", "-r", "10000", NULL};
    struct planted planted;
    json_t *report = watch(&planted, "shares", arguments, has_20000);
    printf("  samples %.0f, attributed %.4f\n", samples_of(report), attributed(report));
    assert_true(largest_error(report, &planted, names, 6) <= 0.015);
    assert_true(attributed(report) >= 0.95);
    assert_conserved(report);
    json_decref(report);
}

static void accesses_to_one_set_are_concentrated(void **state)
{
    (void)state;
    const char *const arguments[] = {"-s",    source, "-d",          "0.25", "-r",
                                     "10000", "-C",   "L1=32K,8,64", NULL};
    struct planted planted;
    json_t *report = watch(&planted, "set", arguments, has_4000);
    json_t *sets = json_object_get(report, "sets");
    json_t *counts = json_object_get(sets, "counts");
    double all = 0;
    for (size_t i = 0; i < json_array_size(counts); i++)
        all += json_number_value(json_array_get(counts, i));
    size_t planted_set = (size_t)atol(planted_first(&planted, "set"));
    double in_set = json_number_value(json_array_get(counts, planted_set));
    printf("  %.0f of %.0f samples in set %zu\n", in_set, all, planted_set);
    assert_string_equal(json_string_value(json_object_get(sets, "verdict")), "concentrated");
    assert_true(all > 100 && in_set / all > 0.95);
    json_decref(report);
}

static void even_use_of_sets_is_uniform(void **state)
{
    (void)state;
    const char *const arguments[] = {"-s",    source, "-d",          "0.25", "-r",
                                     "10000", "-C",   "L1=32K,8,64", NULL};
    struct planted planted;
    json_t *report = watch(&planted, "figure2", arguments, has_4000);
    json_t *sets = json_object_get(report, "sets");
    assert_string_equal(json_string_value(json_object_get(sets, "verdict")), "uniform");
    json_decref(report);
}

/* Returns the region found that contains the object; NULL if the search did not report it. */
static json_t *found_region(json_t *report, const char *object)
{
    size_t i;
    json_t *region;
    json_array_foreach(json_object_get(json_object_get(report, "search"), "regions"), i, region)
    {
        const char *state = json_string_value(json_object_get(region, "state"));
        const char *name = json_string_value(json_object_get(region, "object"));
        if (!strcmp(state, "object") && name && !strcmp(name, object))
            return region;
    }
    return NULL;
}

/* Returns true if the search found it with a narrow interval: 95 of 100 times within 2 points. */
static bool is_measured(json_t *report, const char *object)
{
    json_t *region = found_region(report, object);
    return report_number(region, "share_high") - report_number(region, "share_low") <= 0.04;
}

static bool e_is_measured(json_t *report)
{
    return is_measured(report, "array_e");
}

static void two_way_search_backtracks_to_array_e(void **state)
{
    (void)state;
    const char *const arguments[] = {"-s",    source, "-d", "0.25",     "-H",  "0", "-r",
                                     "10000", "-W",   "2",  "--search", "all", NULL};
    struct planted planted;
    json_t *report = watch(&planted, "figure2", arguments, e_is_measured);
    json_t *region = found_region(report, "array_e");
    double total = 0;
    for (int i = 0; i < 5; i++)
        total += atof(planted_last(
            &planted, (const char *[]){"array_a", "array_b", "array_c", "array_d", "array_e"}[i]));
    double truth = atof(planted_last(&planted, "array_e")) / total;
    printf("  array_e: program %.3f, search %.3f\n", truth, report_number(region, "share"));
    assert_non_null(region);
    assert_true(fabs(report_number(region, "share") - truth) < 0.05);
    json_decref(report);
}

static const char *const phase_names[] = {"array_a", "array_b", "array_c", "array_e"};

static bool phases_are_found(json_t *report)
{
    for (int i = 0; i < 4; i++)
        if (!found_region(report, phase_names[i]))
            return false;
    return has_20000(report);
}

static void ten_way_search_is_correct_across_phases(void **state)
{
    (void)state;
    const char *const arguments[] = {"-s", source,  "-H",       "0",   "-d", "0.25",
                                     "-r", "10000", "--search", "all", NULL};
    struct planted planted;
    json_t *report = watch(&planted, "phases", arguments, phases_are_found);
    for (int i = 0; i < 4; i++) {
        json_t *region = found_region(report, phase_names[i]);
        printf("  %s: search %.3f\n", phase_names[i], report_number(region, "share"));
        assert_non_null(region);
    }
    assert_true(largest_error(report, &planted, phase_names, 4) <= 0.03);
    json_decref(report);
}

/* Returns the number of lines of the page with more than a tenth; -1 if another line has that. */
static int hot_lines(json_t *report, unsigned long page)
{
    int lines = 0;
    size_t i;
    json_t *region;
    json_array_foreach(json_object_get(json_object_get(report, "search"), "regions"), i, region)
    {
        if (strcmp(json_string_value(json_object_get(region, "state")), "line") ||
            !(report_number(region, "share") > 0.1))
            continue;
        unsigned long base = strtoul(json_string_value(json_object_get(region, "base")), NULL, 16);
        unsigned long line = (base - page) / 64;
        if (base < page || (line != 3 && line != 20 && line != 41))
            return -1;
        lines++;
    }
    return lines;
}

static unsigned long hot_page;

static bool three_lines_are_found(json_t *report)
{
    return hot_lines(report, hot_page) == 3;
}

static void search_finds_hot_lines_of_a_page(void **state)
{
    (void)state;
    struct planted planted;
    char range[64];
    assert_true(planted_start(&planted, "page", 0));
    unsigned long arena = strtoul(planted_first(&planted, "arena"), NULL, 16);
    hot_page = strtoul(planted_first(&planted, "page"), NULL, 16);
    snprintf(range, sizeof range, "%lx-%lx", arena, arena + (64ul << 20));
    const char *const arguments[] = {"-s",    source,     "-d",  "0.25", "-r",
                                     "10000", "--search", range, NULL};
    json_t *report = misstop_until(planted.pid, arguments, three_lines_are_found);
    planted_finish(&planted);
    assert_non_null(report);
    assert_int_equal(hot_lines(report, hot_page), 3);
    json_decref(report);
}

static double share_of_a(json_t *report)
{
    double a = report_number(report_object(report, "array_a"), "share");
    return known(a) ? a : 0;
}

/*
 * Two arrays alternate every 0.25 ms. With a period of exactly 0.5 ms all samples fall into the
 * same turn; a jittered period sees both. The fixed period is the planted failure: each
 * interruption of the program shifts its samples, so the resonance shows only in short intervals,
 * and not at the edge of a turn. At least one of many intervals must show it; by chance none does.
 */
static double largest_error_of_intervals(pid_t pid)
{
    enum { INTERVALS = 100, SAMPLES_MIN = 60 };
    char command[256];
    char *line = NULL;
    size_t size = 0;
    double worst = 0;
    double a = 0;
    double total = 0;
    snprintf(command, sizeof command,
             "exec \"$MISSTOP\" -j -s clock -H 0 -d 0.1 -n %d -c 500000 -p %d", INTERVALS,
             (int)pid);
    FILE *in = popen(command, "r");
    assert_non_null(in);
    while (worst <= 0.3 && getline(&line, &size, in) > 0) {
        json_t *report = json_loads(line, 0, NULL);
        double now = samples_of(report);
        double now_a = report_number(report_object(report, "array_a"), "samples");
        json_decref(report);
        if (now - total < SAMPLES_MIN || !known(now_a))
            continue;
        worst = fmax(worst, fabs((now_a - a) / (now - total) - 0.5));
        total = now;
        a = now_a;
    }
    free(line);
    pclose(in);
    return worst;
}

static void jittered_period_does_not_resonate(void **state)
{
    (void)state;
    const char *const jittered[] = {"-s", "clock", "-H", "0", "-d", "0.25", "-r", "2000", NULL};
    struct planted planted;
    if (strcmp(source, "clock"))
        skip();
    json_t *report = watch(&planted, "resonate", jittered, has_4000);
    printf("  true share 0.5; with a jittered period %.3f\n", share_of_a(report));
    assert_true(fabs(share_of_a(report) - 0.5) < 0.12);
    json_decref(report);
    assert_true(planted_start(&planted, "resonate", 300));
    double worst = largest_error_of_intervals(planted.pid);
    kill(planted.pid, SIGKILL);
    planted_finish(&planted);
    printf("  fixed period: largest error in an interval %.3f\n", worst);
    assert_true(worst > 0.3);
}

/* The first samples come before any type is known, and fade. */
static json_t *hot_field(json_t *report)
{
    return json_array_get(json_object_get(report_object(report, "records"), "fields"), 0);
}

static bool field_is_hot(json_t *report)
{
    return has_4000(report) && report_number(hot_field(report), "share") > 0.95;
}

static void check_hot_field(const char *mode)
{
    const char *const arguments[] = {"-s", source, "-d", "0.25", "-r", "10000", "-H", "1", NULL};
    struct planted planted;
    json_t *report = watch(&planted, mode, arguments, field_is_hot);
    assert_non_null(report_object(report, "records"));
    json_t *field = hot_field(report);
    printf("  %s: %.3f of its object\n", json_string_value(json_object_get(field, "name")),
           report_number(field, "share"));
    assert_string_equal(json_string_value(json_object_get(field, "name")), "record56.words[5]");
    assert_int_equal(json_integer_value(json_object_get(field, "offset")), 40);
    assert_true(report_number(field, "share") > 0.95);
    json_decref(report);
}

static void hot_field_of_an_array_is_one_row(void **state)
{
    (void)state;
    check_hot_field("field");
}

/* In /proc its mappings and memory are then those of another thread. */
static void process_with_ended_main_thread_is_watched(void **state)
{
    (void)state;
    check_hot_field("first");
}

/* Returns the program's result, which must always be the same. */
static const char *result_of(struct planted *planted)
{
    kill(planted->pid, SIGTERM);
    assert_int_equal(planted_finish(planted), 0);
    assert_int_equal(atoi(planted_first(planted, "others")), 0);
    return planted_first(planted, "result");
}

/* kill -9 at 100 random moments: the target's result equals that of an unwatched run. */
static void target_survives_kill_9_of_misstop(void **state)
{
    (void)state;
    const char *const arguments[] = {"-s", source, "-d", "0.1", "--search", "all", NULL};
    struct planted alone;
    struct planted watched;
    assert_true(planted_start(&alone, "result", 0.1));
    assert_true(planted_start(&watched, "result", 3000));
    srand(1);
    int attached = 0;
    for (int i = 0; i < 100; i++) {
        pid_t misstop = misstop_start(watched.pid, arguments);
        nanosleep(&(struct timespec){.tv_nsec = (rand() % 80) * 1000000L}, NULL);
        if (waitpid(misstop, NULL, WNOHANG))
            continue; /* ended by itself: not under test */
        attached++;
        kill(misstop, SIGKILL);
        waitpid(misstop, NULL, 0);
    }
    const char *result = result_of(&watched);
    printf("  result of the watched program %.20s\n", result);
    assert_int_equal(attached, 100);
    assert_string_equal(result, result_of(&alone));
}

/* Both programs get their settings from the environment: see tests/local.mk. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(object_shares_match_the_program),
        cmocka_unit_test(accesses_to_one_set_are_concentrated),
        cmocka_unit_test(even_use_of_sets_is_uniform),
        cmocka_unit_test(two_way_search_backtracks_to_array_e),
        cmocka_unit_test(ten_way_search_is_correct_across_phases),
        cmocka_unit_test(search_finds_hot_lines_of_a_page),
        cmocka_unit_test(jittered_period_does_not_resonate),
        cmocka_unit_test(hot_field_of_an_array_is_one_row),
        cmocka_unit_test(process_with_ended_main_thread_is_watched),
        cmocka_unit_test(target_survives_kill_9_of_misstop),
    };
    source = strstr(argv[0], "counter") ? "counter" : "clock";
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    if (!source_works(source)) {
        printf("SKIP: source %s does not work (misstop doctor says why)\n", source);
        return 77;
    }
    return cmocka_run_group_tests_name(source, tests, NULL, NULL);
}
