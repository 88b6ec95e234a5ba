/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words after `misstop diff`; declared in diff.h. */
#include "diff.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum long_only { OPT_ALL = 256, OPT_SYMFS, OPT_WIDTH, OPT_COLOR, OPT_ASCII };

static const struct option long_options[] = {
    {"pid", required_argument, NULL, 'p'},
    {"json", no_argument, NULL, 'j'},
    {"batch", no_argument, NULL, 'b'},
    {"all", no_argument, NULL, OPT_ALL},
    {"symfs", required_argument, NULL, OPT_SYMFS},
    {"width", required_argument, NULL, OPT_WIDTH},
    {"color", required_argument, NULL, OPT_COLOR},
    {"ascii", no_argument, NULL, OPT_ASCII},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

void diff_help(FILE *out)
{
    fputs("misstop diff: which objects, fields and functions gained or lost between two sides.\n"
          "\n"
          "  misstop diff [OPTION]... A B\n"
          "  misstop diff [OPTION]... A1,A2,A3 B1,B2,B3     several runs a side\n"
          "\n"
          "A and B are recordings (what -i replays) or saved reports (what key W wrote, or -b -j\n"
          "printed; the last one in the file counts), also one of each.\n"
          "\n"
          "      --all             rows that did not change beyond chance too\n"
          "  -j, --json            one JSON object\n"
          "  -p, --pid PID[,PID]   process of the recordings (of A, of B); else the one with most\n"
          "                        samples\n"
          "      --symfs DIR       where the binaries of the recordings are\n"
          "      --width N, --color WHEN, --ascii    as elsewhere\n"
          "  -h, --help            this text\n"
          "\n"
          "Exit status: 0 compared, whether there are differences or not; 1 a file cannot be\n"
          "read or the two cannot be compared; 2 bad usage.\n",
          out);
}

static int parse_number(const char *text, char **end, long low, long high, long *value)
{
    errno = 0;
    *value = strtol(text, end, 10);
    return *end == text || errno || *value < low || *value > high ? -EINVAL : 0;
}

static int parse_pids(struct diff_options *options, const char *text, struct error *error)
{
    char *end;
    long first;
    long second;
    int code = parse_number(text, &end, 1, INT_MAX, &first);
    second = first;
    if (!code && *end == ',')
        code = parse_number(end + 1, &end, 1, INT_MAX, &second);
    if (code || *end)
        return error_set(error, -EINVAL,
                         "diff -p wants a process of the recordings, or one of A and one of B with "
                         "a comma between, not '%s'",
                         text);
    options->pids[0] = (pid_t)first;
    options->pids[1] = (pid_t)second;
    return 0;
}

static int parse_view(struct diff_options *options, int option, const char *text,
                      struct error *error)
{
    static const char *const colors[] = {"auto", "always", "never"};
    char *end;
    long width;
    if (option == OPT_WIDTH) {
        if (parse_number(text, &end, 40, 1000, &width) || *end)
            return error_set(error, -EINVAL,
                             "--width wants a whole number from 40 to 1000, not '%s'", text);
        options->view.width = (unsigned)width;
        return 0;
    }
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, colors[i])) {
            options->view.color = (enum view_color)i;
            return 0;
        }
    return error_set(error, -EINVAL, "--color takes one of auto, always, never, not '%s'", text);
}

static int parse_one(struct diff_options *options, int option, const char *text, const char *word,
                     struct error *error)
{
    switch (option) {
    case 'p':
        return parse_pids(options, text, error);
    case 'b': /* there is no other way to look at it */
        return 0;
    case 'j':
        options->json = true;
        return 0;
    case 'h':
        options->help = true;
        return 0;
    case OPT_ALL:
        options->all = true;
        return 0;
    case OPT_SYMFS:
        options->symfs = text;
        return 0;
    case OPT_ASCII:
        options->view.ascii = true;
        return 0;
    case OPT_WIDTH:
    case OPT_COLOR:
        return parse_view(options, option, text, error);
    default:
        return error_set(error, -EINVAL,
                         "'%s' is no option of diff, or lacks its value; try misstop diff --help",
                         word);
    }
}

int diff_options_parse(struct diff_options *options, char **words, struct error *error)
{
    int count = 0;
    while (words[count])
        count++;
    opterr = 0;
    optind = 0; /* anew: the words before `diff` have been parsed; options may stand anywhere */
    for (;;) {
        int word = optind ? optind : 1;
        int option = getopt_long(count, words, "p:jbh", long_options, NULL);
        if (option == -1)
            break;
        int code = parse_one(options, option, optarg, words[word], error);
        if (code || options->help)
            return code;
    }
    if (count - optind != 2)
        return error_set(error, -EINVAL,
                         "diff wants two recordings or reports, A and B; several of one side with "
                         "commas between; try misstop diff --help");
    options->sides[0] = words[optind];
    options->sides[1] = words[optind + 1];
    return 0;
}
