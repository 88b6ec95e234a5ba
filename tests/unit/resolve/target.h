/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compiles and starts programs that report where their variables are, for tests of src/resolve. A
 * program prints lines of "NAME ADDRESS" and then "ready", at its start and after each command that
 * it reads. Requires a compiler: the compiler of the build, $CC, or cc.
 */
#ifndef MISSTOP_UNIT_RESOLVE_TARGET_H
#define MISSTOP_UNIT_RESOLVE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "resolve/resolver.h"

enum { TARGET_NAMES = 64 };

struct target {
    pid_t pid;
    FILE *to;
    FILE *from;
    struct {
        char name[48];
        uint64_t address;
    } known[TARGET_NAMES];
    size_t count;
};

/* Returns a folder for this test program's files, made on the first call and emptied at exit. */
const char *target_folder(void);

/* Returns "FOLDER/name", valid for the next sixteen calls. */
const char *target_path(const char *name);

/* Runs a shell command line, formatted as by printf(). Returns true if it succeeds. */
bool target_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Returns the path of the program that a shell command line writes to "$OUT", valid for the next
 * sixteen calls; NULL if it fails. Test runs that share the folder $TARGETS_BUILT build it once.
 */
const char *target_built(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Compiles source text to a file, with the flags before it; returns false without a compiler. */
bool target_build(const char *path, const char *flags, const char *source);

/* Starts a program, in another root directory if `root` is set, and waits until it is ready. */
bool target_start(struct target *target, const char *path, const char *root);

/* Sends the program a command and waits until it is ready again. */
bool target_send_line(struct target *target, const char *command);

void target_end(struct target *target);

/* Returns the last address that the program printed for a name; 0: none. */
uint64_t target_address(const struct target *target, const char *name);

/* Opens a resolver for the program; fails the test if that is not possible. */
struct resolver *target_watch(const struct target *target);

/* Fails the test unless the address is in an object of this name and kind, at this offset. */
void target_expect(struct resolver *resolver, uint64_t address, const char *name,
                   enum object_kind kind, uint64_t offset);

/* Return the name of the object at an address ("(nothing)" if unmapped), and of the function. */
const char *target_object(struct resolver *resolver, uint64_t address);
const char *target_function(struct resolver *resolver, uint64_t ip);

/* A program with all kinds of variables. Commands: open PATH, close, call NAME, thread, quit. */
extern const char target_program[];

#endif
