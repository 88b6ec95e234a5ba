# Unit tests of src/resolve: one program per concept, linked with all stages.
UNIT_RESOLVE = tests/unit/resolve/test_resolver tests/unit/resolve/test_process \
	tests/unit/resolve/test_stacks tests/unit/resolve/test_module tests/unit/resolve/test_source_text \
	tests/unit/resolve/test_jitmap tests/unit/resolve/test_names tests/unit/resolve/test_members \
	tests/unit/resolve/test_library_types \
	tests/unit/resolve/test_reader tests/unit/resolve/test_reader_process \
	tests/unit/resolve/test_debuginfo tests/unit/resolve/test_describe tests/unit/resolve/test_access \
	tests/unit/resolve/test_access_survey tests/unit/resolve/test_typing \
	tests/unit/resolve/test_object_types tests/unit/resolve/test_stack_frames \
	tests/unit/resolve/test_snapshot_types tests/unit/resolve/test_blocks \
	tests/unit/resolve/test_bins tests/unit/resolve/test_feed tests/unit/resolve/test_allocations \
	tests/unit/resolve/test_walk tests/unit/resolve/test_walk_live
check_PROGRAMS += $(UNIT_RESOLVE)
TESTS += $(UNIT_RESOLVE)
tests_unit_resolve_test_resolver_SOURCES = tests/unit/resolve/test_resolver.c \
	tests/unit/resolve/target.c tests/unit/resolve/target.h
tests_unit_resolve_test_resolver_LDADD = -ldl $(UNIT_LIBS)
tests_unit_resolve_test_process_SOURCES = tests/unit/resolve/test_process.c
tests_unit_resolve_test_process_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_stacks_SOURCES = tests/unit/resolve/test_stacks.c
tests_unit_resolve_test_stacks_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_module_SOURCES = tests/unit/resolve/test_module.c \
	tests/unit/resolve/target.c tests/unit/resolve/target.h
tests_unit_resolve_test_module_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_source_text_SOURCES = tests/unit/resolve/test_source_text.c
tests_unit_resolve_test_source_text_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_jitmap_SOURCES = tests/unit/resolve/test_jitmap.c
tests_unit_resolve_test_jitmap_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_names_SOURCES = tests/unit/resolve/test_names.c
tests_unit_resolve_test_names_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_library_types_SOURCES = tests/unit/resolve/test_library_types.c
tests_unit_resolve_test_library_types_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_members_SOURCES = tests/unit/resolve/test_members.c
tests_unit_resolve_test_members_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_reader_SOURCES = tests/unit/resolve/test_reader.c \
	tests/unit/resolve/reader_fake.c tests/unit/resolve/reader_fake.h tests/unit/resolve/target.c \
	tests/unit/resolve/target.h
tests_unit_resolve_test_reader_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_reader_process_SOURCES = tests/unit/resolve/test_reader_process.c \
	tests/unit/resolve/reader_fake.c tests/unit/resolve/reader_fake.h
tests_unit_resolve_test_reader_process_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_debuginfo_SOURCES = tests/unit/resolve/test_debuginfo.c \
	tests/unit/resolve/target.c tests/unit/resolve/target.h
tests_unit_resolve_test_debuginfo_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_describe_SOURCES = tests/unit/resolve/test_describe.c \
	tests/unit/resolve/described.c tests/unit/resolve/described.h tests/unit/resolve/target.c \
	tests/unit/resolve/target.h
tests_unit_resolve_test_describe_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_describe_CPPFLAGS = $(AM_CPPFLAGS) \
	-DTYPES_FOLDER='"$(abs_srcdir)/tests/types"'
tests_unit_resolve_test_access_SOURCES = tests/unit/resolve/test_access.c tests/types/known.c \
	tests/types/known.h tests/types/stepped.c tests/types/stepped.h tests/unit/resolve/target.c \
	tests/unit/resolve/target.h
tests_unit_resolve_test_access_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_access_CPPFLAGS = $(AM_CPPFLAGS) \
	-DTYPES_FOLDER='"$(abs_srcdir)/tests/types"'
tests_unit_resolve_test_access_survey_SOURCES = tests/unit/resolve/test_access_survey.c
tests_unit_resolve_test_access_survey_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_typing_SOURCES = tests/unit/resolve/test_typing.c \
	tests/unit/resolve/small_types.c tests/unit/resolve/small_types.h
tests_unit_resolve_test_typing_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_object_types_SOURCES = tests/unit/resolve/test_object_types.c \
	tests/unit/resolve/small_types.c tests/unit/resolve/small_types.h
tests_unit_resolve_test_object_types_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_stack_frames_SOURCES = tests/unit/resolve/test_stack_frames.c \
	tests/unit/resolve/target.c tests/unit/resolve/target.h
tests_unit_resolve_test_stack_frames_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_snapshot_types_SOURCES = tests/unit/resolve/test_snapshot_types.c \
	tests/unit/resolve/small_types.c tests/unit/resolve/small_types.h
tests_unit_resolve_test_snapshot_types_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_blocks_SOURCES = tests/unit/resolve/test_blocks.c \
	tests/bench/blocks_candidate.h tests/bench/blocks_generic.h tests/bench/blocks_radix.c \
	tests/bench/blocks_btree.c tests/bench/blocks_runs.c tests/bench/blocks_redblack.c
tests_unit_resolve_test_blocks_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_bins_SOURCES = tests/unit/resolve/test_bins.c
tests_unit_resolve_test_bins_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_feed_SOURCES = tests/unit/resolve/test_feed.c
tests_unit_resolve_test_feed_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_allocations_SOURCES = tests/unit/resolve/test_allocations.c \
	tests/agent/watch.c tests/agent/watch.h tests/agent/logger.h
