# unit tests of src/decode
UNIT_DECODE = tests/unit/test_decoder tests/unit/test_decoder_truth tests/unit/test_avx512
check_PROGRAMS += $(UNIT_DECODE)
TESTS += $(UNIT_DECODE)
UNIT_DECODE_LIBS = src/libdecode.a src/libbase.a $(CAPSTONE_LIBS) $(CMOCKA_LIBS)
tests_unit_test_decoder_SOURCES = tests/unit/test_decoder.c
tests_unit_test_decoder_LDADD = $(UNIT_DECODE_LIBS)
tests_unit_test_decoder_truth_SOURCES = tests/unit/test_decoder_truth.c
tests_unit_test_decoder_truth_LDADD = $(UNIT_DECODE_LIBS)
tests_unit_test_decoder_truth_LDFLAGS = $(AM_LDFLAGS) -rdynamic
tests_unit_test_avx512_SOURCES = tests/unit/test_avx512.c
tests_unit_test_avx512_LDADD = $(UNIT_DECODE_LIBS)
