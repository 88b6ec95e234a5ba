/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/demangle.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANGLED_MAX = 1024 };

static int is_mangled(const char *name)
{
    return (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) || !strncmp(name, "__Z", 3);
}

const char *demangle(const char *name, char *out, size_t out_size)
{
    if (!is_mangled(name) || strlen(name) > MANGLED_MAX)
        return NULL;
    /* Rust first: its older names are C++ ones with a hash at their end. */
    char *plain = rust_demangle(name, DMGL_NO_OPTS);
    if (!plain)
        plain = cplus_demangle_v3(name, DMGL_NO_OPTS);
    if (!plain)
        return NULL;
    snprintf(out, out_size, "%s", plain);
    free(plain);
    return out;
}
