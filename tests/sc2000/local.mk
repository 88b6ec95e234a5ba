# Buck and Hollingsworth's experiment: `make experiment` prints their tables.
SC2000_SEVEN = tests/sc2000/program.h tests/sc2000/tomcatv.c tests/sc2000/swim.c \
	tests/sc2000/su2cor.c tests/sc2000/mgrid.c tests/sc2000/applu.c tests/sc2000/compress.c \
	tests/sc2000/ijpeg.c
check_PROGRAMS += tests/sc2000/sc2000
EXTRA_PROGRAMS += tests/sc2000/alone
CLEANFILES += tests/sc2000/alone
tests_sc2000_sc2000_SOURCES = $(SC2000_SEVEN) tests/sc2000/sc2000.c tests/sc2000/stream.c \
	tests/sc2000/stream.h tests/sc2000/published.c tests/sc2000/published.h \
	tests/sc2000/simulated.c tests/sc2000/simulated.h \
	$(PLANTED_OBJECTS)
tests_sc2000_sc2000_CPPFLAGS = $(AM_CPPFLAGS) -DTRACED -I$(srcdir)/tests
tests_sc2000_sc2000_LDADD = src/libsim.a src/libprofile.a src/libbase.a -lm
tests_sc2000_alone_SOURCES = $(SC2000_SEVEN) tests/sc2000/alone.c
tests_sc2000_alone_LDADD = -lm
dist_check_SCRIPTS += tests/sc2000/test_sc2000.sh
TESTS += tests/sc2000/test_sc2000.sh

.PHONY: experiment
experiment: tests/sc2000/sc2000$(EXEEXT)
	tests/sc2000/sc2000$(EXEEXT)
