/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares types and variables of programs in several languages with the programs' own output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/insn.h"
#include "resolve/dwarf/die.h"
#include "resolve/dwarf/variables.h"
#include "resolve/members.h"
#include "resolve/typing.h"
#include "unit.h"
#include "unit/resolve/described.h"

static const char *const c_compilers[] = {"gcc", "clang", NULL};

static void c_layouts_match_the_program(void **state)
{
    static const char *const flags[] = {
        "-no-pie -g -gdwarf-5 -O0",
        "-no-pie -g -gdwarf-4 -O2",
        "-no-pie -g -gdwarf-4 -gstrict-dwarf -O0 -fdebug-types-section",
        "-no-pie -g -gdwarf-5 -O2 -fdebug-types-section",
        "-no-pie -g -gdwarf-3 -O0",
        NULL};
    (void)state;
    described_matrix(c_compilers, flags, "d_layout.c", 60);
}

static void c_frames_match_the_program(void **state)
{
    static const char *const flags[] = {"-no-pie -g -gdwarf-5 -O0",
                                        "-no-pie -g -gdwarf-4 -O0 -fomit-frame-pointer",
                                        "-no-pie -g -gdwarf-4 -O1",
                                        "-no-pie -g -gdwarf-5 -O2",
                                        "-no-pie -g -gdwarf-5 -O2 -fno-omit-frame-pointer",
                                        "-no-pie -g -gdwarf-4 -O3",
                                        NULL};
    (void)state;
    described_matrix(c_compilers, flags, "d_frame.c", 20);
}

static void cpp_classes_match_the_program(void **state)
{
    static const char *const compilers[] = {"g++", "clang++", NULL};
    static const char *const flags[] = {"-no-pie -g -gdwarf-5 -O0", "-no-pie -g -gdwarf-4 -O2",
                                        "-no-pie -g -gdwarf-5 -O1 -fdebug-types-section",
                                        "-no-pie -g -gdwarf-4 -O0 -fdebug-types-section", NULL};
    (void)state;
    described_matrix(compilers, flags, "d_classes.cc", 35);
}

static void library_types_match_the_program(void **state)
{
    static const char *const compilers[] = {"g++", "clang++", NULL};
    static const char *const clang[] = {"clang++", NULL};
    static const char *const flags[] = {"-std=c++17 -no-pie -g -gdwarf-5 -O0",
                                        "-std=c++17 -no-pie -g -gdwarf-4 -O2",
                                        "-std=c++17 -no-pie -g -O1 -fdebug-types-section", NULL};
    static const char *const other[] = {"-std=c++17 -stdlib=libc++ -no-pie -g -O0", NULL};
    (void)state;
    described_matrix(compilers, flags, "d_library.cc", 20);
    if (!system("printf '#include <map>' | clang++ -stdlib=libc++ -x c++ -E - >/dev/null 2>&1"))
        described_matrix(clang, other, "d_library.cc", 20);
    else
        print_message("[  SKIPPED ] libc++: its headers are not installed\n");
}

/* Checks that the calls in a function with a known node have this node. */
static void check_node(struct described *described, const char *function, const char *node)
{
    uint64_t code = described_symbol(described, function);
    unsigned known = 0;
    for (uint64_t at = 0; at < 64; at++) {
        struct dwarf_question question = {.ask = DWARF_NODE, .pc = code + at};
        struct dwarf_answer answer;
        uint64_t start;
        uint64_t end;
        if (!program_function(described->program, code + at, &start, &end) || start != code)
            break;
        program_answer(described->program, &question, &answer);
        const struct type_desc *type = program_described(described->program, answer.type);
        if (!type)
            continue;
        assert_string_equal(type->name, node);
        known++;
    }
    if (!known)
        fail_msg("no call in %s knows a node", function);
}

/* Counts the addresses in a function at which this name is given to the allocated block. */
static unsigned count_allocated(struct described *described, const char *function, const char *name)
{
    uint64_t code = described_symbol(described, function);
    unsigned known = 0;
    for (uint64_t at = 1; at < 512; at++) {
        struct dwarf_question question = {.ask = DWARF_CALL, .pc = code + at};
        struct dwarf_answer answer;
        uint64_t start;
        uint64_t end;
        if (!program_function(described->program, code + at, &start, &end) || start != code)
            break;
        program_answer(described->program, &question, &answer);
        known += answer.name && !strcmp(answer.name, name);
    }
    return known;
}

