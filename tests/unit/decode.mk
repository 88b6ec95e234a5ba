# unit tests of src/decode
UNIT_DECODE = tests/unit/test_decoder tests/unit/test_decoder_truth tests/unit/test_insn \
	tests/unit/test_operands
check_PROGRAMS += $(UNIT_DECODE)
TESTS += $(UNIT_DECODE)
UNIT_DECODE_LIBS = src/libdecode.a src/libbase.a $(CAPSTONE_LIBS) $(CMOCKA_LIBS)
tests_unit_test_decoder_SOURCES = tests/unit/test_decoder.c
tests_unit_test_decoder_LDADD = $(UNIT_DECODE_LIBS)
tests_unit_test_decoder_truth_SOURCES = tests/unit/test_decoder_truth.c
tests_unit_test_decoder_truth_LDADD = $(UNIT_DECODE_LIBS)
tests_unit_test_decoder_truth_LDFLAGS = $(AM_LDFLAGS) -rdynamic
tests_unit_test_insn_SOURCES = tests/unit/test_insn.c
tests_unit_test_insn_LDADD = $(UNIT_DECODE_LIBS)
tests_unit_test_operands_SOURCES = tests/unit/test_operands.c
tests_unit_test_operands_LDADD = $(UNIT_DECODE_LIBS) $(ZYDIS_LIBS)

# The decoder against Zydis on large programs: millions of instructions, some seconds.
OPERANDS_OF = /usr/lib/x86_64-linux-gnu/libc.so.6 /usr/lib/x86_64-linux-gnu/libstdc++.so.6 \
	/usr/lib/x86_64-linux-gnu/libcrypto.so.3 /usr/lib/x86_64-linux-gnu/libavcodec.so.59 \
	/usr/lib/x86_64-linux-gnu/libx264.so.164 /usr/lib/x86_64-linux-gnu/libx265.so.199 \
	/usr/lib/x86_64-linux-gnu/libSvtAv1Enc.so.1 /usr/lib/x86_64-linux-gnu/libLLVM-14.so.1 \
	/usr/bin/python3 /usr/bin/node /usr/lib/jvm/*/lib/server/libjvm.so
.PHONY: operands
operands: tests/unit/test_operands$(EXEEXT)
	tests/unit/test_operands$(EXEEXT) $(OPERANDS_OF)
