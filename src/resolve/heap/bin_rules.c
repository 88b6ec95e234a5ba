/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/heap/bin_rules.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/settings.h"
#include "base/text.h"

void bin_rules_init(struct bin_rules *rules)
{
    *rules = (struct bin_rules){0};
}

static void rule_fini(struct bin_rule *rule)
{
    free(rule->name);
    free(rule->value);
}

void bin_rules_fini(struct bin_rules *rules)
{
    while (bin_rules_undo(rules))
        ;
    free(rules->rules);
    bin_rules_init(rules);
}

void bin_rules_begin_step(struct bin_rules *rules)
{
    rules->steps++;
    rules->is_in_step = true;
}

int bin_rules_end_step(struct bin_rules *rules, int code)
{
    rules->is_in_step = false;
    if (code && rules->count && rules->rules[rules->count - 1].step == rules->steps)
        bin_rules_undo(rules);
    return code;
}

bool bin_rules_undo(struct bin_rules *rules)
{
    if (!rules->count)
        return false;
    uint32_t step = rules->rules[rules->count - 1].step;
    while (rules->count && rules->rules[rules->count - 1].step == step)
        rule_fini(&rules->rules[--rules->count]);
    return true;
}

static uint64_t name_hash(const char *name)
{
    return hash_bytes(name, strlen(name));
}

/* Returns a printable copy; NULL: out of memory. */
static char *clean_copy(const char *name)
{
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (copy)
        text_sanitise(copy, size, name, size);
    return copy;
}

static bool is_valid_bin_name(const char *name)
{
    return *name && strlen(name) < BIN_RULES_NAME_BYTES;
}

static int bin_rules_add(struct bin_rules *rules, bool combines, const char *name,
                         const char *value)
{
    if (rules->count >= BIN_RULES_MAX)
        return -ENOSPC;
    size_t room = rules->count;
    if (!array_reserve_exact(&rules->rules, &room, room + 1, sizeof *rules->rules))
        return -ENOMEM;
    rules->steps += !rules->is_in_step;
    struct bin_rule rule = {.combines = combines,
                            .name = clean_copy(name),
                            .value = clean_copy(value),
                            .step = rules->steps};
    if (!rule.name || !rule.value) {
        rule_fini(&rule);
        return -ENOMEM;
    }
    rule.name_hash = name_hash(rule.name);
    rule.value_hash = name_hash(rule.value);
    rules->rules[rules->count++] = rule;
    return 0;
}

static const struct bin_rule *find_combining_rule(const struct bin_rules *rules, const char *name,
                                                  uint64_t hash)
{
    for (uint32_t i = 0; i < rules->count; i++) {
        const struct bin_rule *rule = &rules->rules[i];
        if (rule->combines && rule->name_hash == hash && !strcmp(rule->name, name))
            return rule;
    }
    return NULL;
}

/* Terminates because every rule leads from the head of one group to the head of another. */
static const char *group_head(const struct bin_rules *rules, const char *full_name, uint64_t *hash)
{
    const struct bin_rule *way;
    while ((way = find_combining_rule(rules, full_name, *hash))) {
        full_name = way->value;
        *hash = way->value_hash;
    }
    return full_name;
}

const char *bin_rules_group(const struct bin_rules *rules, const char *full_name, uint64_t hash,
                            uint32_t *first)
{
    full_name = group_head(rules, full_name, &hash);
    *first = BIN_RULES_NONE;
    for (uint32_t i = 0; i < rules->count && *first == BIN_RULES_NONE; i++) {
        const struct bin_rule *rule = &rules->rules[i];
        if (rule->combines && rule->value_hash == hash && !strcmp(rule->value, full_name))
            *first = i;
    }
    return full_name;
}

const char *bin_rules_name(const struct bin_rules *rules, const char *full_name, uint64_t hash)
{
    full_name = group_head(rules, full_name, &hash);
    for (uint32_t i = rules->count; i-- > 0;) { /* the last rule wins */
        const struct bin_rule *rule = &rules->rules[i];
        if (!rule->combines && rule->name_hash == hash && !strcmp(rule->name, full_name))
            return rule->value;
    }
    return NULL;
}

static const char *full_name_head(const struct bin_rules *rules, const char *full_name)
{
    uint64_t hash = name_hash(full_name);
    return group_head(rules, full_name, &hash);
}

int bin_rules_rename(struct bin_rules *rules, const char *full_name, const char *new_name)
{
    if (!is_valid_bin_name(full_name) || !is_valid_bin_name(new_name))
        return -EINVAL;
    return bin_rules_add(rules, false, full_name_head(rules, full_name), new_name);
}

int bin_rules_combine(struct bin_rules *rules, const char *into, const char *from)
{
    if (!is_valid_bin_name(into) || !is_valid_bin_name(from))
        return -EINVAL;
    into = full_name_head(rules, into);
    from = full_name_head(rules, from);
    if (!strcmp(into, from))
        return -EEXIST;
    return bin_rules_add(rules, true, from, into);
}

