/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file of bin_rules.h. A rule a line, fields parted by tabs, which no name contains:
 *
 *   rename   FULL-NAME   NEW-NAME
 *   combine  FULL-NAME   FULL-NAME-IT-GOES-INTO
 */
#include "resolve/bin_rules.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The next field of a line, cut at its tab; NULL: no more. */
static char *take_field(char **line)
{
    char *field = *line;
    if (!field)
        return NULL;
    char *tab = strchr(field, '\t');
    if (tab)
        *tab = '\0';
    *line = tab ? tab + 1 : NULL;
    return field;
}

static int parse_line(struct bin_rules *rules, char *line)
{
    char *verb = take_field(&line);
    char *name = take_field(&line);
    char *value = take_field(&line);
    if (!name || !value || line)
        return -EINVAL;
    if (!strcmp(verb, "rename"))
        return bin_rules_rename(rules, name, value);
    if (!strcmp(verb, "combine"))
        return bin_rules_combine(rules, value, name);
    return -EINVAL;
}

static void parse(struct bin_rules *rules, char *text, size_t size)
{
    char *end = text + size;
    while (text < end) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        char *next = newline ? newline + 1 : end;
        size_t length = (size_t)((newline ? newline : end) - text);
        text[length] = '\0'; /* the text has a byte more than its size */
        /* A NUL inside would hide the rest of its line. */
        bool hides = strlen(text) != length;
        if (length && *text != '#' && (hides || parse_line(rules, text)))
            rules->skipped++;
        text = next;
    }
}

/* All of a file, with room for a NUL behind it. Its size, or a negative errno. */
static long read_all(int fd, char **text)
{
    struct stat status;
    if (fstat(fd, &status))
        return -errno;
    if (!S_ISREG(status.st_mode) || status.st_size > BIN_RULES_FILE_BYTES)
        return -EINVAL;
    size_t room = (size_t)status.st_size;
    size_t used = 0;
    ssize_t got = 0;
    *text = malloc(room + 1);
    if (!*text)
        return -ENOMEM;
    while (used < room && (got = read(fd, *text + used, room - used)) > 0)
        used += (size_t)got;
    return got < 0 ? -errno : (long)used;
}

int bin_rules_load(struct bin_rules *rules, const char *path, struct error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0)
        return error_set(error, -errno, "cannot open %s: %s", path, strerror(errno));
    char *text = NULL;
    long size = read_all(fd, &text);
    close(fd);
    if (size >= 0)
        parse(rules, text, (size_t)size);
    free(text);
    if (size == -EINVAL)
        return error_set(error, -EINVAL, "%s is no file of bin names (not regular, or over %d MiB)",
                         path, BIN_RULES_FILE_BYTES >> 20);
    if (size < 0)
        return error_set(error, (int)size, "cannot read %s: %s", path, strerror((int)-size));
    return 0;
}

/* The folders above a path that are missing. */
static void make_folders(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700); /* one that cannot be made shows when the file is opened */
        *slash = '/';
    }
}

static int write_rules(const struct bin_rules *rules, int fd)
{
    FILE *file = fdopen(fd, "w");
    if (!file) {
        int result = -errno;
        close(fd);
        return result;
    }
    fputs("# misstop: names that were given, and which are one. Written by misstop.\n", file);
    for (uint32_t i = 0; i < rules->count; i++)
        fprintf(file, "%s\t%s\t%s\n", rules->rules[i].combines ? "combine" : "rename",
                rules->rules[i].name, rules->rules[i].value);
    int result = fflush(file) || ferror(file) || fsync(fd) ? -(errno ? errno : EIO) : 0;
    if (fclose(file) && !result)
        result = -errno;
    return result;
}

int bin_rules_save(const struct bin_rules *rules, const char *path, struct error *error)
{
    char real[PATH_MAX];
    char fresh[PATH_MAX + 16];
    make_folders(path);
    if (!realpath(path, real)) /* a link is kept: what it points to is replaced */
        snprintf(real, sizeof real, "%s", path);
    snprintf(fresh, sizeof fresh, "%s.XXXXXX", real);
    int fd = mkostemp(fresh, O_CLOEXEC);
    if (fd < 0)
        return error_set(error, -errno, "cannot write %s: %s", path, strerror(errno));
    int result = write_rules(rules, fd);
    if (!result && rename(fresh, real))
        result = -errno;
    if (!result)
        return 0;
    unlink(fresh);
    return error_set(error, result, "cannot write %s: %s", path, strerror(-result));
}
