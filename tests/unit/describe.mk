# unit tests of types and variables described (src/resolve/members.c, src/resolve/dwarf)
UNIT_DESCRIBE = tests/unit/test_members tests/unit/test_shorten tests/unit/test_describe
check_PROGRAMS += $(UNIT_DESCRIBE)
TESTS += $(UNIT_DESCRIBE)
tests_unit_test_shorten_SOURCES = tests/unit/test_shorten.c
tests_unit_test_shorten_LDADD = $(RESOLVE_LIBS)
tests_unit_test_members_SOURCES = tests/unit/test_members.c
tests_unit_test_members_LDADD = $(RESOLVE_LIBS)
DESCRIBED_SOURCES = tests/unit/described.c tests/unit/described.h $(TARGET_SOURCES)
tests_unit_test_describe_SOURCES = tests/unit/test_describe.c $(DESCRIBED_SOURCES)
tests_unit_test_describe_CPPFLAGS = $(AM_CPPFLAGS) -DTYPES_FOLDER='"$(abs_srcdir)/tests/types"'
tests_unit_test_describe_LDADD = $(RESOLVE_LIBS)
EXTRA_DIST += tests/types/d_say.h tests/types/d_layout.c tests/types/d_classes.cc tests/types/d_rust.rs tests/types/d_go.go tests/types/d_fortran.f90 tests/types/d_frame.c tests/types/d_lines.cc tests/types/d_calls.c tests/types/d_units.c \
	tests/types/d_units_other.c tests/types/d_shared.h tests/types/d_bits.c
