/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/bin_rules.h"

#include "base/hash.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

void bin_rules_end_step(struct bin_rules *rules)
{
    rules->is_in_step = false;
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

/* A printable copy; NULL: out of memory. */
static char *clean_copy(const char *name)
{
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (copy)
        text_sanitise(copy, size, name, size);
    return copy;
}

static bool acceptable(const char *name)
{
    return *name && strlen(name) < BIN_RULES_NAME_BYTES;
}

static int bin_rules_add(struct bin_rules *rules, bool combines, const char *name,
                         const char *value)
{
    if (rules->count >= BIN_RULES_MAX)
        return -ENOSPC;
    struct bin_rule *bigger = realloc(rules->rules, (rules->count + 1) * sizeof *bigger);
    if (!bigger)
        return -ENOMEM;
    rules->rules = bigger;
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

static const struct bin_rule *combined_into(const struct bin_rules *rules, const char *name,
                                            uint64_t hash)
{
    for (uint32_t i = 0; i < rules->count; i++) {
        const struct bin_rule *rule = &rules->rules[i];
        if (rule->combines && rule->name_hash == hash && !strcmp(rule->name, name))
            return rule;
    }
    return NULL;
}

/* Ends: a rule is only ever made from the head of one group to the head of another. */
static const char *group_head(const struct bin_rules *rules, const char *full_name, uint64_t *hash)
{
    const struct bin_rule *way;
    while ((way = combined_into(rules, full_name, *hash))) {
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
    for (uint32_t i = rules->count; i-- > 0;) { /* the last one counts */
        const struct bin_rule *rule = &rules->rules[i];
        if (!rule->combines && rule->name_hash == hash && !strcmp(rule->name, full_name))
            return rule->value;
    }
    return NULL;
}

static const char *head_of(const struct bin_rules *rules, const char *full_name)
{
    uint64_t hash = name_hash(full_name);
    return group_head(rules, full_name, &hash);
}

int bin_rules_rename(struct bin_rules *rules, const char *full_name, const char *new_name)
{
    if (!acceptable(full_name) || !acceptable(new_name))
        return -EINVAL;
    return bin_rules_add(rules, false, head_of(rules, full_name), new_name);
}

int bin_rules_combine(struct bin_rules *rules, const char *into, const char *from)
{
    if (!acceptable(into) || !acceptable(from))
        return -EINVAL;
    into = head_of(rules, into);
    from = head_of(rules, from);
    if (!strcmp(into, from))
        return -EEXIST;
    return bin_rules_add(rules, true, from, into);
}
