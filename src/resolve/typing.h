/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of types and source lines, and who is asked for the rest: each instruction,
 * variable and stack slot is asked about once (dwarf/reader.h), remembered, and found again with
 * one probe. Until the answer has come, it is not known. Owned by the resolver.
 */
#ifndef MISSTOP_RESOLVE_TYPING_H
#define MISSTOP_RESOLVE_TYPING_H

#include "access.h"
#include "place.h"
#include "resolve/answers.h"
#include "resolve/dwarf/reader.h"
#include "resolve/types.h"

#include <stdbool.h>
#include <stdint.h>

struct module;
struct typing;

/* NULL: out of memory. */
struct typing *typing_new(void);
void typing_free(struct typing *typing);

/* From now on questions wait for their answers, so long all of them together; 0: none does. For
 * recordings. */
void typing_be_patient(struct typing *typing, uint64_t patience_ns);

/* Takes answers; between samples. Number of them. */
size_t typing_run(struct typing *typing, uint64_t now_ns);

/* Code has changed somewhere: what was known of addresses is forgotten, types are not. */
void typing_forget(struct typing *typing);

/*
 * NULL: not known yet. `module` is that of the code, NULL where it has none. The answers stay
 * where they are until the next typing_forget().
 */
const struct typed_operand *typing_operand(struct typing *typing, const struct module *module,
                                           const struct access *access);
const struct typed_variable *typing_global(struct typing *typing, const struct module *module,
                                           uint64_t address, uint64_t pc);
const struct typed_variable *typing_tls(struct typing *typing, const struct module *module,
                                        uint64_t offset, uint64_t pc);
const struct typed_variable *typing_slot(struct typing *typing, const struct module *module,
                                         uint64_t pc, int64_t slot);
const struct typed_line *typing_line(struct typing *typing, const struct module *module,
                                     uint64_t pc);
const struct typed_call *typing_call(struct typing *typing, const struct module *module,
                                     uint64_t address);

const struct types *typing_types(const struct typing *typing);
struct readers_status typing_status(const struct typing *typing);

#endif
