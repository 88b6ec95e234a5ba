/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/source.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"

enum {
    TEXTS_MAX = 16,
    TAILS_MAX = 64,
    LINES_MAX = 1 << 20,
    TEXT_MAX_BYTES = 16 << 20,
    ALL_MAX_BYTES = 64 << 20,
    LINE_BYTES = 4096,
    NOTE_BYTES = 1024,
    TAB_COLUMNS = 8
};

struct source_text {
    char *file; /* as recorded; NULL: free slot */
    char *text; /* NULL: unreadable, and the note has the reason */
    size_t size_bytes;
    uint32_t *starts; /* start of each line */
    uint32_t lines;
    uint64_t last_used; /* last use, by texts->clock */
    char note[NOTE_BYTES];
};

struct source_texts {
    struct source_options options;
    struct source_text texts[TEXTS_MAX];
    size_t size_bytes; /* total of all texts */
    uint64_t clock;
};

struct source_texts *source_texts_new(const struct source_options *options)
{
    struct source_texts *texts = calloc(1, sizeof *texts);
    if (texts)
        texts->options = *options;
    return texts;
}

static size_t source_text_bytes(const struct source_text *text)
{
    return text->size_bytes + text->lines * sizeof *text->starts;
}

static void drop_source_text(struct source_texts *texts, struct source_text *text)
{
    texts->size_bytes -= source_text_bytes(text);
    free(text->file);
    free(text->text);
    free(text->starts);
    *text = (struct source_text){0};
}

void source_texts_free(struct source_texts *texts)
{
    if (!texts)
        return;
    for (size_t i = 0; i < TEXTS_MAX; i++)
        drop_source_text(texts, &texts->texts[i]);
    free(texts);
}

/* Indexes the starts of the first LINES_MAX lines. */
static bool index_lines(struct source_text *text)
{
    uint32_t lines = 1;
    for (size_t i = 0; i < text->size_bytes && lines < LINES_MAX; i++)
        lines += text->text[i] == '\n';
    text->starts = malloc(lines * sizeof *text->starts);
    if (!text->starts)
        return false;
    text->starts[text->lines++] = 0;
    for (size_t i = 0; i < text->size_bytes && text->lines < lines; i++)
        if (text->text[i] == '\n')
            text->starts[text->lines++] = (uint32_t)i + 1;
    return true;
}

/* Reads the text up to the size that the file had at first: it may change meanwhile. */
static bool read_text(struct source_text *text, int fd)
{
    struct stat status;
    if (fstat(fd, &status) || status.st_size <= 0 || status.st_size > TEXT_MAX_BYTES)
        return false;
    text->text = malloc((size_t)status.st_size);
    while (text->text && text->size_bytes < (size_t)status.st_size) {
        ssize_t got = pread(fd, text->text + text->size_bytes,
                            (size_t)status.st_size - text->size_bytes, (off_t)text->size_bytes);
        if (got <= 0)
            break;
        text->size_bytes += (size_t)got;
    }
    if (text->size_bytes && index_lines(text))
        return true;
    free(text->text);
    text->text = NULL;
    text->size_bytes = 0;
    return false;
}

/* Handles an opened or failed file. Returns true to end the search: found, or not to be shown. */
static bool source_take_file(const struct source_options *options, struct source_text *text, int fd,
                             const char *path, const char *where)
{
    char why[FILES_WHY];
    if (fd < 0) {
        text_append(text->note, sizeof text->note, "%s%s%s",
                    *text->note ? ", " : "looked for: ", path, where);
        if (fd != -ENOENT && fd != -ENOTDIR)
            text_append(text->note, sizeof text->note, " (not opened: %s)",
                        files_why(options->files, fd, why));
        return false;
    }
    bool readable = read_text(text, fd);
    close(fd);
    text->note[0] = '\0';
    if (readable)
        text_append(text->note, sizeof text->note, "read from %s%s", path, where);
    else
        text_append(text->note, sizeof text->note, "%s%s cannot be shown: empty or unreadable",
                    path, where);
    return true;
}

/* Returns true if the end of a path stays in the current directory and leads to no hidden file;
 * hidden files are not source. */
static bool may_be_source(const char *tail)
{
    return *tail != '/' && *tail != '.' && !strstr(tail, "/.");
}

