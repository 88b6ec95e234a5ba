/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html.h"

#include "view/html_part.h"
#include "view/whole_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char option[] = "--html";

static void print_title(struct html_writer *writer)
{
    const struct snapshot_target *target = &writer->snapshot->target;
    html_markup(writer, "<title>misstop: ");
    html_text(writer, target->comm && *target->comm ? target->comm : "?");
    html_markup(writer, "</title>\n");
}

/* No page from elsewhere may be asked for anything, whatever stands in the text. */
static const char policy[] =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n";

static void print_page(struct html_writer *writer)
{
    html_markup(writer, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" "
                        "lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    html_markup(writer, "%s", policy);
    html_markup(writer, "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
                        "<meta name=\"color-scheme\" content=\"light dark\"/>\n");
    print_title(writer);
    html_markup(writer, "<style>\n%s</style>\n</head>\n<body>\n", html_style);
    html_head(writer);
    html_short(writer);
    html_findings(writer);
    html_objects(writer);
    html_timeline(writer);
    html_opened_objects(writer);
    html_whatif(writer);
    html_code(writer);
    html_matrix(writer);
    html_reuse(writer);
    html_causes(writer);
    html_simulation(writer);
    html_watch(writer);
    html_sharing(writer);
    html_sets(writer);
    html_window(writer);
    html_heap(writer);
    html_search(writer);
    html_trust(writer);
    html_help(writer);
    html_markup(writer, "<script>\n%s</script>\n</body>\n</html>\n", html_script);
}

int html_print(FILE *out, const struct snapshot *snapshot, const struct screen_sources *sources,
               const struct html_run *run)
{
    struct html_writer writer = {out, snapshot, sources, run};
    errno = 0;
    print_page(&writer);
    return fflush(out) == EOF || ferror(out) ? -(errno ? errno : EIO) : 0;
}

int html_check(const char *path, struct error *error)
{
    return whole_file_check(option, path, error);
}

static int write_to(int fd, const struct snapshot *snapshot, const struct screen_sources *sources,
                    const struct html_run *run)
{
    int own = dup(fd); /* fclose() closes what it was given, which is not ours */
    FILE *out = own < 0 ? NULL : fdopen(own, "w");
    int code = out ? html_print(out, snapshot, sources, run) : -errno;
    if (!out && own >= 0)
        close(own);
    return out && fclose(out) && !code ? -errno : code;
}

int html_write(const char *path, const struct snapshot *snapshot,
               const struct screen_sources *sources, const struct html_run *run,
               struct error *error)
{
    struct whole_file file;
    int code = whole_file_open(&file, option, path, error);
    return code ? code : whole_file_close(&file, write_to(file.fd, snapshot, sources, run), error);
}
