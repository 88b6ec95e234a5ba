/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/resolve/small_types.h"

#define NONE TYPE_NO_MEMBER
#define TOP(NAME, TYPE, OFFSET, SIZE)                                                              \
    {                                                                                              \
        .name = (NAME), .type = (TYPE), .offset = (OFFSET), .size = (SIZE), .parent = NONE         \
    }
#define PART(PARENT, DEPTH, NAME, TYPE, OFFSET, SIZE)                                              \
    {                                                                                              \
        .name = (NAME), .type = (TYPE), .offset = (OFFSET), .size = (SIZE), .parent = (PARENT),    \
        .depth = (DEPTH)                                                                           \
    }
#define ARRAY(NAME, TYPE, OFFSET, COUNT, STRIDE)                                                   \
    {                                                                                              \
        .name = (NAME), .type = (TYPE), .offset = (OFFSET), .size = (COUNT) * (STRIDE),            \
        .count = (COUNT), .stride = (STRIDE), .parent = NONE                                       \
    }
#define MEMBERS(LIST) .members = (LIST), .member_count = sizeof(LIST) / sizeof *(LIST)

static const struct type_member node[] = {TOP("next", "struct node *", 0, 8),
                                          TOP("value", "int", 8, 4)};
static const struct type_member vec3[] = {TOP("x", "double", 0, 8), TOP("y", "double", 8, 8),
                                          TOP("z", "double", 16, 8)};
static const struct type_member particle[] = {
    TOP("pos", "struct vec3", 0, 24),
    PART(0, 1, "x", "double", 0, 8),
    PART(0, 1, "y", "double", 8, 8),
    PART(0, 1, "z", "double", 16, 8),
    TOP("vel", "struct vec3", 24, 24),
    PART(4, 1, "x", "double", 24, 8),
    PART(4, 1, "y", "double", 32, 8),
    PART(4, 1, "z", "double", 40, 8),
    TOP("mass", "double", 48, 8),
    TOP("id", "int", 56, 4),
    {.name = "alive",
     .type = "unsigned int",
     .offset = 60,
     .size = 4,
     .parent = NONE,
     .bit_size = 1},
    {.name = "kind",
     .type = "unsigned int",
     .offset = 60,
     .size = 4,
     .parent = NONE,
     .bit_offset = 8,
     .bit_size = 9},
};
static const struct type_member other[] = {TOP("a", "double", 0, 8), TOP("b", "double", 8, 8),
                                           ARRAY("rest", "char [48]", 16, 48, 1)};
static const struct type_member message[] = {
    TOP("length", "int", 0, 4),
    TOP("body", "double", 8, 8),
    ARRAY("tail", "struct vec3 []", 16, 0, 24),
    PART(2, 1, "x", "double", 16, 8),
    PART(2, 1, "y", "double", 24, 8),
    PART(2, 1, "z", "double", 32, 8),
};
static const struct type_member choice[] = {
    TOP("tag", "int", 0, 4),
    TOP("", "union", 8, 8),
    PART(1, 1, "whole", "long", 8, 8),
    PART(1, 1, "pair", "struct pair", 8, 8),
    PART(3, 2, "low", "int", 8, 4),
    PART(3, 2, "high", "int", 12, 4),
    ARRAY("values", "short [4]", 16, 4, 2),
};
static const struct type_member cells[] = {
    ARRAY("cells", "union cell [4]", 0, 4, 8),
    PART(0, 1, "whole", "long", 0, 8),
    PART(0, 1, "pair", "struct pair", 0, 8),
    PART(2, 2, "low", "int", 0, 4),
    PART(2, 2, "high", "int", 4, 4),
    ARRAY("vecs", "struct vec3 [2]", 32, 2, 24),
    PART(5, 1, "x", "double", 32, 8),
    PART(5, 1, "y", "double", 40, 8),
    PART(5, 1, "z", "double", 48, 8),
    TOP("n", "int", 80, 4),
    TOP("last", "double", 88, 8),
};

const struct type_desc small_int = {.name = "int", .kind = TYPE_SCALAR, .size = 4};
const struct type_desc small_double = {.name = "double", .kind = TYPE_SCALAR, .size = 8};
const struct type_desc small_pointer = {.name = "struct node *", .kind = TYPE_POINTER, .size = 8};
const struct type_desc small_node = {
    .name = "struct node", .kind = TYPE_STRUCT, .size = 16, MEMBERS(node)};
const struct type_desc small_vec3 = {
    .name = "struct vec3", .kind = TYPE_STRUCT, .size = 24, MEMBERS(vec3)};
const struct type_desc small_particle = {
    .name = "struct particle", .kind = TYPE_STRUCT, .size = 64, MEMBERS(particle)};
const struct type_desc small_other = {
    .name = "struct other", .kind = TYPE_STRUCT, .size = 64, MEMBERS(other)};
const struct type_desc small_message = {
    .name = "struct message", .kind = TYPE_STRUCT, .size = 16, MEMBERS(message)};
const struct type_desc small_choice = {
    .name = "struct choice", .kind = TYPE_STRUCT, .size = 24, MEMBERS(choice)};
const struct type_desc small_cells = {
    .name = "struct cells", .kind = TYPE_STRUCT, .size = 96, MEMBERS(cells)};

struct small_ids small_types_add(struct types *types)
{
    return (struct small_ids){.particle = types_add(types, 1, 1, &small_particle),
                              .vec3 = types_add(types, 1, 2, &small_vec3),
                              .number = types_add(types, 1, 3, &small_double),
                              .node = types_add(types, 1, 4, &small_node),
                              .other = types_add(types, 1, 5, &small_other)};
}
