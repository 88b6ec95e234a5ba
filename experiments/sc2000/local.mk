# Buck and Hollingsworth's experiment: the data of their seven programs, and their tables.
SC2000_SEVEN = experiments/sc2000/program.h experiments/sc2000/tomcatv.c experiments/sc2000/swim.c \
	experiments/sc2000/su2cor.c experiments/sc2000/mgrid.c experiments/sc2000/applu.c \
	experiments/sc2000/compress.c experiments/sc2000/ijpeg.c
EXTRA_PROGRAMS += experiments/sc2000/sc2000 experiments/sc2000/alone
experiments_sc2000_sc2000_SOURCES = $(SC2000_SEVEN) experiments/sc2000/sc2000.c \
	experiments/sc2000/stream.c experiments/sc2000/stream.h experiments/sc2000/published.c \
	experiments/sc2000/published.h experiments/sc2000/simulated.c experiments/sc2000/simulated.h \
	$(PLANTED_OBJECTS)
experiments_sc2000_sc2000_CPPFLAGS = $(AM_CPPFLAGS) -DTRACED -I$(srcdir)/tests
experiments_sc2000_sc2000_LDADD = src/libsim.a src/libprofile.a src/libbase.a -lm
experiments_sc2000_alone_SOURCES = $(SC2000_SEVEN) experiments/sc2000/alone.c
experiments_sc2000_alone_LDADD = -lm
EXTRA_DIST += experiments/sc2000/test_sc2000.sh
