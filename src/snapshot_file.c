/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "snapshot_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int write_one(const struct snapshot *snapshot, const struct view_options *options,
                     const char *path, bool json)
{
    FILE *out = fopen(path, "wxe");
    if (!out)
        return -errno;
    struct view_options plain = *options;
    plain.color = VIEW_COLOR_NEVER;
    plain.width = 132;
    int code = json ? json_print(out, snapshot) : text_print(out, snapshot, &plain);
    return fclose(out) && !code ? -errno : code;
}

void snapshot_file_write(const struct snapshot *snapshot, const struct view_options *options,
                         char *message, size_t size)
{
    char stamp[32];
    char text[80];
    char json[80];
    time_t now = time(NULL);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", localtime(&now));
    snprintf(text, sizeof text, "misstop-%" PRIu32 "-%s.txt", snapshot->target.pid, stamp);
    snprintf(json, sizeof json, "misstop-%" PRIu32 "-%s.json", snapshot->target.pid, stamp);
    int code = write_one(snapshot, options, text, false);
    if (!code)
        code = write_one(snapshot, options, json, true);
    if (code)
        snprintf(message, size, "cannot write %s: %s", text, strerror(-code));
    else
        snprintf(message, size, "written: %s and .json", text);
}
