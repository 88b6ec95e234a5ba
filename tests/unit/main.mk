# unit tests of src/engine: see tests/unit/base.mk for the pattern
UNIT_MAIN = \
	tests/unit/test_play
check_PROGRAMS += $(UNIT_MAIN)
TESTS += $(UNIT_MAIN)
tests_unit_test_play_SOURCES = tests/unit/test_play.c
tests_unit_test_play_LDADD = src/libengine.a $(CMOCKA_LIBS) -lm
# The whole way from a recording to the screen's keys, without options, loop and terminal.
check_PROGRAMS += tests/unit/test_time_range
TESTS += tests/unit/test_time_range
tests_unit_test_time_range_SOURCES = tests/unit/test_time_range.c $(STORE_PLANNED)
tests_unit_test_time_range_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
tests_unit_test_time_range_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS) $(CMOCKA_LIBS)
