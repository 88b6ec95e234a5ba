# unit tests of src/main: see tests/unit/base.mk for the pattern
UNIT_MAIN = \
	tests/unit/test_play
check_PROGRAMS += $(UNIT_MAIN)
TESTS += $(UNIT_MAIN)
tests_unit_test_play_SOURCES = tests/unit/test_play.c src/play.c src/play.h
tests_unit_test_play_LDADD = $(CMOCKA_LIBS) -lm
