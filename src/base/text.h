/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text that is safe to print. Whatever the target names (paths, comm, symbols)
 * passes text_sanitise() once, where it enters; after that it is printable UTF-8.
 */
#ifndef MISSTOP_BASE_TEXT_H
#define MISSTOP_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct hash;

/*
 * Copies at most size-1 bytes of printable UTF-8 to `out` and ends it with NUL.
 * Control characters (C0, DEL, C1), invalid UTF-8, and characters that steer the
 * direction of text are each replaced by '?'. Never cuts inside a character.
 * `in` need not end with NUL within in_size; out and in may be the same buffer.
 * Returns the length of `out`.
 */
size_t text_sanitise(char *out, size_t out_size, const char *in, size_t in_size);

/* Adds to a text that may be full. */
void text_append(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "512", "4.0K", "1.5M": at most 6 characters, for sizes in bytes. */
const char *text_bytes(char out[16], uint64_t bytes);

/* "999", "12.3k", "4.56M": at most 6 characters, for counts. */
const char *text_count(char out[16], double count);

/* "45.4s", "3m45.4s", "1h03m45s", "250ms"; below a tenth "0.0s": times and lengths of a run, s; "?"
 * for NAN. */
enum { TEXT_TIME_BYTES = 24 };
const char *text_time(char out[TEXT_TIME_BYTES], double seconds);

/*
 * A name that no other of its kind has: where one was given it before, a copy in the arena with the
 * next number, "state #2". `given`: how many have a name so far. NULL: no memory.
 */
const char *text_numbered(struct hash *given, uint64_t kind, const char *name, struct arena *arena);

/* The part of a path behind its last slash; the whole path where that part is empty. */
const char *text_base_name(const char *path);

/* Edit distance (insert, delete, replace: 1 each) ignoring case; for "did you mean". */
unsigned text_distance(const char *a, const char *b);

/* A descriptor of a regular file, or a negative errno: a FIFO would be waited for, for ever. */
int text_open_file(const char *path);

/* Whole of a small file into `out`, NUL-ended. Bytes read, or a negative errno. */
long text_read_file(const char *path, char *out, size_t out_size);

#endif