/*
 * The file of bin_rules.h has one rule per line. Fields are separated by tabs, which no name
 * contains:
 *
 *   rename   FULL-NAME   NEW-NAME
 *   combine  FULL-NAME   FULL-NAME-IT-GOES-INTO
 */

/* Returns the next field of a line, cut at its tab; NULL: no more. */
static char *next_field(char **line)
{
    char *field = *line;
    if (!field)
        return NULL;
    char *tab = strchr(field, '\t');
    if (tab)
        *tab = '\0';
    *line = tab ? tab + 1 : NULL;
    return field;
}

static int parse_line(struct bin_rules *rules, char *line)
{
    char *verb = next_field(&line);
    char *name = next_field(&line);
    char *value = next_field(&line);
    if (!name || !value || line)
        return -EINVAL;
    if (!strcmp(verb, "rename"))
        return bin_rules_rename(rules, name, value);
    if (!strcmp(verb, "combine"))
        return bin_rules_combine(rules, value, name);
    return -EINVAL;
}

static void bin_rules_parse(struct bin_rules *rules, char *text, size_t size)
{
    char *end = text + size;
    while (text < end) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        char *next = newline ? newline + 1 : end;
        size_t length = (size_t)((newline ? newline : end) - text);
        text[length] = '\0'; /* the buffer has one byte more than the text */
        /* An embedded NUL would hide the rest of its line. */
        bool hides = strlen(text) != length;
        if (length && *text != '#' && (hides || parse_line(rules, text)))
            rules->skipped++;
        text = next;
    }
}

int bin_rules_load(struct bin_rules *rules, const char *path)
{
    char *text;
    long size = settings_read(path, BIN_RULES_FILE_BYTES, &text);
    if (size > 0)
        bin_rules_parse(rules, text, (size_t)size);
    free(text);
    return size < 0 ? (int)size : 0;
}

int bin_rules_save(const struct bin_rules *rules, const char *path)
{
    struct error unread;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return -ENOMEM;
    fputs("# misstop: renamed and combined names. Written by misstop.\n", out);
    for (uint32_t i = 0; i < rules->count; i++)
        fprintf(out, "%s\t%s\t%s\n", rules->rules[i].combines ? "combine" : "rename",
                rules->rules[i].name, rules->rules[i].value);
    int result = fclose(out) ? -ENOMEM : settings_write(path, text, size, &unread);
    free(text);
    return result;
}

void bin_rules_open(struct bin_rules *rules, const char *file)
{
    bin_rules_init(rules);
    if (settings_path(rules->path, sizeof rules->path, file) || bin_rules_load(rules, rules->path))
        rules->path[0] = '\0';
}

void bin_rules_keep(const struct bin_rules *rules)
{
    if (rules->path[0])
        bin_rules_save(rules, rules->path);
}

/* Grouped by library, in the form that the user's have. Both plain and mangled names, because
 * symbols may be either. */
static const char wrappers_default[] =
    /* C */
    "malloc;calloc;realloc;reallocarray;aligned_alloc;posix_memalign;memalign;valloc;pvalloc;"
    "strdup;strndup;asprintf;vasprintf;__libc_*alloc*;__GI___libc_*alloc*;"
    "__interceptor_*alloc*;__strdup;__strndup;__asprintf;"
    /* C++ */
    "operator new*;_Znw*;_Zna*;std::allocator*;std::__new_allocator<*;"
    "__gnu_cxx::new_allocator<*;std::pmr::*allocate*;*::_M_allocate*;*::_M_get_node*;"
    "*::_M_create_node*;*::_M_create;*::allocate;*::_Alloc_node::operator()*;"
    "std::__detail::_AllocNode<*;std::__detail::_ReuseOrAllocNode<*;"
    "std::__allocate_guarded<*;std::__shared_count<*;std::__shared_ptr<*;std::shared_ptr<*;"
    "std::make_shared<*;std::make_unique<*;std::allocate_shared<*;_ZN9__gnu_cxx13new_allocator*;"
    "_ZNSt15__new_allocator*;_ZNSt16allocator_traits*;_ZNSaI*8allocate*;"
    /* the common names of C programs */
    "xmalloc*;xcalloc*;xrealloc*;xzalloc*;xstrdup*;xstrndup*;xmemdup*;x*alloc;x*allocarray;"
    "safe_*alloc*;my_alloc*;my_malloc*;my_calloc*;my_realloc*;mem_alloc*;mem_calloc*;"
    "*_malloc;*_calloc;*_realloc;*_zalloc;*_strdup;ggc_*alloc*;ggc_internal_*;obstack_*;"
    "_obstack_*;rpl_*alloc*;"
    /* GLib, Python, SQLite, Redis, jemalloc, tcmalloc, mimalloc */
    "g_malloc*;g_try_malloc*;g_realloc*;g_try_realloc*;g_slice_*;g_strdup*;g_strndup;"
    "g_memdup*;PyObject_Malloc;PyObject_Calloc;PyObject_Realloc;PyMem_*alloc*;"
    "PyMem_RawMalloc;_PyObject_Malloc*;_PyObject_Calloc*;_PyObject_Realloc*;_PyMem_*;"
    "pymalloc_alloc;new_arena;PyType_GenericAlloc;_PyType_AllocNoTrack;_PyObject_GC_*;"
    "sqlite3*Malloc*;sqlite3*Realloc*;sqlite3MemMalloc;sqlite3DbMalloc*;sqlite3DbStrDup;"
    "sqlite3DbStrNDup;mallocWithAlarm;dbMallocRawFinish;zmalloc*;zcalloc*;zrealloc*;"
    "ztrymalloc*;ztrycalloc*;ztryrealloc*;zstrdup;je_*;_rjem_*;tc_*alloc*;tcmalloc::*;"
    "mi_*alloc*;CRYPTO_*alloc*;OPENSSL_*alloc*;apr_palloc*;apr_pcalloc*;talloc_*;_talloc_*;"
    /* Rust */
    "__rust_alloc*;__rust_realloc;__rdl_alloc*;__rdl_realloc;alloc::alloc::*;"
    "alloc::raw_vec::*;<alloc::alloc::Global*;";

