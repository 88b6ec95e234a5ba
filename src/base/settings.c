/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

enum { CONFIG_BYTES = 1 << 16 };
static const char config_head[] =
    "# misstop: settings, edited with F2 or by hand. man misstop explains them.\n";

static bool is_own_folder(const char *folder)
{
    struct stat status;
    return stat(folder, &status) || status.st_uid == geteuid();
}

int settings_path(char *out, size_t out_size, const char *name)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    int wrote;
    if (config &&
        config[0] == '/') /* XDG base directory specification: a relative path is invalid */
        wrote = snprintf(out, out_size, "%s/misstop/%s", config, name);
    else if (home && home[0] == '/')
        wrote = snprintf(out, out_size, "%s/.config/misstop/%s", home, name);
    else
        return -ENOENT;
    if (!is_own_folder(config && config[0] == '/' ? config : home))
        return -EACCES;
    return (size_t)wrote < out_size ? 0 : -ENAMETOOLONG;
}

static long read_all(int fd, size_t most, char **text)
{
    struct stat status;
    if (fstat(fd, &status))
        return -errno;
    if (!S_ISREG(status.st_mode) || status.st_size > (off_t)most)
        return -EINVAL;
    size_t room = (size_t)status.st_size;
    size_t used = 0;
    ssize_t got = 0;
    *text = malloc(room + 1);
    if (!*text)
        return -ENOMEM;
    while (used < room && (got = read(fd, *text + used, room - used)) > 0)
        used += (size_t)got;
    (*text)[used] = '\0';
    return got < 0 ? -errno : (long)used;
}

long settings_read(const char *path, size_t most, char **text)
{
    *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno == ENOENT ? 0 : -errno;
    long size = read_all(fd, most, text);
    close(fd);
    if (size < 0) {
        free(*text);
        *text = NULL;
    }
    return size;
}

void settings_make_folders(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700); /* if this fails, opening the file reports it */
        *slash = '/';
    }
}

static int write_all(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t wrote = write(fd, text, size);
        if (wrote < 0)
            return -errno;
        text += wrote;
        size -= (size_t)wrote;
    }
    return 0;
}

int settings_write(const char *path, const char *text, size_t size, struct error *error)
{
    char real[PATH_MAX];
    struct atomic_file file;
    settings_make_folders(path);
    if (!realpath(path, real)) /* a link stays: its target is replaced */
        snprintf(real, sizeof real, "%s", path);
    int code = whole_file_open(&file, NULL, real, error);
    return code ? code : whole_file_close(&file, write_all(file.fd, text, size), error);
}

void settings_load(struct settings *settings)
{
    *settings = (struct settings){0};
    long size = settings_path(settings->path, sizeof settings->path, "config")
                    ? -1
                    : settings_read(settings->path, CONFIG_BYTES, &settings->text);
    if (size >= 0 && (!settings->text || strlen(settings->text) == (size_t)size))
        return;
    settings_free(settings);
    settings->path[0] = '\0';
}

void settings_free(struct settings *settings)
{
    free(settings->text);
    settings->text = NULL;
}

/* Returns the start of a key's line, the last one if there are several, or NULL. */
static const char *find_key_line(const struct settings *settings, const char *key)
{
    size_t length = strlen(key);
    const char *found = NULL;
    for (const char *line = settings->text; line && *line;) {
        const char *end = strchr(line, '\n');
        if (!strncmp(line, key, length) && line[length] == '=')
            found = line;
        line = end ? end + 1 : NULL;
    }
    return found;
}

bool settings_get(const struct settings *settings, const char *key, char *out, size_t size)
{
    const char *line = find_key_line(settings, key);
    if (!line)
        return false;
    line += strlen(key) + 1;
    int length = (int)strcspn(line, "\r\n");
    return snprintf(out, size, "%.*s", length, line) < (int)size;
}

int settings_set(struct settings *settings, const char *key, const char *value)
{
    const char *old = settings->text ? settings->text : config_head;
    const char *line = settings->text ? find_key_line(settings, key) : NULL;
    const char *rest = line ? strchr(line, '\n') : NULL;
    size_t before = line ? (size_t)(line - old) : strlen(old);
    bool unended = before && old[before - 1] != '\n';
    rest = rest ? rest + 1 : "";
    char *text;
    if (asprintf(&text, "%.*s%s%s%s%s%s%s", (int)before, old, unended ? "\n" : "", value ? key : "",
                 value ? "=" : "", value ? value : "", value ? "\n" : "", rest) < 0)
        return -ENOMEM;
    free(settings->text);
    settings->text = text;
    return 0;
}

int settings_save(const struct settings *settings, struct error *error)
{
    const char *text = settings->text ? settings->text : "";
    if (!settings->path[0])
        return error_set(error, -EACCES,
                         "settings are not saved: $HOME belongs to another user, or its file "
                         "config cannot be read");
    return settings_write(settings->path, text, strlen(text), error);
}