/* Checks the name of the block that a function allocates with a call of another. */
static void assert_call_name(struct described *described, const char *function, const char *callee,
                             const char *name)
{
    uint64_t target = described_symbol(described, callee);
    struct insn *insns;
    size_t count;
    unsigned calls = 0;
    assert_true(
        program_insns(described->program, described_symbol(described, function), &insns, &count));
    for (size_t i = 0; i < count; i++) {
        struct dwarf_question question = {.ask = DWARF_CALL,
                                          .pc = insns[i].address + insns[i].length};
        struct dwarf_answer answer;
        if (insns[i].flow != INSN_CALL || insns[i].target != target)
            continue;
        program_answer(described->program, &question, &answer);
        assert_string_equal(answer.name ? answer.name : "-", name);
        calls++;
    }
    free(insns);
    assert_int_equal(calls, 1);
}

static void callers_reveal_container_node_types(void **state)
{
    static const char *const compilers[] = {"g++", "clang++"};
    (void)state;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        struct described described;
        if (!described_open(&described, compilers[i], "-no-pie -g -O2", "d_nodes.cc"))
            continue;
        check_node(&described, "walk_map", "map<long, order> node");
        check_node(&described, "walk_set", "set<int> node");
        check_node(&described, "move_orders", "list<order> node");
        check_node(&described, "move_items", "list<item> node");
        assert_true(count_allocated(&described, "add_unique", "map<long, order> node"));
        assert_false(count_allocated(&described, "add_unique", "multimap<long, order> node"));
        assert_true(count_allocated(&described, "add_equal", "multimap<long, order> node"));
        if (!i) /* clang++ does not inline the call */
            assert_call_name(&described, "add_counted", "counted", "vector<order> elements");
        described_close(&described);
    }
}

static void lines_and_inlined_functions_match_the_program(void **state)
{
    static const char *const compilers[] = {"g++", "clang++", NULL};
    static const char *const flags[] = {"-no-pie -g -gdwarf-5 -O0", "-no-pie -g -gdwarf-5 -O2",
                                        "-no-pie -g -gdwarf-4 -O2",
                                        "-no-pie -g -gdwarf-5 -O2 -flto", NULL};
    (void)state;
    described_matrix(compilers, flags, "d_lines.cc", 3);
}

static void call_results_match_the_program(void **state)
{
    static const char *const flags[] = {"-no-pie -g -gdwarf-5 -O0", "-no-pie -g -gdwarf-4 -O1",
                                        "-no-pie -g -gdwarf-5 -O2", "-no-pie -g -gdwarf-4 -O3",
                                        "-no-pie -g -gdwarf-5 -Os", NULL};
    (void)state;
    described_matrix(c_compilers, flags, "d_calls.c", 28);
}

static void rust_enums_and_slices_match_the_program(void **state)
{
    static const char *const compilers[] = {"rustc", NULL};
    static const char *const flags[] = {"-g -C relocation-model=static -C opt-level=0",
                                        "-g -C relocation-model=static -C opt-level=2", NULL};
    (void)state;
    described_matrix(compilers, flags, "d_rust.rs", 20);
}

/* A wide access through a byte pointer is to another type. */
static void wide_access_via_rust_bytes_is_untyped(void **state)
{
    struct described described;
    unsigned queries = 0;
    (void)state;
    if (!described_open(&described, "rustc", "-g -C relocation-model=static -C opt-level=2",
                        "d_rust.rs"))
        skip();
    uint64_t code = described_symbol(&described, "wide");
    for (uint64_t at = 0; at < 16; at++)
        for (uint8_t base = 0; base < SREG_COUNT; base++) {
            struct dwarf_question question = {
                .ask = DWARF_ACCESS, .pc = code + at, .base = base, .index = SREG_SI, .size = 8};
            struct dwarf_answer answer;
            program_answer(described.program, &question, &answer);
            queries += answer.untyped == UNTYPED_VOID;
            assert_int_equal(answer.type, 0);
        }
    assert_true(queries);
    described_close(&described);
}

/* Fortran cannot print the address of a descriptor; its symbol has it. */
static void fortran_allocatable_arrays_are_descriptors(void **state)
{
    struct described described;
    struct dwarf_answer answer;
    (void)state;
    if (!described_open(&described, "gfortran", "-no-pie -g -O0", "d_fortran.f90"))
        skip();
    struct dwarf_question question = {.ask = DWARF_VARIABLE};
    question.address = described_symbol(&described, "__shapes_MOD_list") + 64;
    program_answer(described.program, &question, &answer);
    const struct type_desc *type = program_described(described.program, answer.type);
    assert_non_null(type);
    assert_string_equal(answer.name, "shapes::list");
    assert_string_equal(type->name, "shapes::point (:,:)");
    assert_int_equal(answer.size, 40 + 2 * 24);
    assert_int_equal(type->size, 88);
    assert_int_equal(answer.count, 0);
    assert_int_equal(answer.offset, 64);
    described_close(&described);
}

static void go_structs_match_the_program(void **state)
{
    static const char *const compilers[] = {"go", NULL};
    static const char *const flags[] = {"build -buildmode=exe", NULL};
    (void)state;
    described_matrix(compilers, flags, "d_go.go", 8);
}

