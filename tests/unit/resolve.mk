# unit tests of src/resolve
UNIT_RESOLVE = tests/unit/test_resolver
check_PROGRAMS += $(UNIT_RESOLVE)
TESTS += $(UNIT_RESOLVE)
tests_unit_test_resolver_SOURCES = tests/unit/test_resolver.c
tests_unit_test_resolver_LDADD = src/libresolve.a src/libbase.a $(DW_LIBS) $(ELF_LIBS) $(CMOCKA_LIBS) -lpthread
