bin_PROGRAMS += src/misstop
src_misstop_SOURCES = src/main.c
src_misstop_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS)
