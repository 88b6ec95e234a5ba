/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types and variables of programs in several languages against what the programs say. */
#include "unit.h"

#include "described.h"

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

static void derived_types_of_fortran(void **state)
{
    static const char *const compilers[] = {"gfortran", NULL};
    static const char *const flags[] = {"-no-pie -g -gdwarf-5 -O0",
                                        "-no-pie -g -gdwarf-4 -O2 -fno-inline", NULL};
    (void)state;
    described_matrix(compilers, flags, "d_fortran.f90", 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(layouts_of_c),
                                       cmocka_unit_test(frames_of_c),
                                       cmocka_unit_test(classes_of_cpp),
                                       cmocka_unit_test(lines_and_what_is_inlined),
                                       cmocka_unit_test(results_of_calls),
                                       cmocka_unit_test(enums_and_slices_of_rust),
                                       cmocka_unit_test(derived_types_of_fortran)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
