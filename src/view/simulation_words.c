/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/simulation_words.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "L1 32K 1.24%": of all accesses, so that levels can be compared. */
static size_t say_level(const struct snapshot_simulation *simulation, unsigned level, char *out,
                        size_t size)
{
    char bytes[16];
    const struct simulation_level *from = &simulation->level[level];
    double share =
        100 * (double)(from->load_misses + from->store_misses) / (double)simulation->accesses;
    int length = snprintf(out, size, "%s L%u %s %.*f%%", level ? "," : "", level + 1,
                          text_bytes(bytes, from->size_bytes), share < 0.1 ? 3 : 2, share);
    return length > 0 && (size_t)length < size ? (size_t)length : 0;
}

const char *simulation_pause_name(enum simulation_pause pause)
{
    static const char *const names[] = {"starting", "paused", "before", "outside"};
    return (unsigned)pause < SIMULATION_PAUSE_COUNT ? names[pause] : "outside";
}

static const char *why_not_counting(const struct snapshot_simulation *simulation)
{
    switch (simulation->pause) {
    case SIMULATION_PAUSED:
        return "not counting, T goes on";
    case SIMULATION_BEFORE:
        return "not counting, --sim-from was not reached";
    default:
        return "not counting after --sim-to";
    }
}

/* Which misses are samples. */
static void say_state(const struct snapshot_simulation *simulation, char *out, size_t size)
{
    if (simulation->one_in > 1)
        snprintf(out, size, "; samples are 1 in %" PRIu32 " misses", simulation->one_in);
    else if (!simulation->untold)
        snprintf(out, size, "; every miss is a sample");
    else
        *out = '\0';
}

bool simulation_starts(const struct snapshot_simulation *simulation)
{
    return simulation->level_count && !simulation->counting &&
           simulation->pause == SIMULATION_STARTING;
}

void simulation_sentence(const struct snapshot_simulation *simulation, char *out, size_t size)
{
    char loads[16];
    char stores[16];
    *out = '\0';
    if (!simulation->level_count)
        return;
    if (simulation_starts(simulation)) {
        snprintf(out, size,
                 "simulated: Valgrind starts the program, which will be some tens of times slower");
        return;
    }
    size_t used = (size_t)snprintf(
        out, size, "simulated%s%s%s: %s loads, %s stores", simulation->counting ? "" : " (",
        simulation->counting ? "" : why_not_counting(simulation), simulation->counting ? "" : ")",
        text_count(loads, (double)simulation->loads),
        text_count(stores, (double)simulation->stores));
    if (simulation->accesses && used < size) {
        used += (size_t)snprintf(out + used, size - used, "; missed");
        for (unsigned i = 0; i < simulation->level_count && used < size; i++)
            used += say_level(simulation, i, out + used, size - used);
    }
    if (used < size)
        say_state(simulation, out + used, size - used);
}

/* The figures go before what is said of the samples. */
static void shorten(char *text, int columns)
{
    char *last = strrchr(text, ';');
    if (last && strlen(text) > (size_t)columns)
        *last = '\0';
}

bool simulation_line(const struct snapshot_simulation *simulation, struct canvas *canvas,
                     struct area area)
{
    char text[320];
    simulation_sentence(simulation, text + 1, sizeof text - 1);
    text[0] = ' ';
    shorten(text, area.columns);
    if (text[1])
        canvas_text(canvas, area.row, area.column, area.columns, PAINT_PLAIN, text);
    return text[1] != '\0';
}
