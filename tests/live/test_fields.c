/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fields end to end: programs with a planted hot field for every kind of access (tests/types/m_*),
 * built by every installed compiler with the options that affect debugging information
 * (test_fields_build.c), watched by misstop. The expected field and its offset come from the
 * program's own offsetof. Uses the clock source, which works everywhere.
 *
 *   make -C build check TESTS=tests/live/test_fields                  a few of each language
 *   FIELDS_FULL=1 build/tests/live/test_fields                        all, with $MISSTOP set
 *   FIELDS_ONLY='g++ *' FIELDS_CASE=vector ...                        patterns of fnmatch(3)
 *
 * Prints a table: right, WRONG, unknown ("?", excused if the compiler left no trace) and why.
 */
#include "test_fields_build.h"
#include "test_fields_watch.h"

#include "run.h"
#include "unit.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS_MAX = 1024, CASE_BYTES = 24, WORKERS = 2 };

/* One case of one build. */
struct job {
    const struct build *build;
    char name[CASE_BYTES];
    bool launch;
    struct judged judged;
};

struct build_result {
    enum build_state state;
    char missing[64];
    bool wanted;
};

static struct job jobs[JOBS_MAX];
static size_t job_count;
static struct build_result *results;
static atomic_size_t next_one;

/* ---- selection ---- */

static bool is_wanted(const char *variable, const char *name)
{
    const char *pattern = getenv(variable);
    return !pattern || !fnmatch(pattern, name, 0);
}

static void add_job(const struct build *build, const char *name, bool launch)
{
    if (!is_wanted("FIELDS_CASE", name))
        return;
    assert_true(job_count < JOBS_MAX);
    struct job *job = &jobs[job_count++];
    job->build = build;
    job->launch = launch;
    snprintf(job->name, sizeof job->name, "%s", name);
    results[build - builds].wanted = true;
}

/* If launched, the agent reports the heap: another way to the same answer, tested once per case. */
static bool also_launched(const struct build *build, const char *name)
{
    return strstr(build->name, "-O2") && !strchr(build->name, ',') &&
           (!strcmp(name, "pointer") || !strcmp(name, "copied") || !strcmp(name, "vector") ||
            !strcmp(name, "allocatable"));
}

static void add_build(const struct build *build, bool full)
{
    char names[256];
    char *rest = NULL;
    const char *cases = full ? build->cases : build->brief;
    if (!cases || !is_wanted("FIELDS_ONLY", build->name))
        return;
    snprintf(names, sizeof names, "%s", cases);
    for (char *one = strtok_r(names, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
        add_job(build, one, false);
        if (full && also_launched(build, one))
            add_job(build, one, true);
    }
}

/* ---- running, a few at a time ---- */

static void *make_builds(void *unused)
{
    for (size_t i; (i = atomic_fetch_add(&next_one, 1)) < build_count;)
        if (results[i].wanted)
            results[i].state =
                build_make(&builds[i], results[i].missing, sizeof results[i].missing);
    return unused;
}

static void *run_jobs(void *unused)
{
    for (size_t i; (i = atomic_fetch_add(&next_one, 1)) < job_count;) {
        struct job *job = &jobs[i];
        char path[128];
        if (results[job->build - builds].state == BUILD_READY)
            job->judged =
                watch_case(build_path(job->build, path, sizeof path), job->name, job->launch);
    }
    return unused;
}

static void in_parallel(void *(*work)(void *))
{
    pthread_t threads[WORKERS];
    next_one = 0;
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, NULL), 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
}

/* ---- the table ---- */

static const char *verdict_word(const struct job *job)
{
    static const char *const words[] = {[VERDICT_NOT_RUN] = "-",
                                        [VERDICT_RIGHT] = "right",
                                        [VERDICT_UNKNOWN] = "?",
                                        [VERDICT_WRONG] = "WRONG",
                                        [VERDICT_BROKEN] = "BROKEN"};
    return words[job->judged.verdict];
}

static void print_build(size_t at)
{
    printf("%-13s %-38s", builds[at].source, builds[at].name);
    if (results[at].state == BUILD_MISSING)
        printf(" skipped: no %s", results[at].missing);
    else if (results[at].state == BUILD_FAILED)
        printf(" cannot be compiled");
    for (size_t i = 0; i < job_count; i++)
        if (jobs[i].build == &builds[at] && results[at].state == BUILD_READY)
            printf(" %s%s:%s", jobs[i].name, jobs[i].launch ? "(launched)" : "",
                   verdict_word(&jobs[i]));
    printf("\n");
}

static bool is_fault(const struct job *job)
{
    enum verdict verdict = job->judged.verdict;
    return verdict == VERDICT_WRONG || verdict == VERDICT_BROKEN ||
           (verdict == VERDICT_UNKNOWN && !excuse_of(job->build, job->name));
}

static void print_reason(const struct job *job)
{
    const char *excuse = excuse_of(job->build, job->name);
    if (job->judged.verdict == VERDICT_RIGHT || job->judged.verdict == VERDICT_NOT_RUN)
        return;
    printf("%s: %s, %s%s: %s%s%s\n", verdict_word(job), job->build->name, job->name,
           job->launch ? " (launched)" : "", job->judged.text, excuse ? "; " : "",
           excuse ? excuse : "");
}

static void print_all(void)
{
    size_t counts[VERDICT_BROKEN + 1] = {0};
    for (size_t i = 0; i < build_count; i++)
        if (results[i].wanted)
            print_build(i);
    for (size_t i = 0; i < job_count; i++) {
        print_reason(&jobs[i]);
        counts[jobs[i].judged.verdict]++;
    }
    printf("%zu cases: %zu right, %zu wrong, %zu unknown, %zu broken, %zu not run\n", job_count,
           counts[VERDICT_RIGHT], counts[VERDICT_WRONG], counts[VERDICT_UNKNOWN],
           counts[VERDICT_BROKEN], counts[VERDICT_NOT_RUN]);
}

static void fields_of_all_builds_are_correct(void **state)
{
    size_t faults = 0;
    (void)state;
    if (!source_works("clock")) {
        print_message("skipped: the clock source does not work (misstop doctor says why)\n");
        skip();
    }
    for (size_t i = 0; i < build_count; i++)
        add_build(&builds[i], getenv("FIELDS_FULL"));
    assert_non_null(builds_folder());
    in_parallel(make_builds);
    in_parallel(run_jobs);
    builds_remove();
    print_all();
    for (size_t i = 0; i < build_count; i++)
        faults += results[i].wanted && results[i].state == BUILD_FAILED;
    for (size_t i = 0; i < job_count; i++)
        faults += is_fault(&jobs[i]);
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fields_of_all_builds_are_correct)};
    results = calloc(build_count, sizeof *results);
    return results ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
