/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Imitates the structures that libjvm.so exports, with a heap of two classes and an array, and a
 * thread that walks it. Prints "CLASS FIELD NANOSECONDS" by its own clock. Built by test_java.sh as
 * libjvm.so (-DLIBRARY) and as a program.
 *
 *     java_planted SECONDS [damaged]
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct vm_struct {
    const char *type;
    const char *field;
    const char *type_text;
    int32_t is_static;
    uint64_t offset;
    const void *address;
};

struct vm_type {
    const char *name;
    const char *super;
    int32_t is[3];
    uint64_t size;
};

void publish(struct vm_struct *structs, struct vm_type *types);

#ifdef LIBRARY
struct vm_struct *gHotSpotVMStructs;
struct vm_type *gHotSpotVMTypes;
#define SAYS(name, value) uint64_t name = value
SAYS(gHotSpotVMStructEntryArrayStride, sizeof(struct vm_struct));
SAYS(gHotSpotVMStructEntryTypeNameOffset, offsetof(struct vm_struct, type));
SAYS(gHotSpotVMStructEntryFieldNameOffset, offsetof(struct vm_struct, field));
SAYS(gHotSpotVMStructEntryIsStaticOffset, offsetof(struct vm_struct, is_static));
SAYS(gHotSpotVMStructEntryOffsetOffset, offsetof(struct vm_struct, offset));
SAYS(gHotSpotVMStructEntryAddressOffset, offsetof(struct vm_struct, address));
SAYS(gHotSpotVMTypeEntryArrayStride, sizeof(struct vm_type));
SAYS(gHotSpotVMTypeEntryTypeNameOffset, offsetof(struct vm_type, name));
SAYS(gHotSpotVMTypeEntrySizeOffset, offsetof(struct vm_type, size));

void publish(struct vm_struct *structs, struct vm_type *types)
{
    gHotSpotVMStructs = structs;
    gHotSpotVMTypes = types;
}
#else
enum { OBJECTS = 1 << 18, LONGS = 1 << 19, CONSTANTS = 16 };

struct symbol {
    uint16_t length;
    char body[62];
} __attribute__((aligned(8)));

struct constants {
    uint64_t head[9];
    struct symbol *at[CONSTANTS];
};

struct fields {
    int32_t length;
    uint16_t words[3][6];
};

struct class
{
    uint64_t vtable;
    struct symbol *name;
    int32_t layout;
    struct class *super;
    struct fields *fields;
    struct constants *constants;
    uint16_t field_count;
};

/* Two classes: Order inherits `id` from Base and has `price` and `next`; a static field is not
 * reported. */
static struct symbol symbols[] = {{4, "Base"},
                                  {15, "shop/cart/Order"},
                                  {2, "[J"},
                                  {2, "id"},
                                  {1, "I"},
                                  {5, "price"},
                                  {1, "J"},
                                  {4, "next"},
                                  {17, "Lshop/cart/Order;"},
                                  {5, "COUNT"}};
static struct constants constants = {.at = {[1] = &symbols[3],
                                            [2] = &symbols[4],
                                            [3] = &symbols[5],
                                            [4] = &symbols[6],
                                            [5] = &symbols[7],
                                            [6] = &symbols[8],
                                            [7] = &symbols[9]}};
static struct fields base_fields = {6, {{0, 1, 2, 0, 12 << 2 | 1, 0}}};
static struct fields order_fields = {
    18, {{0, 3, 4, 0, 16 << 2 | 1, 0}, {8, 7, 4, 0, 1, 0}, {0, 5, 6, 0, 24 << 2 | 1, 0}}};
static struct class *classes; /* Base, Order, long[] */

static struct {
    uint64_t vtable;
    struct {
        void *start;
        uint64_t words;
    } reserved;
} heap, *collected_heap = &heap;
static uint64_t class_base;
static int32_t class_shift = 3;

#define ROW(type, field, of, member)                                                               \
    {                                                                                              \
        type, field, NULL, 0, offsetof(of, member), NULL                                           \
    }