void wrappers_fini(struct wrappers *wrappers)
{
    free(wrappers->globs);
    hash_fini(&wrappers->verdicts);
    *wrappers = (struct wrappers){0};
}

/* Returns true if a glob has too many stars: fnmatch() tries each of them at every position. */
static bool glob_is_too_slow(const char *glob, size_t length)
{
    unsigned stars = 0;
    for (size_t i = 0; i < length; i++)
        stars += glob[i] == '*';
    return stars > WRAPPERS_STARS_MAX;
}

static int add_glob(struct wrappers *wrappers, const char *glob, size_t length)
{
    if (length >= WRAPPERS_GLOB_BYTES || wrappers->count >= WRAPPERS_MAX ||
        memchr(glob, '\0', length) || glob_is_too_slow(glob, length)) {
        wrappers->skipped++;
        return 0;
    }
    size_t room = wrappers->count;
    if (!array_reserve_exact(&wrappers->globs, &room, room + 1, sizeof wrappers->globs[0]))
        return -ENOMEM;
    memcpy(wrappers->globs[wrappers->count], glob, length);
    wrappers->globs[wrappers->count][length] = '\0';
    wrappers->count++;
    hash_clear(&wrappers->verdicts);
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

int wrappers_init(struct wrappers *wrappers)
{
    *wrappers = (struct wrappers){0};
    return wrappers_add(wrappers, wrappers_default);
}

/* The variable comes last, so that it has the last word. */
int wrappers_add_settings(struct wrappers *wrappers)
{
    char path[PATH_MAX];
    char *text = malloc(WRAPPERS_FILE_BYTES);
    const char *variable = getenv("MISSTOP_WRAPPERS");
    int result = text ? 0 : -ENOMEM;
    if (text && !settings_path(path, sizeof path, "wrappers") &&
        text_read_file(path, text, WRAPPERS_FILE_BYTES) > 0)
        result = wrappers_add(wrappers, text);
    free(text);
    if (!result && variable)
        result = wrappers_add(wrappers, variable);
    return result;
}

/* fnmatch() converts both arguments to wide characters, which is slow for thousands of call paths.
 * Comparing the part before the first special character rules out most globs. */
static bool glob_matches(const char *glob, const char *function)
{
    size_t literal = strcspn(glob, "*?[");
    if (strncmp(glob, function, literal))
        return false;
    return glob[literal] ? !fnmatch(glob, function, FNM_NOESCAPE) : !function[literal];
}

static enum wrapper match_wrapper_globs(const struct wrappers *wrappers, const char *function)
{
    for (unsigned i = wrappers->count; i-- > 0;) {
        const char *glob = wrappers->globs[i];
        if (glob_matches(glob + (*glob == '!'), function))
            return *glob == '!' ? WRAPPER_NO : WRAPPER_YES;
    }
    return WRAPPER_NO_RULE;
}

enum wrapper wrappers_match(struct wrappers *wrappers, const char *function)
{
    uint64_t name = hash_bytes(function, strlen(function));
    uint32_t *verdict = hash_insert(&wrappers->verdicts, name, NULL);
    if (!verdict)
        return match_wrapper_globs(wrappers, function);
    if (!*verdict)
        *verdict = match_wrapper_globs(wrappers, function) + 1;
    return *verdict - 1;
}
