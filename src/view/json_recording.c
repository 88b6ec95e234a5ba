/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where and how a recording was made; declared in json_part.h. */
#include "view/json_part.h"

json_t *json_recording(const struct snapshot_recording *from)
{
    json_t *out = json_object();
    json_set(out, "position", json_share(from->position_s));
    json_set(out, "length", json_share(from->length_s));
    json_set(out, "host", json_text(from->host));
    json_set(out, "cpu", json_text(from->cpu));
    json_set(out, "kernel", json_text(from->kernel));
    json_set(out, "command", json_text(from->command));
    json_set(out, from->date_exact ? "began" : "written", json_text(from->date));
    json_set(out, "processes", json_known(from->processes));
    json_set(out, "process_share", json_share(from->process_share));
    json_set(out, "addresses", json_text(from->addresses));
    json_set(out, "note", json_text(from->note));
    return out;
}
