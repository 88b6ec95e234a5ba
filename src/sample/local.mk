noinst_LIBRARIES += src/libsample.a
src_libsample_a_SOURCES = src/sample/perfdata/attributes.c src/sample/perfdata/attributes.h \
	src/sample/perfdata/header.c src/sample/perfdata/header.h src/sample/perfdata/input.c \
	src/sample/perfdata/input.h src/sample/perfdata/order.c src/sample/perfdata/order.h \
	src/sample/perfdata/perfdata.c src/sample/perfdata/writer.c src/sample/perfdata/writer.h \
	src/sample/perfdata/writer_process.c src/sample/perfdata/writer_state.h \
	src/sample/perfdata/writer_host.c src/sample/perfdata/processes.c src/sample/perfdata/processes.h \
	src/sample/doctor.c src/sample/sampler.h src/sample/simulated/sim_memory.c \
	src/sample/simulated/sim_memory.h src/sample/simulated/sim_session.c \
	src/sample/simulated/sim_session.h src/sample/perf/event.c src/sample/perf/event.h \
	src/sample/perf/source.c src/sample/perf/source.h src/sample/kernel.c src/sample/kernel.h \
	src/sample/perfdata/perfdata.h src/sample/perf/session.c src/sample/perf/session.h \
	src/sample/perf/record.c src/sample/perf/record.h src/sample/cursor.h src/sample/perf/ring.c \
	src/sample/sampler.c src/sample/perf/source_ibs.c \
	src/sample/perf/source_pebs.c src/sample/perf/watch.c src/sample/perf/watch.h
