# Unit tests of src/decode: one program per concept, linked with all stages.
UNIT_DECODE = tests/unit/decode/test_decoder tests/unit/decode/test_decoder_truth \
	tests/unit/decode/test_data_source tests/unit/decode/test_operands
check_PROGRAMS += $(UNIT_DECODE)
TESTS += $(UNIT_DECODE)
tests_unit_decode_test_decoder_SOURCES = tests/unit/decode/test_decoder.c
tests_unit_decode_test_decoder_LDADD = $(UNIT_LIBS)
tests_unit_decode_test_decoder_truth_SOURCES = tests/unit/decode/test_decoder_truth.c
tests_unit_decode_test_decoder_truth_LDADD = $(UNIT_LIBS)
tests_unit_decode_test_decoder_truth_LDFLAGS = $(AM_LDFLAGS) -rdynamic
tests_unit_decode_test_data_source_SOURCES = tests/unit/decode/test_data_source.c
tests_unit_decode_test_data_source_LDADD = $(UNIT_LIBS)
tests_unit_decode_test_operands_SOURCES = tests/unit/decode/test_operands.c
tests_unit_decode_test_operands_LDADD = $(ZYDIS_LIBS) $(UNIT_LIBS)


# Compares the decoder with Zydis on large programs: millions of instructions, a few seconds.
OPERANDS_OF = /usr/lib/x86_64-linux-gnu/libc.so.6 /usr/lib/x86_64-linux-gnu/libstdc++.so.6 \
	/usr/lib/x86_64-linux-gnu/libcrypto.so.3 /usr/lib/x86_64-linux-gnu/libavcodec.so.59 \
	/usr/lib/x86_64-linux-gnu/libx264.so.164 /usr/lib/x86_64-linux-gnu/libx265.so.199 \
	/usr/lib/x86_64-linux-gnu/libSvtAv1Enc.so.1 /usr/lib/x86_64-linux-gnu/libLLVM-14.so.1 \
	/usr/bin/python3 /usr/bin/node /usr/lib/jvm/*/lib/server/libjvm.so
.PHONY: operands
operands: tests/unit/decode/test_operands$(EXEEXT)
	tests/unit/decode/test_operands$(EXEEXT) $(OPERANDS_OF)
