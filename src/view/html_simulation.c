/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact totals of a run under simulated caches; declared in html_part.h. */
#include "view/html_part.h"

#include "view/html_table.h"
#include "view/simulation_words.h"

void html_simulation(struct html_writer *writer)
{
    const struct snapshot_simulation *simulation = &writer->snapshot->simulation;
    char text[320];
    if (!simulation->level_count)
        return;
    html_section(writer, "simulation", "Simulated caches",
                 "The program ran under these, and not under the machine's own caches. The totals "
                 "are exact and of the whole run.");
    simulation_sentence(simulation, text, sizeof text);
    html_element(writer, "p", "says", text);
    html_table(writer, &(struct html_table){.columns = &simulation_columns,
                                            .rows = simulation->level,
                                            .count = simulation->level_count,
                                            .most = SIMULATION_LEVELS_MAX});
    html_section_end(writer);
}
