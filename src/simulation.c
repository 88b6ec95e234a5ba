/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "launch.h"

#include "profile/cache/geometry.h"
#include "resolve/heap/feed.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char sysfs_cpu[] = "/sys/devices/system/cpu";

static int add_level(struct sim_settings *wanted, const char *spec, struct error *error)
{
    struct geometry geometry;
    if (wanted->level_count == SIM_LEVELS_MAX)
        return error_set(error, -EINVAL, "--sim: more than %d levels", SIM_LEVELS_MAX);
    int code = geometry_parse(&geometry, spec, sysfs_cpu, error);
    if (code)
        return code;
    struct sim_geometry *level = &wanted->levels[wanted->level_count++];
    *level = (struct sim_geometry){.size_bytes = geometry.size_bytes,
                                   .ways = geometry.ways,
                                   .line_bytes = geometry.line_bytes};
    if (wanted->level_count > 1 && level->line_bytes < level[-1].line_bytes)
        return error_set(error, -EINVAL, "--sim: %s has shorter lines than the level before it",
                         geometry.level);
    return 0;
}

/* Adds the caches that sysfs reports; an L1 is required. */
static int add_machine_caches(struct sim_settings *wanted, struct error *error)
{
    static const char *const names[] = {"L1", "L2", "L3"};
    struct error none = {0};
    int code = add_level(wanted, names[0], error);
    for (size_t i = 1; !code && i < sizeof names / sizeof *names; i++)
        if (add_level(wanted, names[i], &none))
            break;
    return code;
}

int simulation_levels(const char *spec, struct sim_settings *wanted, struct error *error)
{
    char part[80];
    int code = 0;
    wanted->causes = wanted->use = true;
    if (!spec || !*spec)
        return add_machine_caches(wanted, error);
    for (const char *at = spec; !code && at; at = strchr(at, ':')) {
        at += *at == ':';
        size_t length = strcspn(at, ":");
        if (length >= sizeof part)
            return error_set(error, -EINVAL, "--sim: '%.60s...' is not a cache", at);
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        if (!strcmp(part, "causes"))
            wanted->causes = true;
        else if (!strcmp(part, "nocauses"))
            wanted->causes = false;
        else if (!strcmp(part, "use"))
            wanted->use = true;
        else if (!strcmp(part, "nouse"))
            wanted->use = false;
        else if (!strcmp(part, "code"))
            wanted->code = true;
        else if (!strcmp(part, "exact"))
            wanted->exact = true;
        else
            code = add_level(wanted, part, error);
    }
    return code || wanted->level_count ? code : add_machine_caches(wanted, error);
}

/* Finds the folder of the tool, which Valgrind requires. */
static int find_tool(char *folder, size_t size, struct error *error)
{
    static const char tool[] = "valgrind/misstop-amd64-linux";
    int code = launch_find(folder, size, tool, tool, error);
    if (!code)
        *strrchr(folder, '/') = '\0';
    return code;
}

static bool is_in_path(const char *name)
{
    struct error none = {0};
    return feed_refusal(name, &none) != AGENT_LOAD_UNREADABLE;
}

/* Prefers valgrind.bin: Debian's script `valgrind` adds LD_LIBRARY_PATH to the environment. */
static const char *valgrind_launcher(void)
{
    return is_in_path("valgrind.bin") ? "valgrind.bin" : is_in_path("valgrind") ? "valgrind" : NULL;
}

static int check_installed(struct error *error)
{
#ifndef HAVE_SIM
    return error_set(error, -ENOTSUP,
                     "this misstop was built without --sim, because valgrind was missing; "
                     "apt-get install valgrind (Fedora: valgrind-devel) and build again");
#endif
    if (!valgrind_launcher())
        return error_set(error, -ENOENT,
                         "--sim runs the program under valgrind, which is not installed; "
                         "apt-get install valgrind");
    return 0;
}

