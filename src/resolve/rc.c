/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/rc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Settings of another user, as under sudo, are neither read nor written. */
static bool is_ours(const char *folder)
{
    struct stat status;
    return stat(folder, &status) || status.st_uid == geteuid();
}

int rc_path(char *out, size_t out_size, const char *name)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    int wrote;
    if (config && config[0] == '/') /* the XDG rules: a relative one is not valid */
        wrote = snprintf(out, out_size, "%s/misstop/%s", config, name);
    else if (home && home[0] == '/')
        wrote = snprintf(out, out_size, "%s/.config/misstop/%s", home, name);
    else
        return -ENOENT;
    if (!is_ours(config && config[0] == '/' ? config : home))
        return -EACCES;
    return (size_t)wrote < out_size ? 0 : -ENAMETOOLONG;
}
