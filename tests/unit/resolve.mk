# unit tests of src/resolve
UNIT_RESOLVE = \
	tests/unit/test_resolver \
	tests/unit/test_files \
	tests/unit/test_jitmap \
	tests/unit/test_maps \
	tests/unit/test_names \
	tests/unit/test_symbols \
	tests/unit/test_resolver_programs \
	tests/unit/test_resolver_changes
check_PROGRAMS += $(UNIT_RESOLVE)
TESTS += $(UNIT_RESOLVE)
RESOLVE_LIBS = src/libresolve.a src/libbase.a $(DW_LIBS) $(ELF_LIBS) $(CMOCKA_LIBS) -lpthread
TARGET_SOURCES = tests/unit/target.c tests/unit/target.h
tests_unit_test_resolver_SOURCES = tests/unit/test_resolver.c
tests_unit_test_resolver_LDADD = $(RESOLVE_LIBS)
tests_unit_test_resolver_programs_SOURCES = tests/unit/test_resolver_programs.c $(TARGET_SOURCES)
tests_unit_test_resolver_programs_LDADD = $(RESOLVE_LIBS)
tests_unit_test_resolver_changes_SOURCES = tests/unit/test_resolver_changes.c $(TARGET_SOURCES)
tests_unit_test_resolver_changes_LDADD = $(RESOLVE_LIBS) -ldl
tests_unit_test_files_SOURCES = tests/unit/test_files.c $(TARGET_SOURCES)
tests_unit_test_files_LDADD = $(RESOLVE_LIBS)
tests_unit_test_jitmap_SOURCES = tests/unit/test_jitmap.c
tests_unit_test_jitmap_LDADD = $(RESOLVE_LIBS)
tests_unit_test_maps_SOURCES = tests/unit/test_maps.c
tests_unit_test_maps_LDADD = $(RESOLVE_LIBS)
tests_unit_test_names_SOURCES = tests/unit/test_names.c
tests_unit_test_names_LDADD = $(RESOLVE_LIBS)
tests_unit_test_symbols_SOURCES = tests/unit/test_symbols.c
tests_unit_test_symbols_LDADD = $(RESOLVE_LIBS)
