/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types and variables of programs in several languages against what the programs say. */
#include "unit.h"

#include "described.h"

#include "resolve/dwarf/die.h"
#include "resolve/dwarf/globals.h"

#include <string.h>

static const char *const c_compilers[] = {"gcc", "clang", NULL};

static void layouts_of_c(void **state)
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

static void frames_of_c(void **state)
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

static void classes_of_cpp(void **state)
{
    static const char *const compilers[] = {"g++", "clang++", NULL};
    static const char *const flags[] = {"-no-pie -g -gdwarf-5 -O0", "-no-pie -g -gdwarf-4 -O2",
                                        "-no-pie -g -gdwarf-5 -O1 -fdebug-types-section",
                                        "-no-pie -g -gdwarf-4 -O0 -fdebug-types-section", NULL};
    (void)state;
    described_matrix(compilers, flags, "d_classes.cc", 35);
}

static void lines_and_what_is_inlined(void **state)
{
    static const char *const compilers[] = {"g++", "clang++", NULL};
    static const char *const flags[] = {"-no-pie -g -gdwarf-5 -O0", "-no-pie -g -gdwarf-5 -O2",
                                        "-no-pie -g -gdwarf-4 -O2",
                                        "-no-pie -g -gdwarf-5 -O2 -flto", NULL};
    (void)state;
    described_matrix(compilers, flags, "d_lines.cc", 3);
}

static void results_of_calls(void **state)
{
    static const char *const flags[] = {"-no-pie -g -gdwarf-5 -O0", "-no-pie -g -gdwarf-4 -O1",
                                        "-no-pie -g -gdwarf-5 -O2", "-no-pie -g -gdwarf-4 -O3",
                                        "-no-pie -g -gdwarf-5 -Os", NULL};
    (void)state;
    described_matrix(c_compilers, flags, "d_calls.c", 18);
}

static void enums_and_slices_of_rust(void **state)
{
    static const char *const compilers[] = {"rustc", NULL};
    static const char *const flags[] = {"-g -C relocation-model=static -C opt-level=0",
                                        "-g -C relocation-model=static -C opt-level=2", NULL};
    (void)state;
    described_matrix(compilers, flags, "d_rust.rs", 20);
}

/* Fortran cannot tell where a descriptor is; its symbol does. */
static void allocatable_arrays_are_descriptors(void **state)
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

static void structs_of_go(void **state)
{
    static const char *const compilers[] = {"go", NULL};
    static const char *const flags[] = {"build -buildmode=exe", NULL};
    (void)state;
    described_matrix(compilers, flags, "d_go.go", 8);
}

static void derived_types_of_fortran(void **state)
{
    static const char *const compilers[] = {"gfortran", NULL};
    static const char *const flags[] = {"-no-pie -g -gdwarf-5 -O0",
                                        "-no-pie -g -gdwarf-4 -O2 -fno-inline", NULL};
    (void)state;
    described_matrix(compilers, flags, "d_fortran.f90", 10);
}

static unsigned described_as(struct program *program, const char *name)
{
    const struct type_desc *desc;
    unsigned count = 0;
    for (uint32_t type = 1; (desc = program_described(program, type)); type++)
        count += !strcmp(desc->name, name);
    return count;
}

/* The type that a pointer at an address points to. */
static const struct type_desc *pointee_at(struct program *program, uint64_t address)
{
    Dwarf_Die type;
    Dwarf_Die peeled;
    Dwarf_Die pointee;
    const struct global *global = globals_find(program_globals(program), address, 0);
    assert_non_null(global);
    Dwarf_Die die = global->die;
    assert_true(die_type(&die, &type) && die_peel(&type, &peeled) &&
                die_pointee(&peeled, &pointee));
    return program_described(program, program_type(program, &pointee));
}

static void units_share_their_types(void **state)
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

static void nonsense_gives_nothing(void **state)
{
    static const uint64_t places[] = {0, 1, 0x400000, 0x401000, UINT64_MAX, UINT64_MAX - 4096};
    static const int64_t others[] = {0, -8, -9, 1000, INT64_MIN, INT64_MAX};
    struct described described;
    (void)state;
    if (!described_open(&described, "gcc", "-no-pie -g -O2", "d_frame.c"))
        skip();
    uint64_t code = described_symbol(&described, "main");
    for (int what = DWARF_ACCESS; what <= DWARF_CALL + 1; what++) {
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            for (size_t j = 0; j < sizeof others / sizeof *others; j++)
                ask(described.program, (enum dwarf_ask)what, places[i], others[j]);
        for (uint64_t at = 0; at < 2048; at++) /* inside instructions, in other functions */
            ask(described.program, (enum dwarf_ask)what, code - 1024 + at, (int64_t)at - 1024);
    }
    described_close(&described);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(layouts_of_c),
                                       cmocka_unit_test(frames_of_c),
                                       cmocka_unit_test(classes_of_cpp),
                                       cmocka_unit_test(lines_and_what_is_inlined),
                                       cmocka_unit_test(results_of_calls),
                                       cmocka_unit_test(units_share_their_types),
                                       cmocka_unit_test(nonsense_gives_nothing),
                                       cmocka_unit_test(enums_and_slices_of_rust),
                                       cmocka_unit_test(derived_types_of_fortran),
                                       cmocka_unit_test(allocatable_arrays_are_descriptors),
                                       cmocka_unit_test(structs_of_go)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
