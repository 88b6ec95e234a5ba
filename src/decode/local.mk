noinst_LIBRARIES += src/libdecode.a
src_libdecode_a_SOURCES = src/decode/placeholder.c
