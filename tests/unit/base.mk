# unit tests of src/base; one program per source file
UNIT_BASE = tests/unit/test_arena tests/unit/test_array tests/unit/test_hash tests/unit/test_text
check_PROGRAMS += $(UNIT_BASE)
TESTS += $(UNIT_BASE)
tests_unit_test_arena_SOURCES = tests/unit/test_arena.c
tests_unit_test_arena_LDADD = src/libbase.a $(CMOCKA_LIBS)
tests_unit_test_array_SOURCES = tests/unit/test_array.c
tests_unit_test_array_LDADD = src/libbase.a $(CMOCKA_LIBS)
tests_unit_test_hash_SOURCES = tests/unit/test_hash.c
tests_unit_test_hash_LDADD = src/libbase.a $(CMOCKA_LIBS)
tests_unit_test_text_SOURCES = tests/unit/test_text.c
tests_unit_test_text_LDADD = src/libbase.a $(CMOCKA_LIBS)
