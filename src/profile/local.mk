noinst_LIBRARIES += src/libprofile.a
src_libprofile_a_SOURCES = src/profile/placeholder.c
