/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/shorten.h"

#include <stdbool.h>
#include <string.h>

/* Arguments that are the default wherever the standard library has a parameter for them. */
static const char *const defaults[] = {", std::allocator<",      ", std::char_traits<",
                                       ", std::default_delete<", ", std::less<",
                                       ", std::hash<",           ", std::equal_to<"};

static void cut(char *from, size_t bytes)
{
    memmove(from, from + bytes, strlen(from + bytes) + 1);
}

static void cut_all(char *name, const char *text)
{
    for (char *at = name; (at = strstr(at, text));)
        cut(at, strlen(text));
}

/* After the bracket that closes the one before `at`; NULL: it is never closed. */
static char *closed(char *at)
{
    unsigned open = 1;
    for (; *at && open; at++) {
        open += *at == '<';
        open -= *at == '>';
    }
    return open ? NULL : at;
}

/* Outermost first: one inside another goes with it. */
static bool cut_argument(char *name, const char *argument)
{
    char *at = strstr(name, argument);
    char *end = at ? closed(at + strlen(argument)) : NULL;
    if (end)
        cut(at, (size_t)(end - at));
    return end;
}

static void close_up(char *name)
{
    for (char *at = name; *at; at++)
        if (*at == ' ' && at[1] == '>')
            cut(at, 1);
}

static void name_string(char *name)
{
    static const char whole[] = "std::basic_string<char>";
    static const char plain[] = "std::string";
    for (char *at = name; (at = strstr(at, whole));) {
        memcpy(at, plain, sizeof plain - 1);
        at += sizeof plain - 1;
        cut(at, sizeof whole - sizeof plain);
    }
}

void shorten_template(char *name)
{
    if (!strchr(name, '<'))
        return;
    cut_all(name, "__cxx11::");
    cut_all(name, "__1::");
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        while (cut_argument(name, defaults[i]))
            continue;
    close_up(name);
    name_string(name);
}
