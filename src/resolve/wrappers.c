/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/wrappers.h"

#include "resolve/rc.h"

#include "base/text.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Grouped by whose they are. Both plain and mangled names, for symbols may be either. */
static const char *const wrappers_default[] = {
    /* C */
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "valloc",
    "pvalloc",
    "strdup",
    "strndup",
    "asprintf",
    "vasprintf",
    "__libc_*alloc*",
    "__GI___libc_*alloc*",
    "__interceptor_*alloc*",
    "__strdup",
    "__strndup",
    "__asprintf",
    /* C++ */
    "operator new*",
    "_Znw*",
    "_Zna*",
    "std::allocator*",
    "std::__new_allocator<*",
    "__gnu_cxx::new_allocator<*",
    "std::pmr::*allocate*",
    "*::_M_allocate*",
    "*::_M_get_node*",
    "*::_M_create_node*",
    "*::_M_create(*",
    "*::allocate(*",
    "_ZN9__gnu_cxx13new_allocator*",
    "_ZNSt15__new_allocator*",
    "_ZNSt16allocator_traits*",
    "_ZNSaI*8allocate*",
    /* the common names of C programs */
    "xmalloc*",
    "xcalloc*",
    "xrealloc*",
    "xzalloc*",
    "xstrdup*",
    "xstrndup*",
    "xmemdup*",
    "x*alloc",
    "x*allocarray",
    "safe_*alloc*",
    "my_alloc*",
    "my_malloc*",
    "my_calloc*",
    "my_realloc*",
    "mem_alloc*",
    "mem_calloc*",
    "*_malloc",
    "*_calloc",
    "*_realloc",
    "*_zalloc",
    "*_strdup",
    "ggc_*alloc*",
    "ggc_internal_*",
    "obstack_*",
    "_obstack_*",
    "rpl_*alloc*",
    /* GLib, Python, SQLite, Redis, jemalloc, tcmalloc, mimalloc */
    "g_malloc*",
    "g_try_malloc*",
    "g_realloc*",
    "g_try_realloc*",
    "g_slice_*",
    "g_strdup*",
    "g_strndup",
    "g_memdup*",
    "PyObject_Malloc",
    "PyObject_Calloc",
    "PyObject_Realloc",
    "PyMem_*alloc*",
    "PyMem_RawMalloc",
    "_PyObject_Malloc*",
    "_PyObject_Calloc*",
    "_PyObject_Realloc*",
    "_PyMem_*",
    "pymalloc_alloc",
    "new_arena",
    "PyType_GenericAlloc",
    "_PyType_AllocNoTrack",
    "_PyObject_GC_*",
    "sqlite3*Malloc*",
    "sqlite3*Realloc*",
    "sqlite3MemMalloc",
    "sqlite3DbMalloc*",
    "sqlite3DbStrDup",
    "sqlite3DbStrNDup",
    "mallocWithAlarm",
    "dbMallocRawFinish",
    "zmalloc*",
    "zcalloc*",
    "zrealloc*",
    "ztrymalloc*",
    "ztrycalloc*",
    "ztryrealloc*",
    "zstrdup",
    "je_*",
    "_rjem_*",
    "tc_*alloc*",
    "tcmalloc::*",
    "mi_*alloc*",
    "CRYPTO_*alloc*",
    "OPENSSL_*alloc*",
    "apr_palloc*",
    "apr_pcalloc*",
    "talloc_*",
    "_talloc_*",
    /* Rust */
    "__rust_alloc*",
    "__rust_realloc",
    "__rdl_alloc*",
    "__rdl_realloc",
    "alloc::alloc::*",
    "alloc::raw_vec::*",
    "<alloc::alloc::Global*",
};

void wrappers_init(struct wrappers *wrappers)
{
    *wrappers = (struct wrappers){0};
}

void wrappers_fini(struct wrappers *wrappers)
{
    free(wrappers->globs);
    wrappers_init(wrappers);
}

/* fnmatch() tries each star at each place: few stars keep that short. */
static bool too_slow(const char *glob, size_t length)
{
    unsigned stars = 0;
    for (size_t i = 0; i < length; i++)
        stars += glob[i] == '*';
    return stars > WRAPPERS_STARS_MAX;
}

static int add_glob(struct wrappers *wrappers, const char *glob, size_t length)
{
    if (length >= WRAPPERS_GLOB_BYTES || wrappers->count >= WRAPPERS_USER_MAX ||
        memchr(glob, '\0', length) || too_slow(glob, length)) {
        wrappers->skipped++;
        return 0;
    }
    void *bigger = realloc(wrappers->globs, (wrappers->count + 1) * sizeof wrappers->globs[0]);
    if (!bigger)
        return -ENOMEM;
    wrappers->globs = bigger;
    memcpy(wrappers->globs[wrappers->count], glob, length);
    wrappers->globs[wrappers->count][length] = '\0';
    wrappers->count++;
    return 0;
}

int wrappers_add(struct wrappers *wrappers, const char *text)
{
    while (*text) {
        size_t whole = strcspn(text, "\n;");
        const char *glob = text + strspn(text, " \t\r");
        size_t length = glob < text + whole ? whole - (size_t)(glob - text) : 0;
        while (length && strchr(" \t\r", glob[length - 1]))
            length--;
        if (length && *glob != '#' && add_glob(wrappers, glob, length))
            return -ENOMEM;
        text += whole + (text[whole] != '\0');
    }
    return 0;
}

/* The variable comes last, so that it has the last word. */
int wrappers_add_settings(struct wrappers *wrappers)
{
    char path[PATH_MAX];
    char *text = malloc(WRAPPERS_FILE_BYTES);
    const char *variable = getenv("MISSTOP_WRAPPERS");
    int result = text ? 0 : -ENOMEM;
    if (text && !rc_path(path, sizeof path, "wrappers") &&
        text_read_file(path, text, WRAPPERS_FILE_BYTES) > 0)
        result = wrappers_add(wrappers, text);
    free(text);
    if (!result && variable)
        result = wrappers_add(wrappers, variable);
    return result;
}

/* fnmatch() makes wide characters of both first, which a tool that names thousands of call paths
 * feels; most globs are told apart by what stands before their first special character. */
static bool matches(const char *glob, const char *function)
{
    size_t literal = strcspn(glob, "*?[");
    if (strncmp(glob, function, literal))
        return false;
    return glob[literal] ? !fnmatch(glob, function, FNM_NOESCAPE) : !function[literal];
}

bool wrappers_match(const struct wrappers *wrappers, const char *function)
{
    for (unsigned i = wrappers->count; i-- > 0;) {
        const char *glob = wrappers->globs[i];
        if (matches(glob + (*glob == '!'), function))
            return *glob != '!';
    }
    for (size_t i = 0; i < sizeof wrappers_default / sizeof wrappers_default[0]; i++)
        if (matches(wrappers_default[i], function))
            return true;
    return false;
}
