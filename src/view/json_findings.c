/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problems that were recognised; declared in json_part.h. */
#include "view/json_part.h"

#include <math.h>

static json_t *finding_of(const struct snapshot_finding *finding)
{
    json_t *out = json_object();
    json_set(out, "kind", json_text(finding_kind_name(finding->kind)));
    json_set(out, "object", json_text(finding->name));
    json_set(out, "field", json_text(finding->field));
    json_set(out, "function", json_text(finding->function));
    json_set(out, "file", json_text(finding->file));
    json_set(out, "line", json_known(finding->line));
    json_set(out, "evidence", json_text(finding->evidence));
    bool range = finding->gain_low > 0;
    json_set(out, "share", json_share(finding->share));
    json_set(out, "gain",
             json_share(range ? (finding->gain_low + finding->gain) / 2 : finding->gain));
    json_set(out, "gain_low", json_share(range ? finding->gain_low : NAN));
    json_set(out, "gain_high", json_share(range ? finding->gain : NAN));
    json_set(out, "gain_is_bound", json_boolean(!isnan(finding->gain) && finding->bound));
    json_set(out, "reckoned", json_text(finding->reckoned));
    json_set(out, "sure", json_text(finding_sure_name(finding->sure)));
    json_set(out, "why_sure", json_text(finding->how_sure));
    json_set(out, "try", json_text(finding->advice));
    json_set(out, "screen", json_text(finding_page_name(finding->page)));
    return out;
}

json_t *json_findings(const struct snapshot_findings *findings)
{
    json_t *out = json_array();
    for (size_t i = 0; i < findings->count; i++)
        json_array_append_new(out, finding_of(&findings->list[i]));
    return out;
}
