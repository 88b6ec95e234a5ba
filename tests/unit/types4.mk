# unit tests of what joins types with objects (src/resolve/types.c ... object_types.c)
UNIT_TYPES = tests/unit/test_types tests/unit/test_votes tests/unit/test_typing \
	tests/unit/test_object_types tests/unit/test_stack_frames \
	tests/unit/test_snapshot_types
check_PROGRAMS += $(UNIT_TYPES)
TESTS += $(UNIT_TYPES)
SMALL_TYPES = tests/unit/small_types.c tests/unit/small_types.h
tests_unit_test_types_SOURCES = tests/unit/test_types.c $(SMALL_TYPES)
tests_unit_test_types_LDADD = $(RESOLVE_LIBS)
tests_unit_test_votes_SOURCES = tests/unit/test_votes.c $(SMALL_TYPES)
tests_unit_test_votes_LDADD = $(RESOLVE_LIBS)
tests_unit_test_typing_SOURCES = tests/unit/test_typing.c $(SMALL_TYPES)
tests_unit_test_typing_LDADD = $(RESOLVE_LIBS)
tests_unit_test_object_types_SOURCES = tests/unit/test_object_types.c $(SMALL_TYPES)
tests_unit_test_object_types_LDADD = $(RESOLVE_LIBS)
tests_unit_test_stack_frames_SOURCES = tests/unit/test_stack_frames.c $(TARGET_SOURCES)
tests_unit_test_stack_frames_LDADD = $(RESOLVE_LIBS)
tests_unit_test_snapshot_types_SOURCES = tests/unit/test_snapshot_types.c $(SMALL_TYPES)
tests_unit_test_snapshot_types_LDADD = \
	src/libprofile.a src/libresolve.a $(RESOLVER_LIBS) $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/unit/test_renames
TESTS += tests/unit/test_renames
tests_unit_test_renames_SOURCES = tests/unit/test_renames.c $(SMALL_TYPES)
tests_unit_test_renames_LDADD = $(VIEW_LIBS)
check_PROGRAMS += tests/unit/test_regions
TESTS += tests/unit/test_regions
tests_unit_test_regions_SOURCES = tests/unit/test_regions.c
tests_unit_test_regions_LDADD = $(RESOLVE_LIBS)
