noinst_LIBRARIES += src/libresolve.a
src_libresolve_a_SOURCES = src/resolve/placeholder.c
