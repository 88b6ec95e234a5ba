/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A synthetic snapshot for the rules of findings: two objects of the heap, each with 0.4 of the
 * samples, and a window. */
#ifndef MISSTOP_UNIT_PROFILE_RULES_FIXTURE_H
#define MISSTOP_UNIT_PROFILE_RULES_FIXTURE_H

#include "profile/findings/findings.h"
#include "view/findings.h"
#include "unit/names.h"

enum { LINE = 64, BLOCKS = 1 << 20, PAGE = FINDINGS_PAGE_BYTES, TLB = 1536 };
#define BASE (UINT64_C(1) << 32)

/* Ids 7 and 8; their code and bins have the same index. */
extern struct window window;
extern struct arena arena;
extern struct snapshot snapshot;
extern struct snapshot_object objects[2];
extern struct snapshot_code code[3];
extern struct snapshot_bin bins[2];
extern struct snapshot_finding list[FINDINGS_MAX];
extern struct memory_use memory; /* answers its reader */
extern struct fake_names names;
extern struct findings findings;

int findings_setup(void **state);
int findings_teardown(void **state);

/* Makes a bin of `count` blocks with these sizes in bytes. */
struct snapshot_bin bin_of(uint64_t count, uint64_t requested, uint64_t usable);

/* Adds a sample of an object by its id; then gathers the spreads of both objects. */
void add_sample(uint32_t object, uint64_t address);
void gather_samples(void);
uint64_t chance(void);

/* Adds samples of the first object in random order over `bytes`. */
void scatter(uint64_t bytes);

/* Returns the sentences of list[0]. */
const struct finding_words *words(void);

#define REPORTED(rule) (findings.count = 0, findings_apply(&findings, rule), findings.count)
#define RULE(test)     cmocka_unit_test_setup_teardown(test, findings_setup, findings_teardown)

#endif
