/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/landlock.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>

/* All rights of the first version; those that came later cannot write to a file either. */
static const uint64_t handled =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
    LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM;

static bool is_allowed(const char *name)
{
    static const char *const never[] = {"dev", "proc", "sys", ".", ".."};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (!strcmp(name, never[i]))
            return false;
    return true;
}

/* What lies below one entry of the root directory may be read; a plain file there has no rule. */
static void allow(int ruleset, int root, const char *name)
{
    struct landlock_path_beneath_attr rule = {
        .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
        .parent_fd = openat(root, name, O_PATH | O_CLOEXEC | O_DIRECTORY)};
    if (rule.parent_fd < 0)
        return;
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static void allow_all(int ruleset)
{
    DIR *root = opendir("/");
    struct dirent *entry;
    while (root && (entry = readdir(root)))
        if (is_allowed(entry->d_name))
            allow(ruleset, dirfd(root), entry->d_name);
    if (root)
        closedir(root);
}

bool landlock_confine(void)
{
    const struct landlock_ruleset_attr attributes = {.handled_access_fs = handled};
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (ruleset < 0)
        return false;
    allow_all(ruleset);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    bool confined = !syscall(SYS_landlock_restrict_self, ruleset, 0);
    close(ruleset);
    return confined;
}

#else
/* Built with the headers of an older kernel. */
bool landlock_confine(void)
{
    return false;
}
#endif
