/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "config.h"
#include "profile/profile.h"
#include "view/export/files.h"

enum { COMMAND_BYTES = 1024, HOST_BYTES = 320, DATE_BYTES = 40 };

int export_check(const struct options *options, struct error *error)
{
    int code = options->pprof ? pprof_check(options->pprof, error) : 0;
    return !code && options->html ? html_check(options->html, error) : code;
}

/* Joins the words of a command without quotes; line ends and tabs become spaces. */
static void join_words(char *const *words, char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (; *words && used < size; words++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "", *words);
    for (; *out; out++)
        if (*out == '\n' || *out == '\t')
            *out = ' ';
}

static void describe_host(char *out, size_t size)
{
    struct utsname name;
    *out = '\0';
    if (!uname(&name))
        snprintf(out, size, "%s, %s %s %s", name.nodename, name.sysname, name.release,
                 name.machine);
}

static int write_pprof(const char *path, const struct snapshot *snapshot, bool live,
                       struct error *error)
{
    struct timespec now = {0};
    if (live)
        clock_gettime(CLOCK_REALTIME, &now);
    return pprof_write(path, snapshot, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
                       error);
}

static int write_html(const struct options *options, const struct snapshot *snapshot,
                      struct engine *engine, bool live, struct error *error)
{
    char command[COMMAND_BYTES] = "";
    char host[HOST_BYTES] = "";
    char date[DATE_BYTES] = "";
    time_t now = time(NULL);
    struct tm local;
    struct view_sources sources = {.context = engine,
                                   .instruction = engine_instruction,
                                   .source = engine_source,
                                   .source_note = engine_source_note};
    struct html_run run = {
        .command = command, .host = host, .date = date, .version = PACKAGE_STRING};
    if (options->action == OPTIONS_LAUNCH)
        join_words(options->command, command, sizeof command);
    if (live)
        describe_host(host, sizeof host);
    if (localtime_r(&now, &local))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local);
    return html_write(options->html, snapshot, &sources, &run, error);
}

int export_write(const struct options *options, struct engine *engine, pid_t pid,
                 struct error *error)
{
    struct error second;
    if (!options->pprof && !options->html)
        return 0;
    const struct snapshot *snapshot = engine_snapshot_run(engine);
    if (!snapshot)
        return error_set(error, -ENOMEM, "out of memory for %s",
                         options->html ? options->html : options->pprof);
    int code = options->pprof ? write_pprof(options->pprof, snapshot, pid != 0, error) : 0;
    if (options->html) {
        int other = write_html(options, snapshot, engine, pid != 0, code ? &second : error);
        code = code ? code : other;
    }
    snapshot_free(snapshot);
    return code;
}

static int write_format(const struct snapshot *snapshot, const struct view_options *options,
                        const char *path, bool json)
{
    FILE *out = fopen(path, "wxe");
    if (!out)
        return -errno;
    struct view_options plain = *options;
    plain.color = VIEW_COLOR_NEVER;
    plain.width = 132;
    plain.full = true;
    int code = json ? json_print(out, snapshot) : text_print(out, snapshot, &plain);
    return fclose(out) && !code ? -errno : code;
}

void snapshot_file_write(const struct snapshot *snapshot, const struct view_options *options,
                         const char *name, char *message, size_t size)
{
    static const char *const endings[] = {".txt", ".json"};
    char path[PATH_MAX];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s%s", name, endings[i]);
        int code = write_format(snapshot, options, path, i);
        if (code) {
            snprintf(message, size, "cannot write %s: %s%s", path, strerror(-code),
                     code == -EEXIST ? "; W with another name" : "");
            return;
        }
    }
    snprintf(message, size, "written: %s.txt and .json", name);
}
