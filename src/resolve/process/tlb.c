/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/process/memory_use.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/settings.h"
#include "base/text.h"
#include "resolve/heap/bin_rules.h"

enum { AMD_CACHES = (int)0x80000006, AMD_FEATURES = (int)0x80000021 };
enum { INTEL_TRANSLATIONS = 0x18, SUBLEAVES_MAX = 16 };
enum { KIND_DATA = 1, KIND_UNIFIED = 3 };
enum { AMD_TIMES_32 = 1 << 14, AMD_MIN = 512 /* family 10h; later ones have at least 1024 */ };

static const double walk_least_ns = 2; /* a walk takes longer, even if its reads hit the L1 cache */
static const double walk_begins = 0.5;

uint32_t tlb_entries_amd(uint32_t ebx, uint32_t eax_21)
{
    uint32_t entries = ebx >> 28 ? ebx >> 16 & 0xfff : 0;
    entries *= eax_21 & AMD_TIMES_32 ? 32 : 1;
    return entries >= AMD_MIN ? entries : 0;
}

uint32_t tlb_entries_intel(uint32_t ebx, uint32_t ecx, uint32_t edx)
{
    uint32_t kind = edx & 0x1f;
    bool data = kind == KIND_DATA || kind == KIND_UNIFIED;
    uint64_t entries = (uint64_t)(ebx >> 16) * ecx;
    return data && ebx & 1 && entries < 1 << 20 ? (uint32_t)entries : 0;
}

/* ---- the CPU's report ---- */

/* Formats vendor, family, model and stepping, and whether there is a hypervisor. */
static void name_cpu(char *out, size_t size)
{
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    char vendor[13] = "";
    __get_cpuid(0, &eax, &ebx, &ecx, &edx);
    memcpy(vendor, &ebx, 4);
    memcpy(vendor + 4, &edx, 4);
    memcpy(vendor + 8, &ecx, 4);
    for (char *at = vendor; *at; at++)
        if (*at <= ' ' || *at > '~')
            *at = '?';
    __get_cpuid(1, &eax, &ebx, &ecx, &edx);
    snprintf(out, size, "%s-%x%s", vendor, eax, ecx >> 31 ? "-guest" : "");
}

/* Returns the size that the CPU reports; 0: none. */
static uint32_t tlb_reported(void)
{
    unsigned eax, ebx, ecx, edx, ebx_6 = 0;
    uint32_t most = 0;
    if (__get_cpuid((unsigned)AMD_CACHES, &eax, &ebx_6, &ecx, &edx)) {
        if (!__get_cpuid_count((unsigned)AMD_FEATURES, 0, &eax, &ebx, &ecx, &edx))
            eax = 0;
        most = tlb_entries_amd(ebx_6, eax);
    }
    for (unsigned i = 0;
         i < SUBLEAVES_MAX && __get_cpuid_count(INTEL_TRANSLATIONS, i, &eax, &ebx, &ecx, &edx);
         i++) {
        uint32_t entries = tlb_entries_intel(ebx, ecx, edx);
        most = entries > most ? entries : most;
    }
    return most;
}

uint32_t tlb_entries_kept(FILE *file, const char *cpu)
{
    char line[128];
    uint32_t entries = 0;
    while (fgets(line, sizeof line, file)) {
        char name[64];
        unsigned long pages;
        if (sscanf(line, "%63s %lu", name, &pages) == 2 && !strcmp(name, cpu) && pages < 1 << 20)
            entries = (uint32_t)pages;
    }
    return entries;
}

uint32_t tlb_entries(void)
{
    char path[PATH_MAX];
    char cpu[64];
    uint32_t entries = 0;
    name_cpu(cpu, sizeof cpu);
    int fd = settings_path(path, sizeof path, "tlb") ? -ENOENT : text_open_file(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (file) {
        entries = tlb_entries_kept(file, cpu);
        fclose(file);
    } else if (fd >= 0) {
        close(fd);
    }
    return entries ? entries : tlb_reported();
}

/* Saves a measurement, and creates the folder if necessary; does nothing if it is not writable. */
static bool tlb_keep(const char *cpu, uint32_t entries)
{
    char path[PATH_MAX];
    if (settings_path(path, sizeof path, "tlb"))
        return false;
    if (tlb_entries() == entries && tlb_reported() != entries)
        return true; /* already saved */
    settings_make_folders(path);
    struct stat status;
    /* Avoid blocking on a FIFO and following a link. */
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    FILE *file = fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode) ? fdopen(fd, "a") : NULL;
    if (!file) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool wrote = fprintf(file, "%s %u\n", cpu, (unsigned)entries) > 0;
    return !fclose(file) && wrote;
}

