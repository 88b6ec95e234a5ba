# unit tests of types and variables described (src/resolve/members.c, src/resolve/dwarf)
UNIT_DESCRIBE = tests/unit/test_members
check_PROGRAMS += $(UNIT_DESCRIBE)
TESTS += $(UNIT_DESCRIBE)
tests_unit_test_members_SOURCES = tests/unit/test_members.c
tests_unit_test_members_LDADD = $(RESOLVE_LIBS)
