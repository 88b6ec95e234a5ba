/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Miss rates and criticality; declared in json_part.h. */
#include "view/json_part.h"

#include <math.h>

static json_t *interval(const struct snapshot_share *share)
{
    if (isnan(share->low))
        return json_null();
    json_t *out = json_object();
    json_set(out, "value", json_share(share->value));
    json_set(out, "low", json_share(share->low));
    json_set(out, "high", json_share(share->high));
    return out;
}

static json_t *rates_of(const struct snapshot_rates *rates)
{
    static const char *const from[] = {"recorded", "counted", "exact"};
    if (!rates)
        return json_null();
    json_t *out = json_object();
    json_t *miss = json_object();
    for (int i = 0; i < RATE_LEVELS; i++)
        json_set(miss, rate_level_name((enum rate_level)i), interval(&rates->miss_rate[i]));
    json_set(out, "from", json_text(from[rates->from]));
    json_set(out, "accessed", interval(&rates->accessed));
    json_set(out, "miss", miss);
    json_set(out, "stall", interval(&rates->stall));
    json_set(out, "missed", interval(&rates->missed));
    json_set(out, "missed_level", json_text(rate_level_name(rates->level)));
    json_set(out, "critical", interval(&rates->critical));
    return out;
}

/* The first level that is known. */
static int level_of(const struct snapshot_rates *rates)
{
    for (int i = 0; rates && i < RATE_LEVELS; i++)
        if (!isnan(rates->miss_rate[i].value))
            return i;
    return -1;
}

void json_set_rates(json_t *out, const struct snapshot_rates *rates)
{
    int level = level_of(rates);
    json_set(out, "accesses", json_count(rates ? rates->accesses : NAN));
    json_set(out, "miss_rate", json_share(level < 0 ? NAN : rates->miss_rate[level].value));
    json_set(out, "miss_rate_of",
             level < 0 ? json_null() : json_text(rate_level_name((enum rate_level)level)));
    json_set(out, "rates", rates_of(rates));
}
