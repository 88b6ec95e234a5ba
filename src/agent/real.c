/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/session.h"
#include "agent/unwind.h"

char real_early[REAL_EARLY_BYTES] __attribute__((aligned(64)));
static size_t early_used;
static struct real found;
static int finding;

static void *real_early_alloc(size_t size_bytes)
{
    if (size_bytes > REAL_EARLY_BYTES)
        return NULL;
    size_t need = (size_bytes + 31) & ~(size_t)15;
    size_t start = __atomic_fetch_add(&early_used, need, __ATOMIC_RELAXED);
    if (start + need > REAL_EARLY_BYTES) {
        errno = ENOMEM;
        return NULL;
    }
    return real_early + start; /* .bss: zeroed, and handed out only once */
}

static size_t usable_unknown(void *block)
{
    (void)block;
    return 0;
}

/* Asking one allocator for the size of another's block would crash. dladdr() would read the whole
 * symbol table of libc, which a simulation would count among the program's misses. */
static bool is_same_library(void *a, void *b)
{
    struct dl_phdr_info first;
    struct dl_phdr_info second;
    return a && b && unwind_find_library((uintptr_t)a, &first) &&
           unwind_find_library((uintptr_t)b, &second) && first.dlpi_phdr == second.dlpi_phdr;
}

static void *next_symbol(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void find_real_functions(void)
{
    struct real all = {
        .malloc = next_symbol("malloc"),
        .calloc = next_symbol("calloc"),
        .realloc = next_symbol("realloc"),
        .free = next_symbol("free"),
        .aligned_alloc = next_symbol("aligned_alloc"),
        .posix_memalign = next_symbol("posix_memalign"),
        .memalign = next_symbol("memalign"),
        .valloc = next_symbol("valloc"),
        .pvalloc = next_symbol("pvalloc"),
        .usable = next_symbol("malloc_usable_size"),
        .mmap = next_symbol("mmap"),
        .munmap = next_symbol("munmap"),
        .mremap = next_symbol("mremap"),
        .dlclose = next_symbol("dlclose"),
        .prctl = next_symbol("prctl"),
    };
    if (!is_same_library((void *)(uintptr_t)all.malloc, (void *)(uintptr_t)all.usable))
        all.usable = usable_unknown;
    all.is_glibc =
        all.usable != usable_unknown &&
        is_same_library((void *)(uintptr_t)all.malloc, next_symbol("gnu_get_libc_version"));
    if (all.malloc && all.calloc && all.realloc && all.free)
        found = all;
}

/*
 * Returns false while the lookup is in progress: dlsym() may itself allocate. The hot pointers
 * change only after the decision about recording, for which libc must have set up the environment.
 */
static bool real_is_ready(bool last_chance)
{
    if (!__atomic_exchange_n(&finding, 1, __ATOMIC_ACQUIRE)) {
        if (!found.malloc)
            find_real_functions();
        if (found.malloc && real.malloc != found.malloc && (environ || last_chance)) {
            session_start(&found);
            real = found;
        }
        __atomic_store_n(&finding, 0, __ATOMIC_RELEASE);
    }
    return found.malloc;
}

/* A program at a fixed address that takes the address of malloc has only a stub of that name. */
bool real_own_malloc(void)
{
    Dl_info info;
    ElfW(Sym) *symbol = NULL;
    void *first = dlsym(RTLD_DEFAULT, "malloc");
    if (is_same_library(first, real_early))
        return false;
    return !dladdr1(first, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
           symbol->st_shndx != SHN_UNDEF;
}

static void *early_malloc(size_t size_bytes)
{
    return real_is_ready(false) ? found.malloc(size_bytes) : real_early_alloc(size_bytes);
}

static void *early_calloc(size_t count, size_t size_bytes)
{
    size_t bytes;
    if (real_is_ready(false))
        return found.calloc(count, size_bytes);
    return __builtin_mul_overflow(count, size_bytes, &bytes) ? NULL : real_early_alloc(bytes);
}

static void *early_realloc(void *block, size_t size_bytes)
{
    return real_is_ready(false) ? found.realloc(block, size_bytes) : NULL;
}

static void early_free(void *block)
{
    if (real_is_ready(false))
        found.free(block);
}

static void *early_aligned_alloc(size_t alignment, size_t size_bytes)
{
    return real_is_ready(false) ? found.aligned_alloc(alignment, size_bytes) : NULL;
}

static int early_posix_memalign(void **block, size_t alignment, size_t size_bytes)
{
    return real_is_ready(false) ? found.posix_memalign(block, alignment, size_bytes) : ENOMEM;
}

static void *early_memalign(size_t alignment, size_t size_bytes)
{
    return real_is_ready(false) ? found.memalign(alignment, size_bytes) : NULL;
}

static void *early_valloc(size_t size_bytes)
{
    return real_is_ready(false) ? found.valloc(size_bytes) : NULL;
}

static void *early_pvalloc(size_t size_bytes)
{
    return real_is_ready(false) ? found.pvalloc(size_bytes) : NULL;
}

static void *early_mmap(void *address, size_t length, int protection, int flags, int fd,
                        off_t offset)
{
    return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

static int early_munmap(void *address, size_t length)
{
    return (int)syscall(SYS_munmap, address, length);
}

static void *early_mremap(void *address, size_t length, size_t new_length, int flags, ...)
{
    __builtin_va_list rest;
    __builtin_va_start(rest, flags);
    void *wanted = flags & MREMAP_FIXED ? __builtin_va_arg(rest, void *) : NULL;
    __builtin_va_end(rest);
    return (void *)syscall(SYS_mremap, address, length, new_length, flags, wanted);
}

static int early_dlclose(void *handle)
{
    return real_is_ready(false) ? found.dlclose(handle) : -1;
}

static int early_prctl(int option, ...)
{
    unsigned long words[4];
    __builtin_va_list rest;
    __builtin_va_start(rest, option);
    for (int i = 0; i < 4; i++)
        words[i] = __builtin_va_arg(rest, unsigned long);
    __builtin_va_end(rest);
    return (int)syscall(SYS_prctl, option, words[0], words[1], words[2], words[3]);
}

struct real real = {
    .malloc = early_malloc,
    .calloc = early_calloc,
    .realloc = early_realloc,
    .free = early_free,
    .aligned_alloc = early_aligned_alloc,
    .posix_memalign = early_posix_memalign,
    .memalign = early_memalign,
    .valloc = early_valloc,
    .pvalloc = early_pvalloc,
    .usable = usable_unknown,
    .mmap = early_mmap,
    .munmap = early_munmap,
    .mremap = early_mremap,
    .dlclose = early_dlclose,
    .prctl = early_prctl,
};

__attribute__((constructor)) static void start_on_load(void)
{
    real_is_ready(true);
    session_hide();
}
