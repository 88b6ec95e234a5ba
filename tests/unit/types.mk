# unit tests of types from code (src/resolve/dwarf/access.c and what it uses)
UNIT_ACCESS = tests/unit/test_access
check_PROGRAMS += $(UNIT_ACCESS)
TESTS += $(UNIT_ACCESS)
tests_unit_test_access_SOURCES = tests/unit/test_access.c tests/types/known.c tests/types/known.h \
	tests/types/stepped.c tests/types/stepped.h $(TARGET_SOURCES)
tests_unit_test_access_CPPFLAGS = $(AM_CPPFLAGS) -DTYPES_FOLDER='"$(abs_srcdir)/tests/types"'
tests_unit_test_access_LDADD = $(RESOLVE_LIBS)
EXTRA_DIST += tests/types/truth.h tests/types/plain.c tests/types/lists.c tests/types/fixed.c \
	tests/types/calls.c tests/types/frame.c tests/types/numbers.c tests/types/casts.c \
	tests/types/classes.cc tests/types/templates.cc tests/types/twins.c tests/types/twins_other.c \
	tests/types/twins.h tests/types/arrays.f90 tests/types/arrays_main.c
check_PROGRAMS += tests/unit/test_access_survey
TESTS += tests/unit/test_access_survey
tests_unit_test_access_survey_SOURCES = tests/unit/test_access_survey.c
tests_unit_test_access_survey_LDADD = $(RESOLVE_LIBS)
# Programs that log their own CPU times, by hand: tests/types/judge_types.py build/src/misstop
EXTRA_DIST += tests/types/judge_types.py tests/types/o_run.h tests/types/o_templates.cc tests/types/o_twins.c \
	tests/types/o_twins_other.c tests/types/o_generics.rs
