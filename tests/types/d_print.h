/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Output of the programs of the description tests: the truth, from the compiler's offsetof and
 * sizeof and the addresses of variables. Read by tests/unit/resolve/described.c.
 */
#ifndef MISSTOP_TESTS_TYPES_D_PRINT_H
#define MISSTOP_TESTS_TYPES_D_PRINT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
#define PRINT_SIZE(x) ((size_t)sizeof(x))
#else
#define PRINT_SIZE(x) sizeof(x)
#endif

#define MAYBE_UNUSED __attribute__((unused))
#define NOT_INLINED  __attribute__((noinline, noclone))
#ifdef __clang__
#undef NOT_INLINED
#define NOT_INLINED __attribute__((noinline))
#endif

/* "var NAME ADDRESS SIZE COUNT TYPE": a variable; the following lines are about its type. */
#define PRINT_VARIABLE(name, variable, count, type)                                                \
    printf("var %s %llx %llu %llu %s\n", name, (unsigned long long)(uintptr_t) & (variable),       \
           (unsigned long long)PRINT_SIZE(variable), (unsigned long long)(count), type)

/* "thread NAME OFFSET SIZE COUNT TYPE": a thread-local variable; offset from the thread pointer. */
#define PRINT_THREAD(name, variable, count, type)                                                  \
    printf("thread %s %llx %llu %llu %s\n", name,                                                  \
           (unsigned long long)((uintptr_t) & (variable)-thread_pointer()),                        \
           (unsigned long long)PRINT_SIZE(variable), (unsigned long long)(count), type)

/* "at PATH OFFSET SIZE TEXT": a member, and its type as in the source. */
#define PRINT_AT(path, offset, size, text)                                                         \
    printf("at %s %llu %llu %s\n", path, (unsigned long long)(offset), (unsigned long long)(size), \
           text)
#define PRINT_FIELD(type, path, text)                                                              \
    PRINT_AT(#path, offsetof(type, path), PRINT_SIZE(((type *)0)->path), text)

/* "bits PATH BIT SIZE": the bits of a bit-field, counted from the start of the type. */
#define PRINT_BITS(type, path)                                                                     \
    do {                                                                                           \
        union {                                                                                    \
            type value;                                                                            \
            unsigned char bytes[sizeof(type)];                                                     \
        } all;                                                                                     \
        memset(&all, 0, sizeof all);                                                               \
        all.value.path = ~0;                                                                       \
        print_bits(#path, all.bytes, sizeof all.bytes);                                            \
    } while (0)

/* "none PATH": there is no such member. */
#define PRINT_NONE(path) printf("none %s\n", path)

MAYBE_UNUSED static uintptr_t thread_pointer(void)
{
    uintptr_t pointer;
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

MAYBE_UNUSED static void print_bits(const char *path, const unsigned char *bytes, size_t size)
{
    long first = -1;
    long count = 0;
    for (long bit = 0; bit < (long)size * 8; bit++) {
        if (!(bytes[bit / 8] >> bit % 8 & 1))
            continue;
        first = first < 0 ? bit : first;
        count++;
    }
    printf("bits %s %ld %ld\n", path, first, count);
}

/*
 * "slot NAME PC CFA ADDRESS SIZE COUNT TYPE": a variable in the caller's frame. "kind K PC CFA
 * ADDRESS": another slot there.
 */
MAYBE_UNUSED NOT_INLINED static void print_slot(const char *name, void *cfa, const void *variable,
                                                size_t size, size_t count, const char *type)
{
    printf("slot %s %llx %llx %llx %llu %llu %s\n", name,
           (unsigned long long)(uintptr_t)__builtin_return_address(0),
           (unsigned long long)(uintptr_t)cfa, (unsigned long long)(uintptr_t)variable,
           (unsigned long long)size, (unsigned long long)count, type);
}

#define PRINT_SLOT(name, variable, count, type)                                                    \
    print_slot(name, __builtin_dwarf_cfa(), &(variable), PRINT_SIZE(variable), count, type)

MAYBE_UNUSED NOT_INLINED static void print_kind(const char *kind, void *cfa, const void *address)
{
    printf("kind %s %llx %llx %llx\n", kind,
           (unsigned long long)(uintptr_t)__builtin_return_address(0),
           (unsigned long long)(uintptr_t)cfa, (unsigned long long)(uintptr_t)address);
}

#define PRINT_KIND(kind, address) print_kind(kind, __builtin_dwarf_cfa(), address)

/* Prints this call's return address, found below the stack by the instruction after the call. */
MAYBE_UNUSED NOT_INLINED static void print_return(void *cfa)
{
    printf("kind saved %llx %llx %llx\n",
           (unsigned long long)(uintptr_t)__builtin_return_address(0) + 1,
           (unsigned long long)(uintptr_t)cfa,
           (unsigned long long)(uintptr_t)((char *)__builtin_dwarf_cfa() - 8));
}

#endif