static struct vm_struct structs[] = {
    {"Universe", "_collectedHeap", NULL, 1, 0, &collected_heap},
    {"CollectedHeap", "_reserved", NULL, 0, 8, NULL},
    {"MemRegion", "_start", NULL, 0, 0, NULL},
    {"MemRegion", "_word_size", NULL, 0, 8, NULL},
    {"CompressedKlassPointers", "_narrow_klass._base", NULL, 1, 0, &class_base},
    {"CompressedKlassPointers", "_narrow_klass._shift", NULL, 1, 0, &class_shift},
    {"oopDesc", "_metadata._compressed_klass", NULL, 0, 8, NULL},
    ROW("Klass", "_name", struct class, name),
    ROW("Klass", "_layout_helper", struct class, layout),
    ROW("Klass", "_super", struct class, super),
    ROW("InstanceKlass", "_fields", struct class, fields),
    ROW("InstanceKlass", "_java_fields_count", struct class, field_count),
    ROW("InstanceKlass", "_constants", struct class, constants),
    ROW("Symbol", "_length", struct symbol, length),
    ROW("Symbol", "_body", struct symbol, body),
    {NULL, NULL, NULL, 0, 0, NULL}};
static struct vm_type types[] = {{"ConstantPool", NULL, {0}, sizeof(uint64_t[9])},
                                 {NULL, NULL, {0}, 0}};

struct order {
    uint64_t mark;
    uint32_t class;
    int32_t id;
    int64_t price;
    struct order *next;
};

struct longs {
    uint64_t mark;
    uint32_t class;
    int32_t length;
    int64_t at[LONGS];
};

static struct order *orders;
static struct longs *longs;
static volatile int64_t sink;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static uint64_t chance(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005 + 1442695040888963407;
    return state >> 33;
}

static uint32_t compressed(const struct class *class)
{
    return (uint32_t)(((uint64_t) class - class_base) >> class_shift);
}

static void make_heap(void)
{
    size_t bytes = sizeof *orders * OBJECTS + sizeof *longs;
    orders = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    longs = (struct longs *)(orders + OBJECTS);
    heap.reserved.start = orders;
    heap.reserved.words = bytes / 8;
    for (uint32_t i = 0; i < OBJECTS; i++)
        orders[i] = (struct order){.mark = 1, .class = compressed(&classes[1]), .id = (int)i};
    for (uint32_t i = 0; i < OBJECTS; i++) /* one cycle, in random order */
        orders[i].next = &orders[(i * 99991 + 7) % OBJECTS];
    *longs = (struct longs){.mark = 1, .class = compressed(&classes[2]), .length = LONGS};
}

__attribute__((noinline)) static int64_t walk(struct order **at, long steps)
{
    int64_t sum = 0;
    struct order *order = *at;
    for (; steps > 0; steps--) {
        sum += order->price;
        order = order->next;
    }
    *at = order;
    return sum;
}

__attribute__((noinline)) static int64_t pick(const struct longs *list, long steps)
{
    int64_t sum = 0;
    for (; steps > 0; steps--)
        sum += list->at[chance() % LONGS];
    return sum;
}

int main(int count, char **arguments)
{
    double seconds = count > 1 ? atof(arguments[1]) : 3;
    bool damaged = count > 2;
    struct order *at;
    double walk_ns = 0;
    double pick_ns = 0;
    classes = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    class_base = (uint64_t)classes & ~(uint64_t)0xfffff;
    classes[0] = (struct class){1, &symbols[0], 16, NULL, &base_fields, &constants, 1};
    classes[1] = (struct class){1, &symbols[1], 32, &classes[0], &order_fields, &constants, 3};
    classes[2] = (struct class){1, &symbols[2], (int32_t)0xc0100b03, NULL, NULL, NULL, 0};
    make_heap();
    publish(structs, types);
    if (damaged) { /* a heap of nearly all addresses, invalid names, a class that is its own
                      superclass */
        heap.reserved.words = UINT64_MAX / 16;
        classes[1].super = &classes[1];
        classes[2].name = (struct symbol *)8;
        order_fields.words[0][1] = 60000;
    }
    at = orders;
    while (walk_ns + pick_ns < seconds * 1e9) {
        double began = now_ns();
        sink += walk(&at, 2000 + (long)chance() % 4000);
        walk_ns += now_ns() - began;
        began = now_ns();
        sink += pick(longs, 4000 + (long)chance() % 8000);
        pick_ns += now_ns() - began;
    }
    printf("shop.cart.Order %.0f\nlong[] %.0f\n", walk_ns, pick_ns);
    return 0;
}
#endif
