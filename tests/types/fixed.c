/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables at fixed places: structs, arrays of one and two dimensions, statics, pointers. */
#include "truth.h"

enum { ROOMS = 16, SIDE = 8 };

struct room {
    int number;
    int guests;
    double price;
    struct room *door[3];
};

struct hotel {
    const char *name;
    struct room rooms[ROOMS];
    long visits;
};

struct hotel hotel = {.name = "first"};
static struct room spare[ROOMS];
struct room *best;
struct room *by_number[ROOMS];
static double matrix[SIDE][SIDE];
static int counts[64];
long visits;
volatile double sink;

MARKED static void check_in(unsigned number)
{
    hotel.rooms[number % ROOMS].guests++;
    hotel.visits++;
    spare[number % 5].price += hotel.rooms[3].price;
    counts[number & 63]++;
    visits += hotel.name[0];
}

MARKED static double earn(void)
{
    double sum = 0;
    for (int i = 0; i < ROOMS; i++)
        sum += hotel.rooms[i].price * hotel.rooms[i].guests;
    for (int i = 0; i < ROOMS; i++)
        spare[i].number = i;
    return sum + best->price + best->door[1]->price;
}

MARKED static double trace(void)
{
    double sum = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            sum += matrix[i][j] * matrix[j][i];
    return sum;
}

MARKED static int ask(unsigned number)
{
    struct room *room = by_number[number % ROOMS];
    room->door[number % 3] = best;
    best = room;
    return room->number + by_number[0]->guests;
}

MARKED static long remember(long fact)
{
    static long facts[32];
    static struct room last;
    static int reported;
    if (!reported++) {
        OBJECT("long", facts, 32);
        OBJECT("struct room", &last, 1);
        fflush(stdout);
    }
    last.guests += (int)fact;
    return facts[fact & 31]++ + last.guests;
}

static void print_types(void)
{
    TYPE("long", long);
    TYPE("int", int);
    TYPE("double", double);
    TYPE("struct room", struct room);
    PART("struct room", struct room, number, "int", int);
    PART("struct room", struct room, guests, "int", int);
    PART("struct room", struct room, price, "double", double);
    PART("struct room", struct room, door, "struct room *", struct room *);
    TYPE("struct hotel", struct hotel);
    PART("struct hotel", struct hotel, name, "char *", char *);
    PART("struct hotel", struct hotel, rooms, "struct room", struct room);
    PART("struct hotel", struct hotel, visits, "long", long);
    TYPE("struct room *", struct room *);
    OBJECT("struct hotel", &hotel, 1);
    OBJECT("struct room", spare, ROOMS);
    OBJECT("struct room *", &best, 1);
    OBJECT("struct room *", by_number, ROOMS);
    OBJECT("double", matrix, SIDE * SIDE);
    OBJECT("int", counts, 64);
    OBJECT("long", &visits, 1);
}

int main(void)
{
    print_types();
    for (int i = 0; i < ROOMS; i++)
        by_number[i] = &spare[i];
    best = &hotel.rooms[2];
    best->door[1] = &spare[1];
    remember(0);
    ready();
    for (unsigned i = 0; i < 8; i++) {
        check_in(i * 5);
        sink = ask(i * 3);
        sink = (double)remember(i);
    }
    best = &hotel.rooms[2];
    best->door[1] = &spare[1];
    sink = earn();
    sink = trace();
    return 0;
}