static void fortran_derived_types_match_the_program(void **state)
{
    static const char *const compilers[] = {"gfortran", NULL};
    static const char *const flags[] = {"-no-pie -g -gdwarf-5 -O0",
                                        "-no-pie -g -gdwarf-4 -O2 -fno-inline", NULL};
    (void)state;
    described_matrix(compilers, flags, "d_fortran.f90", 10);
}

/* Types of the name, equal ones counted once, as the resolver keeps them. */
static unsigned described_as(struct program *program, const char *name)
{
    struct types types;
    const struct type_desc *desc;
    unsigned count = 0;
    types_init(&types);
    for (uint32_t type = 1; (desc = program_described(program, type)); type++)
        types_add(&types, 1, type, desc);
    for (uint32_t type = 1; type <= types.count; type++)
        count += !strcmp(types_at(&types, type)->name, name);
    types_fini(&types);
    return count;
}

/* Returns the pointee of a pointer at an address. */
static const struct type_desc *pointee_at(struct program *program, uint64_t address)
{
    Dwarf_Die type;
    Dwarf_Die peeled;
    Dwarf_Die pointee;
    const struct global *global = globals_find(program, address, 0);
    assert_non_null(global);
    Dwarf_Die die = global->die;
    assert_true(die_type(&die, &type) && die_peel(&type, &peeled) &&
                die_pointee(&peeled, &pointee));
    return program_described(program, program_type(program, &pointee));
}

static void equal_types_of_units_are_shared(void **state)
{
    static const char *const compilers[] = {"gcc", "clang"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct described described;
        if (!described_open(&described, compilers[i],
                            "-no-pie -g -O0 " TYPES_FOLDER "/d_units_other.c", "d_units.c"))
            skip();
        described_check(&described);
        assert_int_equal(described.wrong, 0);
        assert_int_equal(described_as(described.program, "struct shared"), 1);
        assert_int_equal(described_as(described.program, "struct twin"), 1);
        const struct type_desc *hidden =
            pointee_at(described.program, described_symbol(&described, "opaque"));
        assert_non_null(hidden);
        assert_string_equal(hidden->name, "struct hidden");
        assert_int_equal(hidden->size, 24);
        assert_int_equal(hidden->member_count, 4);
        described_close(&described);
    }
}

static void ask(struct program *program, enum dwarf_ask what, uint64_t pc, int64_t other)
{
    struct dwarf_question question = {.ask = what,
                                      .pc = pc,
                                      .address = (uint64_t)other,
                                      .slot = other,
                                      .displacement = other,
                                      .base = (uint8_t)other,
                                      .index = (uint8_t)(other >> 8),
                                      .size = 8};
    struct dwarf_answer answer;
    program_answer(program, &question, &answer);
    assert_true(answer.untyped < UNTYPED_COUNT);
}

static void invalid_questions_give_no_answer(void **state)
{
    static const uint64_t places[] = {0, 1, 0x400000, 0x401000, UINT64_MAX, UINT64_MAX - 4096};
    static const int64_t others[] = {0, -8, -9, 1000, INT64_MIN, INT64_MAX};
    struct described described;
    (void)state;
    if (!described_open(&described, "gcc", "-no-pie -g -O2", "d_frame.c"))
        skip();
    uint64_t code = described_symbol(&described, "main");
    for (int what = DWARF_ACCESS; what <= DWARF_ASKS; what++) {
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            for (size_t j = 0; j < sizeof others / sizeof *others; j++)
                ask(described.program, (enum dwarf_ask)what, places[i], others[j]);
        for (uint64_t at = 0; at < 2048; at++) /* inside instructions, in other functions */
            ask(described.program, (enum dwarf_ask)what, code - 1024 + at, (int64_t)at - 1024);
    }
    described_close(&described);
}

/* The return address pushed by the preceding call is not accessed by the instruction there. */
static void pushed_return_address_has_no_type(void **state)
{
    struct described described;
    unsigned known = 0;
    (void)state;
    if (!described_open(&described, "gcc", "-no-pie -g -O0", "d_frame.c"))
        skip();
    uint64_t code = described_symbol(&described, "plain");
    for (uint64_t at = 0; at < 1024; at++) {
        struct dwarf_question question = {
            .ask = DWARF_ACCESS, .pc = code + at, .base = SREG_NONE, .index = SREG_NONE, .size = 8};
        struct dwarf_answer answer;
        program_answer(described.program, &question, &answer);
        known += answer.type > 0;
        question.base = SREG_SP;
        question.displacement = -7;
        program_answer(described.program, &question, &answer);
        assert_int_equal(answer.type, 0);
    }
    assert_true(known);
    described_close(&described);
}