/* Tries the tails of the path: debug information is often made elsewhere (/build/x/src/a.c). */
static void try_path_tails(const struct source_options *options, struct source_text *text,
                           const char *file)
{
    char directory[PATH_MAX];
    char path[2 * PATH_MAX];
    char shown[PATH_MAX];
    const char *first = NULL;
    const char *tail = *file == '/' ? file + 1 : file;
    if (!getcwd(directory, sizeof directory) || !strcmp(directory, "/"))
        return;
    for (int i = 0; i < TAILS_MAX && tail && *tail; i++) {
        if (may_be_source(tail)) {
            /* The path starts at our root, so that a user without access to the directory reads
             * nothing in it. */
            snprintf(path, sizeof path, "%s/%s", directory, tail);
            int fd = files_open_below(-1, path, options->files, FILES_FOLLOW, TEXT_MAX_BYTES);
            if (fd != -ENOENT && fd != -ENOTDIR &&
                source_take_file(options, text, fd, tail, " in the current directory"))
                return;
            first = first ? first : tail;
        }
        tail = strchr(tail, '/');
        tail = tail ? tail + 1 : NULL;
    }
    text_sanitise(shown, sizeof shown, directory, strlen(directory));
    if (first)
        text_append(text->note, sizeof text->note, "%s as %s and every shorter tail of it in %s",
                    *text->note ? ", and" : "looked for", first, shown);
}

static void source_search(const struct source_options *options, struct source_text *text)
{
    char path[PATH_MAX];
    const char *file = text->file;
    bool absolute = *file == '/';
    struct files_client *files = options->files;
    bool is_other_root = files && files->is_other_root;
    if (absolute && options->pid &&
        source_take_file(
            options, text,
            files_open_in_root(options->pid, file, files, FILES_FOLLOW, TEXT_MAX_BYTES), file,
            " of the process"))
        return;
    if (absolute && is_other_root)
        text_append(
            text->note, sizeof text->note, "%s%s in misstop's root (not opened: %s)",
            *text->note ? ", " : "looked for: ", file,
            options->pid
                ? "the process has another root; use --symfs DIR for the directory of its files"
                : "recorded on another machine; use --symfs DIR for the directory of its files");
    if (absolute && !is_other_root &&
        source_take_file(options, text,
                         files_open_below(-1, file, files, FILES_FOLLOW, TEXT_MAX_BYTES), file,
                         options->pid ? " in misstop's root" : ""))
        return;
    if (absolute && options->symfs &&
        snprintf(path, sizeof path, "%s%s", options->symfs, file) < (int)sizeof path &&
        source_take_file(options, text, files_open_in_folder(options->symfs, file, TEXT_MAX_BYTES),
                         path, ""))
        return;
    try_path_tails(options, text, file);
}

/* Returns a free slot, otherwise the least recently used one. `with_text`: only one with a text. */
static struct source_text *oldest_source_text(struct source_texts *texts, bool with_text)
{
    struct source_text *old = NULL;
    for (size_t i = 0; i < TEXTS_MAX; i++) {
        struct source_text *text = &texts->texts[i];
        if ((text->text || !with_text) && (!old || text->last_used < old->last_used))
            old = text;
    }
    return old;
}

static struct source_text *source_text_of(struct source_texts *texts, const char *file)
{
    struct source_text *text;
    for (size_t i = 0; i < TEXTS_MAX; i++) {
        text = &texts->texts[i];
        if (text->file && !strcmp(text->file, file)) {
            text->last_used = ++texts->clock;
            return text;
        }
    }
    text = oldest_source_text(texts, false);
    drop_source_text(texts, text);
    text->file = strdup(file);
    if (!text->file)
        return NULL;
    text->last_used = ++texts->clock;
    source_search(&texts->options, text);
    texts->size_bytes += source_text_bytes(text);
    while (texts->size_bytes > ALL_MAX_BYTES) /* one text alone is never larger */
        drop_source_text(texts, oldest_source_text(texts, true));
    return text;
}

/* Columns are counted in bytes, good enough before a tab. A NUL would end the line. */
static size_t expand_tabs(char *out, size_t out_size, const char *in, size_t in_size)
{
    size_t used = 0;
    for (size_t i = 0; i < in_size && used + 1 < out_size; i++) {
        size_t stop = in[i] == '\t' ? used / TAB_COLUMNS * TAB_COLUMNS + TAB_COLUMNS : used + 1;
        while (used < stop && used + 1 < out_size)
            out[used++] = in[i] == '\t' ? ' ' : in[i] ? in[i] : '?';
    }
    return used;
}

bool source_texts_line(struct source_texts *texts, const char *file, uint32_t line, char *out,
                       size_t out_size)
{
    char wide[LINE_BYTES];
    const struct source_text *text = source_text_of(texts, file);
    *out = '\0';
    if (!text || !text->text || !line || line > text->lines)
        return false;
    size_t start = text->starts[line - 1];
    if (start >= text->size_bytes)
        return false; /* after the last newline */
    const char *from = text->text + start;
    const char *end = memchr(from, '\n', text->size_bytes - start);
    size_t size = end ? (size_t)(end - from) : text->size_bytes - start;
    if (size && from[size - 1] == '\r')
        size--;
    size = expand_tabs(wide, sizeof wide, from, size);
    text_sanitise(out, out_size, wide, size);
    return true;
}

const char *source_texts_note(struct source_texts *texts, const char *file)
{
    const struct source_text *text = source_text_of(texts, file);
    return text ? text->note : NULL;
}
