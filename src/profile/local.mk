noinst_LIBRARIES += src/libprofile.a
src_libprofile_a_SOURCES = src/profile/tables/statistics.c src/profile/tables/statistics.h \
	src/profile/renames.c src/profile/cache/window.c src/profile/cache/window.h \
	src/profile/time/decay.c src/profile/cache/use.c src/profile/cache/use.h src/profile/time/decay.h \
	src/profile/time/timeline.c src/profile/time/timeline.h src/profile/findings/findings.c \
	src/profile/findings/findings.h src/profile/findings/misses.c src/profile/findings/access.c \
	src/profile/findings/layout.c src/profile/findings/threads.c src/profile/cache/geometry.c \
	src/profile/cache/geometry.h src/profile/snapshot/matrix.c src/profile/snapshot/builders.h \
	src/profile/tables/levels.c src/profile/tables/levels.h src/profile/tables/rates.c \
	src/profile/tables/rates.h src/profile/tables/tally.h src/profile/tables/tally.c \
	src/profile/time/phases.c src/profile/time/phases.h src/profile/profile.c \
	src/profile/snapshot/use.c src/profile/snapshot/objects.c src/profile/profile.h \
	src/profile/cache/reuse.c src/profile/cache/reuse.h src/profile/cache/search.c \
	src/profile/cache/search.h src/profile/cache/search_phases.c src/profile/cache/search_phases.h \
	src/profile/cache/sets.c src/profile/cache/sets.h src/profile/cache/sharing.c \
	src/profile/cache/sharing.h src/profile/snapshot/sharing.c src/profile/snapshot/snapshot.c \
	src/profile/snapshot/code.c src/profile/snapshot/callers.c src/profile/cache/causes.c src/profile/cache/causes.h \
	src/profile/snapshot/causes.c src/profile/snapshot/fields.c src/profile/snapshot/layout.c \
	src/profile/snapshot/levels.c src/profile/snapshot/search.c src/profile/snapshot/window.c \
	src/profile/snapshot/timeline.c src/profile/snapshot/watch.c src/profile/cache/spread.c \
	src/profile/cache/spread.h src/profile/cache/waits.c src/profile/cache/waits.h src/profile/state.h src/profile/time/streams.c \
	src/profile/time/streams.h src/profile/whatif.c src/profile/whatif.h