/* Returns true if "packed.a..c" or "packed.b" may be the field of the function named after b. */
static bool may_be_named(const char *named, const char *field)
{
    static const char *const order[] = {"lo", "hi", "a",  "b",  "c", "d", "big", "rest",
                                        "s1", "s2", "f1", "f2", "u", "v", "w",   "x"};
    char first[32];
    char last[32];
    size_t from = 99;
    size_t to = 99;
    size_t wanted = 99;
    if (sscanf(named, "packed.%31[^.]..%31s", first, last) != 2) {
        snprintf(first, sizeof first, "%s", strchr(named, '.') ? strchr(named, '.') + 1 : named);
        snprintf(last, sizeof last, "%s", first);
    }
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        from = strcmp(order[i], first) ? from : i;
        to = strcmp(order[i], last) ? to : i;
        wanted = strcmp(order[i], field) ? wanted : i;
    }
    return from <= wanted && wanted <= to && to != 99;
}

static void count_bit_answers(struct described *described, const char *field, const char *way,
                              unsigned counts[3])
{
    char symbol[32];
    struct insn *insns;
    size_t count;
    snprintf(symbol, sizeof symbol, "%s_%s", way, field);
    uint64_t start = described_symbol(described, symbol);
    assert_non_null(start);
    assert_true(program_insns(described->program, start, &insns, &count));
    for (size_t i = 0; i < count; i++) {
        const struct insn_memory *memory = &insns[i].memory[0];
        struct dwarf_question question = {.ask = DWARF_ACCESS,
                                          .pc = insns[i].address,
                                          .displacement = memory->displacement,
                                          .base = memory->base,
                                          .index = memory->index,
                                          .size = memory->size};
        struct dwarf_answer answer;
        char name[32];
        if (!insns[i].memory_count)
            continue;
        program_answer(described->program, &question, &answer);
        const struct type_desc *type = program_described(described->program, answer.type);
        if (answer.untyped || !type || !type->member_count)
            continue;
        type_bits_name(type, (uint64_t)answer.offset + answer.bit_field_offset, answer.unit, name,
                       sizeof name);
        bool right = may_be_named(name, field);
        counts[right ? strstr(name, "..") != NULL : 2]++;
        if (!right)
            print_message("%s: %s at +%#lx is called %s\n", described->label, symbol,
                          (unsigned long)(insns[i].address - start), name);
    }
    free(insns);
}

static void bit_fields_are_identified_by_shift_and_mask(void **state)
{
    static const char *const compilers[] = {"gcc", "clang"};
    static const char *const flags[] = {"-no-pie -g -O0", "-no-pie -g -O2", "-no-pie -g -O3",
                                        "-no-pie -gdwarf-2 -Os"};
    static const char *const fields[] = {"lo", "hi", "a",  "b", "c", "d", "big", "rest",
                                         "s1", "s2", "f2", "u", "v", "w", "x"};
    unsigned counts[3] = {0}; /* the field, its unit, wrong */
    (void)state;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
            struct described described;
            if (!described_open(&described, compilers[i], flags[k], "d_bits.c"))
                continue;
            /* clang -O0 copies adjacent words too; gcc keeps the remaining bits bytewise. */
            bool copies = strstr(compilers[i], "clang") && strstr(flags[k], "-O0");
            for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
                count_bit_answers(&described, fields[f], "r", counts);
                if (!copies && strcmp(fields[f], "rest"))
                    count_bit_answers(&described, fields[f], "w", counts);
            }
            described_close(&described);
        }
    if (!counts[0] && !counts[1])
        skip();
    print_message("bit-fields: %u by name, %u by their unit, %u wrong\n", counts[0], counts[1],
                  counts[2]);
    assert_int_equal(counts[2], 0);
    assert_true(3 * counts[0] >= counts[0] + counts[1]); /* many share all their bytes */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c_layouts_match_the_program),
        cmocka_unit_test(c_frames_match_the_program),
        cmocka_unit_test(cpp_classes_match_the_program),
        cmocka_unit_test(library_types_match_the_program),
        cmocka_unit_test(callers_reveal_container_node_types),
        cmocka_unit_test(lines_and_inlined_functions_match_the_program),
        cmocka_unit_test(call_results_match_the_program),
        cmocka_unit_test(equal_types_of_units_are_shared),
        cmocka_unit_test(bit_fields_are_identified_by_shift_and_mask),
        cmocka_unit_test(invalid_questions_give_no_answer),
        cmocka_unit_test(pushed_return_address_has_no_type),
        cmocka_unit_test(rust_enums_and_slices_match_the_program),
        cmocka_unit_test(wide_access_via_rust_bytes_is_untyped),
        cmocka_unit_test(fortran_derived_types_match_the_program),
        cmocka_unit_test(fortran_allocatable_arrays_are_descriptors),
        cmocka_unit_test(go_structs_match_the_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
