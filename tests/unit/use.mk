# unit tests of the use of lines and of reuse distances (--sim): see tests/unit/base.mk
UNIT_USE = \
	tests/unit/test_use
check_PROGRAMS += $(UNIT_USE)
TESTS += $(UNIT_USE)
tests_unit_test_use_SOURCES = tests/unit/test_use.c
tests_unit_test_use_LDADD = src/libprofile.a src/libresolve.a src/libdecode.a src/libbase.a $(CMOCKA_LIBS) -lm
