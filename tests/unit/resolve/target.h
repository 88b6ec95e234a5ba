/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs compiled and started by tests of src/resolve, which tell where their variables are.
 * A program prints lines of "NAME ADDRESS" and then "ready", at its start and after each
 * command it reads. Needs a compiler: the one of the build, $CC, or cc.
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

/* A folder for this test program's files, made at the first call and emptied at exit. */
const char *target_folder(void);

/* "FOLDER/name", valid until sixteen calls later. */
const char *target_path(const char *name);

/* Runs a command line of the shell, made as by printf(); true if it succeeds. */
bool target_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Path of the program that a command line of the shell writes to "$OUT", valid until sixteen calls
 * later; NULL if it fails. Test runs that share the folder $TARGETS_BUILT build it once.
 */
const char *target_built(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Compiles a source text to a file; flags come before it. False: there is no compiler. */
bool target_build(const char *path, const char *flags, const char *source);

/* Starts a program and waits until it is ready; with another root directory if root is set. */
bool target_start(struct target *target, const char *path, const char *root);

/* Tells the program something and waits until it is ready again. */
bool target_tell(struct target *target, const char *command);

void target_end(struct target *target);

/* Address the program gave; 0: none of this name. The latest counts. */
uint64_t target_address(const struct target *target, const char *name);

/* A resolver on it; fails the test if there is none. */
struct resolver *target_watch(const struct target *target);

/* Fails the test unless the address is in an object of this name and kind, at this offset. */
void target_expect(struct resolver *resolver, uint64_t address, const char *name,
                   enum object_kind kind, uint64_t offset);

/* Name of the object at an address, "(nothing)" where nothing is mapped; and of the function. */
const char *target_object(struct resolver *resolver, uint64_t address);
const char *target_function(struct resolver *resolver, uint64_t ip);

/* A program with variables of every kind; commands: open PATH, close, call NAME, thread, quit. */
extern const char target_program[];

#endif
