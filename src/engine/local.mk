# One watched target, from records to snapshots: start reading with trunk.c. Its places come from one of the
# engine kinds, each a table of functions in live.c, simulated.c, recorded.c and stored.c.
noinst_LIBRARIES += src/libengine.a
src_libengine_a_SOURCES = src/engine/engine.h src/engine/state.h src/engine/trunk.c \
	src/engine/open.c src/engine/live.c src/engine/simulated.c src/engine/recorded.c \
	src/engine/stored.c src/engine/sampled.c src/engine/picture.c src/engine/requests.c \
	src/engine/time_range.c src/engine/watchpoints.c src/engine/whatif.c src/engine/recorder.c \
	src/engine/play.c src/engine/play.h
