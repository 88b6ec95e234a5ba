# unit tests of src/resolve/dwarf: the processes that read debugging information
UNIT_READER = \
	tests/unit/test_debuginfo \
	tests/unit/test_reader \
	tests/unit/test_reader_files \
	tests/unit/test_reader_process \
	tests/unit/test_wire
check_PROGRAMS += $(UNIT_READER)
TESTS += $(UNIT_READER)
READER_SOURCES = tests/unit/reader_fake.c tests/unit/reader_fake.h
tests_unit_test_reader_SOURCES = tests/unit/test_reader.c $(READER_SOURCES)
tests_unit_test_reader_LDADD = $(RESOLVE_LIBS)
tests_unit_test_reader_process_SOURCES = tests/unit/test_reader_process.c $(READER_SOURCES)
tests_unit_test_reader_process_LDADD = $(RESOLVE_LIBS)
tests_unit_test_wire_SOURCES = tests/unit/test_wire.c
tests_unit_test_wire_LDADD = $(RESOLVE_LIBS)

# Hostile debugging information; ./fuzz_dwarf.last is what broke it.
check_PROGRAMS += tests/fuzz/fuzz_dwarf
TESTS += tests/fuzz/fuzz_dwarf
CLEANFILES += fuzz_dwarf.last
tests_fuzz_fuzz_dwarf_SOURCES = tests/fuzz/fuzz_dwarf.c
tests_fuzz_fuzz_dwarf_LDADD = $(RESOLVE_LIBS)

# What a reader could send that was taken over.
check_PROGRAMS += tests/fuzz/fuzz_wire
TESTS += tests/fuzz/fuzz_wire
tests_fuzz_fuzz_wire_SOURCES = tests/fuzz/fuzz_wire.c
tests_fuzz_fuzz_wire_LDADD = $(RESOLVE_LIBS)

# Where debugging information is, and what readers make of it.
tests_unit_test_reader_files_SOURCES = tests/unit/test_reader_files.c $(TARGET_SOURCES)
tests_unit_test_reader_files_LDADD = $(RESOLVE_LIBS)
tests_unit_test_debuginfo_SOURCES = tests/unit/test_debuginfo.c $(TARGET_SOURCES)
tests_unit_test_debuginfo_LDADD = $(RESOLVE_LIBS)

# Figures; `make bench` runs it.
EXTRA_PROGRAMS += tests/bench/bench_types
CLEANFILES += tests/bench/bench_types
tests_bench_bench_types_SOURCES = tests/bench/bench_types.c
tests_bench_bench_types_LDADD = src/libresolve.a src/libbase.a $(RESOLVER_LIBS)
EXTRA_DIST += tests/bench/first-field
