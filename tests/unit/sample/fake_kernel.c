/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/sample/fake_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample/sampler.h"
#include "unit.h"

static char folder[] = "/tmp/misstop-fake-XXXXXX";
static char sysfs[64];
static char procfs[64];

const struct kernel *fake_kernel_begin(int (*open_event)(struct perf_event_attr *attr, pid_t pid,
                                                         int cpu, int group_fd,
                                                         unsigned long flags))
{
    static struct kernel kernel;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(sysfs, sizeof sysfs, "%s/sys", folder);
    snprintf(procfs, sizeof procfs, "%s/proc", folder);
    kernel = (struct kernel){open_event, sysfs, procfs};
    return &kernel;
}

void fake_kernel_file(const char *path, const char *text)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/%s", folder, path);
    for (char *slash = name + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        assert_true(!mkdir(name, 0700) || errno == EEXIST);
        *slash = '/';
    }
    FILE *file = fopen(name, "we");
    assert_non_null(file);
    fprintf(file, "%s\n", text);
    fclose(file);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

void fake_kernel_end(void)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int fake_kernel_descriptor(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void fake_kernel_doctor(const struct kernel *kernel, const char *verdict, const char *why)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    doctor_print(out, kernel);
    fclose(out);
    if (!strstr(text, why) || !strstr(text, verdict))
        fail_msg("doctor's output lacks '%s' or '%s':\n%s", verdict, why, text);
    free(text);
}
