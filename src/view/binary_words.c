/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/binary_words.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

enum { REPORT_LINES = 20 };

static const double NOWHERE_TOLD = 0.01;

const char binary_remedy[] =
    "They are found by build-id. Where it was recorded, perf archive packs them: unpack that here "
    "below ~/.debug (tar xf FILE.tar.bz2 -C ~/.debug). Or copy them below a folder and name it "
    "with --symfs DIR, or ask debuginfod's servers with --debuginfod.";

const char binary_code_only[] =
    "The recording tells of no mappings but those of code: variables are known by the files, "
    "stack and heap by their place, and the rest is cut into stretches of 64 MiB. perf record -d "
    "records all mappings.";

static bool is_missing(const struct binary_desc *binary)
{
    return binary->state == BINARY_MISSING || binary->state == BINARY_OTHER;
}

double binary_missing(const struct snapshot_binaries *binaries)
{
    uint64_t samples = 0;
    for (size_t i = 0; i < binaries->count; i++)
        if (is_missing(&binaries->list[i]))
            samples += binaries->list[i].samples;
    return binaries->samples ? (double)samples / (double)binaries->samples : 0;
}

void binary_note(const struct snapshot_binaries *binaries, char *out, size_t size)
{
    double share = binary_missing(binaries);
    double nowhere = binaries->samples ? (double)binaries->nowhere / (double)binaries->samples : 0;
    size_t used = 0;
    *out = '\0';
    if (share > 0)
        used = (size_t)snprintf(out, size,
                                "%.1f%% of the samples are in programs or libraries that are not "
                                "here",
                                share * 100);
    if (nowhere >= NOWHERE_TOLD && used < size)
        snprintf(out + used, size - used,
                 "%s%.1f%% of the samples are in code that no recorded mapping holds: no row shows "
                 "them",
                 used ? "; " : "", nowhere * 100);
}

void binary_fate(const struct binary_desc *binary, char *out, size_t size)
{
    bool elsewhere = binary->found && strcmp(binary->found, binary->path) != 0;
    switch (binary->state) {
    case BINARY_FOUND:
        snprintf(out, size, "%s", elsewhere ? binary->found : "");
        break;
    case BINARY_UNVERIFIED:
        snprintf(out, size, "%s%snot verified, no build-id was recorded",
                 elsewhere ? binary->found : "", elsewhere ? ", " : "");
        break;
    case BINARY_OTHER:
        snprintf(out, size, "another build is here: %s %s%s; recorded was %s", binary->found,
                 binary->found_id ? "has build-id " : "has no build-id",
                 binary->found_id ? binary->found_id : "",
                 binary->build_id ? binary->build_id : "?");
        break;
    default:
        snprintf(out, size, "not found%s%s%s", binary->build_id ? ": build-id " : "",
                 binary->build_id ? binary->build_id : "; no build-id was recorded",
                 binary->elsewhere && !binary->build_id
                     ? ", and a file of its path here need not be it: it was recorded elsewhere"
                     : "");
    }
}

static void report_missing(FILE *out, const struct snapshot_binaries *binaries)
{
    char text[1024];
    size_t lines = 0;
    binary_note(binaries, text, sizeof text);
    if (!(binary_missing(binaries) > 0))
        return;
    fprintf(out, "misstop: %s: what happens there is neither decoded nor named\n", text);
    for (size_t i = 0; i < binaries->count && lines < REPORT_LINES; i++) {
        char count[16];
        const struct binary_desc *binary = &binaries->list[i];
        if (!is_missing(binary))
            continue;
        binary_fate(binary, text, sizeof text);
        fprintf(out, "%8s samples  %s: %s\n", text_count(count, (double)binary->samples),
                binary->path, text);
        lines++;
    }
    fprintf(out, "misstop: %s\n", binary_remedy);
}

static void report_unverified(FILE *out, const struct snapshot_binaries *binaries)
{
    size_t count = 0;
    for (size_t i = 0; i < binaries->count; i++)
        if (binaries->list[i].state == BINARY_UNVERIFIED)
            fprintf(out, "%s%s",
                    count++ ? ", "
                            : "misstop: taken by their paths, not verified, "
                              "for no build-id was recorded: ",
                    binaries->list[i].path);
    if (count)
        fputc('\n', out);
}

void binary_report(FILE *out, const struct snapshot_binaries *binaries)
{
    report_missing(out, binaries);
    report_unverified(out, binaries);
}