static int check_command(const struct options *options, struct error *error)
{
    int code = check_installed(error);
    if (code)
        return code;
    struct error why = {0};
    enum agent_load load = feed_refusal(options->command[0], &why);
    if (load == AGENT_LOAD_UNREADABLE || load == AGENT_LOAD_NO_PROGRAM ||
        load == AGENT_LOAD_SCRIPTS)
        return error_set(error, -ENOENT, "cannot run %s: %s", options->command[0], why.text);
    return 0;
}

/* No gdb server, which creates files in /tmp; no settings from the user's Valgrind configuration;
 * no messages about the program's death in its output. */
static int make_command(struct simulation *simulation, char **command, struct error *error)
{
    static const char *const fixed[] = {
        "",        "--command-line-only=yes", "--tool=misstop",       "--vgdb=no",
        "--quiet", "--trace-children=yes",    "--log-file=/dev/null", "--fair-sched=try"};
    enum { FIXED = sizeof fixed / sizeof *fixed };
    size_t count = 0;
    while (command[count])
        count++;
    simulation->command = calloc(FIXED + 1 + count + 1, sizeof *command);
    if (!simulation->command)
        return error_set(error, -ENOMEM, "out of memory");
    char path[48];
    sim_memory_path(&simulation->memory, path, sizeof path);
    snprintf(simulation->memory_option, sizeof simulation->memory_option, "--memory=%s", path);
    memcpy(simulation->command, fixed, sizeof fixed);
    simulation->command[0] = (char *)valgrind_launcher();
    simulation->command[FIXED] = simulation->memory_option;
    memcpy(simulation->command + FIXED + 1, command, count * sizeof *command);
    return 0;
}

static void name_first_level(struct simulation *simulation, const struct sim_settings *wanted)
{
    const struct sim_geometry *first = &wanted->levels[0];
    snprintf(simulation->first_level, sizeof simulation->first_level, "L1=%llu,%u,%u",
             (unsigned long long)first->size_bytes, first->ways, first->line_bytes);
}

int simulation_open(struct simulation *simulation, const struct options *options, const char *agent,
                    struct error *error)
{
    char folder[PATH_MAX + 64];
    char agent_path[PATH_MAX] = "";
    uint32_t period = options->period > UINT32_MAX ? UINT32_MAX : (uint32_t)options->period;
    struct sim_settings wanted = {.count_from = options->sim_from,
                                  .count_to = options->sim_to,
                                  .agent_path = agent ? realpath(agent, agent_path) : NULL,
                                  .period = period};
    *simulation = (struct simulation){.memory = {.fd = -1}};
    int code = check_command(options, error);
    if (!code)
        code = find_tool(folder, sizeof folder, error);
    if (!code)
        code = simulation_levels(options->sim, &wanted, error);
    if (!code)
        code = sim_memory_open(&simulation->memory, &wanted, error);
    if (!code)
        code = make_command(simulation, options->command, error);
    if (code) {
        simulation_close(simulation);
        return code;
    }
    name_first_level(simulation, &wanted);
    setenv("VALGRIND_LIB", folder, 1);
    return 0;
}

void simulation_close(struct simulation *simulation)
{
    sim_memory_close(&simulation->memory);
    free(simulation->command);
    simulation->command = NULL;
}

void simulation_doctor(FILE *out)
{
    struct error error = {0};
    char folder[PATH_MAX + 64];
    int code = check_installed(&error);
    if (!code)
        code = find_tool(folder, sizeof folder, &error);
    fprintf(out, "simulated cache, for programs that misstop starts (--sim -- CMD)\n");
    if (code)
        fprintf(out, "  sim      no   %s\n", error.text);
    else
        fprintf(out, "  sim      yes  every miss of caches of any geometry; no counters needed\n");
}

void simulation_trouble(const struct simulation *simulation, char *out, size_t size)
{
    *out = '\0';
    if (!simulation->memory.shared)
        return;
    if (sim_memory_state(&simulation->memory) == SIM_ABSENT)
        snprintf(out, size,
                 "the program did not start under valgrind; 32-bit programs cannot be simulated");
    else if (sim_memory_state(&simulation->memory) == SIM_GAVE_UP)
        sim_memory_trouble(&simulation->memory, out, size);
}
