# Decodes instructions (insn.h), finds the culprit of a sample and its address (culprit.h), and reconstructs
# earlier register values (trace.h). decoder.h is the interface.
noinst_LIBRARIES += src/libdecode.a
src_libdecode_a_SOURCES = src/decode/data_source.c src/decode/trace.c src/decode/trace.h \
	src/decode/culprit.c src/decode/culprit.h src/decode/decoder.c src/decode/decoder.h \
	src/decode/function.c src/decode/function.h src/decode/insn.c src/decode/insn.h \
	src/decode/encoding.c src/decode/encoding.h src/decode/opcode.c