/* ---- measurement ---- */

enum { PAGE = 4096, LINE = 64, PAGES_MAX = 8192, REPEATS = 6, MAPPINGS = 3 };

/* At most the number of lines of a 512 KiB L2 cache; otherwise data misses would be measured. */
static const uint32_t measured_pages[] = {512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192};
enum { MEASURED = sizeof measured_pages / sizeof *measured_pages };

uint32_t tlb_knee(const uint32_t *pages, const double *ns, size_t count)
{
    if (count < 2 || !(ns[count - 1] - ns[0] >= walk_least_ns))
        return 0;
    double begins = ns[0] + walk_begins * (ns[count - 1] - ns[0]);
    size_t last = 0;
    while (last + 1 < count && ns[last + 1] < begins)
        last++;
    return pages[last];
}

/* Returns one line per page, spread over the L1 cache's sets; or consecutive lines if `dense`. */
static char *tlb_place_of(char *memory, uint32_t i, bool dense)
{
    return dense ? memory + (size_t)i * LINE
                 : memory + (size_t)i * PAGE + (size_t)i * 5 * LINE % PAGE;
}

/* Measures the time per access in a chain through `count` random places: the best round. */
static double chain_ns(char *memory, bool dense, uint32_t count, uint32_t *order, struct prng *prng)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = (uint32_t)prng_below(prng, i);
        uint32_t other = order[i - 1];
        order[i - 1] = order[k];
        order[k] = other;
    }
    for (uint32_t i = 0; i < count; i++)
        *(void *volatile *)(void *)tlb_place_of(memory, order[i], dense) =
            tlb_place_of(memory, order[(i + 1) % count], dense);
    void *volatile *at = (void *volatile *)(void *)tlb_place_of(memory, order[0], dense);
    for (int round = 0; round < REPEATS; round++) {
        uint64_t began_ns = clock_thread_cpu_ns();
        for (uint32_t i = 0; i < PAGES_MAX; i++)
            at = (void *volatile *)*at;
        double took = (double)(clock_thread_cpu_ns() - began_ns) / PAGES_MAX;
        best = took < best ? took : best;
    }
    return best;
}

/* Measures translation as the difference to as many lines on few pages. A mapping's physical pages
 * spread its entries over the TLB's sets, so several mappings are averaged. */
static bool tlb_measure(double ns[MEASURED])
{
    struct prng prng = {29};
    uint32_t *order = malloc(PAGES_MAX * sizeof *order);
    for (int i = 0; i < MEASURED; i++)
        ns[i] = 0;
    for (int k = 0; order && k < MAPPINGS; k++) {
        size_t size = (size_t)PAGES_MAX * PAGE;
        char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            free(order);
            return false;
        }
        madvise(memory, size, MADV_NOHUGEPAGE);
        for (int i = 0; i < MEASURED; i++) {
            double dense = chain_ns(memory, true, measured_pages[i], order, &prng);
            double apart = chain_ns(memory, false, measured_pages[i], order, &prng);
            ns[i] += (apart - dense) / MAPPINGS;
        }
        munmap(memory, size);
    }
    bool done = order != NULL;
    free(order);
    return done;
}

void tlb_doctor(FILE *out)
{
    double ns[MEASURED];
    char cpu[64];
    name_cpu(cpu, sizeof cpu);
    uint32_t reported = tlb_reported();
    uint32_t pages = tlb_measure(ns) ? tlb_knee(measured_pages, ns, MEASURED) : 0;
    fprintf(out, "TLB (findings about pages)\n");
    if (pages)
        fprintf(out,
                "  page walks begin beyond about %u pages of 4 KiB (%.1f MiB), measured; the CPU "
                "reports %.0u%s\n  %s\n",
                (unsigned)pages, pages / 256.0, (unsigned)reported,
                reported ? "" : "no plausible size",
                tlb_keep(cpu, pages) ? "saved for this CPU model"
                                     : "not saved: the settings directory is not writable");
    else
        fprintf(out, "  not known: page walks took no measurable time\n");
}
