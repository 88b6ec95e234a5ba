noinst_LIBRARIES += src/libdecode.a
src_libdecode_a_SOURCES = \
	src/decode/access.c \
	src/decode/across.c src/decode/across.h \
	src/decode/data_source.c \
	src/decode/by_value.c src/decode/by_value.h \
	src/decode/call.c src/decode/call.h src/decode/calls.h \
	src/decode/decoder.c src/decode/decoder.h \
	src/decode/function.c src/decode/function.h \
	src/decode/waiting.c src/decode/waiting.h \
	src/decode/insn.c src/decode/insn.h \
	src/decode/encoding.c src/decode/encoding.h src/decode/opcode.c \
	src/decode/recipe.c src/decode/recipe.h src/decode/recipe_walk.c \
	src/decode/trace.c src/decode/trace.h src/decode/trace_undo.c src/decode/trace_undo.h
