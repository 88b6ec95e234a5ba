# Unit tests of src/base: one program per concept, linked with all stages.
UNIT_BASE = tests/unit/base/test_arrays tests/unit/base/test_text tests/unit/base/test_files \
	tests/unit/base/test_settings tests/unit/base/test_lane
check_PROGRAMS += $(UNIT_BASE)
TESTS += $(UNIT_BASE)
tests_unit_base_test_arrays_SOURCES = tests/unit/base/test_arrays.c
tests_unit_base_test_arrays_LDADD = $(UNIT_LIBS)
tests_unit_base_test_lane_SOURCES = tests/unit/base/test_lane.c
tests_unit_base_test_lane_LDADD = $(UNIT_LIBS)
tests_unit_base_test_lane_LDFLAGS = -pthread
tests_unit_base_test_settings_SOURCES = tests/unit/base/test_settings.c
tests_unit_base_test_settings_LDADD = $(UNIT_LIBS)
tests_unit_base_test_text_SOURCES = tests/unit/base/test_text.c
tests_unit_base_test_text_LDADD = $(UNIT_LIBS)
tests_unit_base_test_files_SOURCES = tests/unit/base/test_files.c tests/unit/resolve/target.c \
	tests/unit/resolve/target.h
tests_unit_base_test_files_LDADD = $(UNIT_LIBS)


