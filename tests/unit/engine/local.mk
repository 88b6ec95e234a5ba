# Unit tests of src/engine: one program per concept, linked with all stages.
UNIT_ENGINE = tests/unit/engine/test_play tests/unit/engine/test_time_range \
	tests/unit/engine/test_simulation
check_PROGRAMS += $(UNIT_ENGINE)
TESTS += $(UNIT_ENGINE)
tests_unit_engine_test_play_SOURCES = tests/unit/engine/test_play.c
tests_unit_engine_test_play_LDADD = $(UNIT_LIBS)
tests_unit_engine_test_time_range_SOURCES = tests/unit/engine/test_time_range.c \
	tests/unit/store/store_planned.c tests/unit/store/store_planned.h
tests_unit_engine_test_time_range_LDADD = $(UNIT_LIBS)
tests_unit_engine_test_time_range_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit
tests_unit_engine_test_simulation_SOURCES = tests/unit/engine/test_simulation.c src/simulation.c \
	src/launch.c src/terminal.c
tests_unit_engine_test_simulation_LDADD = $(UNIT_LIBS)
tests_unit_engine_test_simulation_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"/nonexistent"'

# The whole path from a recording to the keys of the screen, without options, loop and terminal.
