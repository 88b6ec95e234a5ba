/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of what is known beside places and names, as of a refresh. A text is the id of a string; a
 * double its bits. For src/store only. */
#ifndef MISSTOP_STORE_FORM_FACTS_H
#define MISSTOP_STORE_FORM_FACTS_H

enum event_field {
    EVENT_ROW_NAME,
    EVENT_ROW_ROLE,
    EVENT_ROW_WEIGHS,
    EVENT_ROW_PERIOD,
    EVENT_ROW_OPENED_ON,
    EVENT_ROW_COUNTED, /* a double */
    EVENT_ROW_FIELDS
};

enum facts_field {
    FACTS_ROW_SOURCE,
    FACTS_ROW_WEIGHS,
    FACTS_ROW_NOTE,
    FACTS_ROW_GIVES, /* 1: exact address, 2: exact ip, 4: latency, 8: data source, 16: lines */
    FACTS_ROW_EVENTS,
    FACTS_ROW_PID,
    FACTS_ROW_THREADS,
    FACTS_ROW_COMM,
    FACTS_ROW_EXE,
    FACTS_ROW_ALIVE,
    FACTS_ROW_CACHE_LEVEL,
    FACTS_ROW_CACHE_SIZE,
    FACTS_ROW_CACHE_WAYS,
    FACTS_ROW_CACHE_LINE,
    FACTS_ROW_HOST,
    FACTS_ROW_FIELDS
};

/* Exact totals since the start. */
enum simulation_field {
    SIMULATION_ROW_LEVELS, /* 0: nothing is simulated */
    SIMULATION_ROW_LOADS,
    SIMULATION_ROW_STORES,
    SIMULATION_ROW_ACCESSES,
    SIMULATION_ROW_ONE_IN,
    SIMULATION_ROW_UNTOLD,
    SIMULATION_ROW_COUNTING,
    SIMULATION_ROW_PAUSE,
    SIMULATION_ROW_FIELDS
};

enum sim_level_field {
    SIM_LEVEL_ROW_SIZE,
    SIM_LEVEL_ROW_WAYS,
    SIM_LEVEL_ROW_LINE,
    SIM_LEVEL_ROW_LOAD_MISSES,
    SIM_LEVEL_ROW_STORE_MISSES,
    SIM_LEVEL_ROW_FIELDS
};

enum watching_field {
    WATCHING_ROW_ON,
    WATCHING_ROW_REGISTERS,
    WATCHING_ROW_THREADS,
    WATCHING_ROW_LEFT_OUT,
    WATCHING_ROW_OFFERED,
    WATCHING_ROW_ARMED,
    WATCHING_ROW_UNPAID,
    WATCHING_ROW_TOUCHES,
    WATCHING_ROW_TRAP, /* this and the next three: doubles */
    WATCHING_ROW_ARM,
    WATCHING_ROW_BUDGET,
    WATCHING_ROW_OVERHEAD,
    WATCHING_ROW_TROUBLE,
    WATCHING_ROW_LINES, /* of L1d, L2 and L3 */
    WATCHING_ROW_FIELDS = WATCHING_ROW_LINES + 3
};

#endif
