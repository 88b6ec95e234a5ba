/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text that is safe to print. Every name from the target (path, comm, symbol) passes
 * text_sanitise() once, where it enters; after that it is printable UTF-8. */
#ifndef MISSTOP_BASE_TEXT_H
#define MISSTOP_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct hash;

/*
 * Copies at most size-1 bytes of printable UTF-8 to `out` and adds a NUL. Replaces each control
 * character (C0, DEL, C1), invalid UTF-8 sequence and character that changes the direction of text
 * by '?'. Never cuts inside a character. `in` need not end with NUL within in_size; out and in may
 * be the same buffer. Returns the length of `out`.
 */
size_t text_sanitise(char *out, size_t out_size, const char *in, size_t in_size);

/* Appends to a text; truncates if the buffer is full. */
void text_append(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Formats a size in bytes: "512", "4.0K", "1.5M": at most 6 characters. */
const char *text_bytes(char out[16], uint64_t bytes);

/* Formats a count: "999", "12.3k", "4.56M": at most 6 characters. */
const char *text_count(char out[16], double count);

/* Formats a time or length of a run in s: "45.4s", "3m45.4s", "1h03m45s", "250ms"; below a tenth of
 * a second "0.0s", and "?" for NAN. */
enum { TEXT_TIME_BYTES = 24 };
const char *text_time(char out[TEXT_TIME_BYTES], double seconds);

/* Returns a name given before with the next number, "state #2", in the arena. `given` counts how
 * often each name was given. NULL: no memory. */
const char *text_numbered(struct hash *given, uint64_t kind, const char *name, struct arena *arena);

/* Returns the part of a path after its last slash, or the whole path if that part is empty. */
const char *text_base_name(const char *path);

/* Insert, delete, replace: 1 each; ignores case. For "did you mean". */
unsigned text_distance(const char *a, const char *b);

/* Opens a regular file. Returns a descriptor or a negative errno. Refuses other files, because
 * opening a FIFO could block forever. */
int text_open_file(const char *path);

/* Reads a small file into `out` and adds a NUL. Returns the bytes read or a negative errno. */
long text_read_file(const char *path, char *out, size_t out_size);

#endif