tests_unit_resolve_test_allocations_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_walk_SOURCES = tests/unit/resolve/test_walk.c tests/walk/image.c \
	tests/walk/image.h
tests_unit_resolve_test_walk_LDADD = $(UNIT_LIBS)
tests_unit_resolve_test_walk_live_SOURCES = tests/unit/resolve/test_walk_live.c \
	tests/walk/follow.c tests/walk/follow.h tests/walk/walked.h
tests_unit_resolve_test_walk_live_LDADD = $(UNIT_LIBS)

# Unit test and benchmark of the index of heap blocks (src/resolve/heap/blocks.c).
BLOCKS_CANDIDATES = tests/bench/blocks_candidate.h tests/bench/blocks_generic.h \
	tests/bench/blocks_radix.c tests/bench/blocks_btree.c tests/bench/blocks_runs.c \
	tests/bench/blocks_redblack.c
EXTRA_PROGRAMS += tests/bench/bench_blocks
CLEANFILES += tests/bench/bench_blocks
tests_bench_bench_blocks_SOURCES = tests/bench/bench_blocks.c $(BLOCKS_CANDIDATES)
tests_bench_bench_blocks_LDADD = src/libresolve.a src/libbase.a

EXTRA_DIST += tests/types/d_print.h tests/types/d_layout.c tests/types/d_classes.cc tests/types/d_library.cc \
	tests/types/d_nodes.cc \
	tests/types/d_rust.rs tests/types/d_go.go tests/types/d_fortran.f90 tests/types/d_frame.c \
	tests/types/d_lines.cc tests/types/d_calls.c tests/types/d_units.c tests/types/d_units_other.c \
	tests/types/d_shared.h tests/types/d_bits.c


# Hostile debugging information; ./fuzz_dwarf.last is the input that made it fail.
check_PROGRAMS += tests/fuzz/fuzz_dwarf
TESTS += tests/fuzz/fuzz_dwarf
CLEANFILES += fuzz_dwarf.last
tests_fuzz_fuzz_dwarf_SOURCES = tests/fuzz/fuzz_dwarf.c
tests_fuzz_fuzz_dwarf_LDADD = $(RESOLVE_LIBS)

# Messages that a compromised reader could send.
check_PROGRAMS += tests/fuzz/fuzz_wire
TESTS += tests/fuzz/fuzz_wire
tests_fuzz_fuzz_wire_SOURCES = tests/fuzz/fuzz_wire.c
tests_fuzz_fuzz_wire_LDADD = $(RESOLVE_LIBS)

# A benchmark; `make bench` runs it.
EXTRA_PROGRAMS += tests/bench/bench_types
CLEANFILES += tests/bench/bench_types
tests_bench_bench_types_SOURCES = tests/bench/bench_types.c
tests_bench_bench_types_LDADD = src/libresolve.a src/libbase.a $(RESOLVER_LIBS)
EXTRA_DIST += tests/bench/first-field

FUZZ_RESOLVE = tests/fuzz/fuzz_elf tests/fuzz/fuzz_maps
check_PROGRAMS += $(FUZZ_RESOLVE)
TESTS += $(FUZZ_RESOLVE)
CLEANFILES += fuzz_elf.last
RESOLVE_LIBS = src/libresolve.a src/libbase.a $(RESOLVER_LIBS) $(CMOCKA_LIBS) -lpthread
tests_fuzz_fuzz_elf_SOURCES = tests/fuzz/fuzz_elf.c
tests_fuzz_fuzz_elf_LDADD = $(RESOLVE_LIBS)
tests_fuzz_fuzz_maps_SOURCES = tests/fuzz/fuzz_maps.c
tests_fuzz_fuzz_maps_LDADD = $(RESOLVE_LIBS)

EXTRA_DIST += tests/types/truth.h tests/types/plain.c tests/types/lists.c tests/types/fixed.c \
	tests/types/calls.c tests/types/frame.c tests/types/numbers.c tests/types/casts.c \
	tests/types/classes.cc tests/types/templates.cc tests/types/twins.c tests/types/twins_other.c \
	tests/types/twins.h tests/types/arrays.f90 tests/types/arrays_main.c
# Programs that log their own CPU times, run by hand: tests/types/judge_types.py build/src/misstop
EXTRA_DIST += tests/types/judge_types.py tests/types/o_run.h tests/types/o_templates.cc \
	tests/types/o_twins.c tests/types/o_twins_other.c tests/types/o_generics.rs


# The heap walk, on synthetic images of several glibc versions and on live programs.
check_PROGRAMS += tests/walk/walked tests/walk/walked_static
WALK_LDADD = src/libresolve.a src/libbase.a $(RESOLVER_LIBS)
WALK_FOLLOW = tests/walk/follow.c tests/walk/follow.h tests/walk/walked.h

# Never built with sanitizers, which have their own malloc.
tests_walk_walked_SOURCES = tests/walk/walked.c tests/walk/walked.h
tests_walk_walked_CFLAGS = -std=gnu11 -O2 -g -pthread $(WARN_CFLAGS)
tests_walk_walked_LDFLAGS = -pthread
tests_walk_walked_static_SOURCES = $(tests_walk_walked_SOURCES)
tests_walk_walked_static_CFLAGS = $(tests_walk_walked_CFLAGS)
tests_walk_walked_static_LDFLAGS = -pthread -static

EXTRA_PROGRAMS += tests/bench/bench_walk
CLEANFILES += tests/bench/bench_walk
tests_bench_bench_walk_SOURCES = tests/bench/bench_walk.c $(WALK_FOLLOW)
tests_bench_bench_walk_LDADD = $(WALK_LDADD)
EXTRA_tests_bench_bench_walk_DEPENDENCIES = tests/walk/walked$(EXEEXT)
