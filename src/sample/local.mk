noinst_LIBRARIES += src/libsample.a
src_libsample_a_SOURCES = \
	src/sample/attributes.c src/sample/attributes.h \
	src/sample/build_ids.c src/sample/build_ids.h \
	src/sample/compressed.c src/sample/compressed.h \
	src/sample/features.c src/sample/features.h \
	src/sample/foreign.c src/sample/foreign.h \
	src/sample/input.c src/sample/input.h \
	src/sample/order.c src/sample/order.h \
	src/sample/perfdata_mark.c src/sample/perfdata_header.c src/sample/perfdata_header.h \
	src/sample/perfdata_write.c src/sample/perfdata_write.h \
	src/sample/perfdata_write_build_id.c src/sample/perfdata_write_build_id.h \
	src/sample/perfdata_write_bytes.c src/sample/perfdata_write_bytes.h \
	src/sample/perfdata_write_file.c src/sample/perfdata_write_file.h \
	src/sample/perfdata_write_head.c src/sample/perfdata_write_state.h \
	src/sample/perfdata_write_host.c src/sample/perfdata_write_host.h \
	src/sample/perfdata_write_options.c \
	src/sample/perfdata_write_process.c src/sample/perfdata_write_process.h \
	src/sample/perfdata_write_record.c src/sample/perfdata_write_record.h \
	src/sample/perfdata_write_tasks.c src/sample/perfdata_write_tasks.h \
	src/sample/perfdata_write_topology.c \
	src/sample/processes.c src/sample/processes.h \
	src/sample/reads.c src/sample/reads.h \
	src/sample/tape.c src/sample/tape.h \
	src/sample/doctor.c src/sample/doctor.h \
	src/sample/sim_memory.c src/sample/sim_memory.h \
	src/sample/sim_record.c src/sample/sim_record.h \
	src/sample/sim_session.c src/sample/sim_session.h \
	src/sample/sim_whatif.c src/sample/sim_whatif.h \
	src/sample/event.c src/sample/event.h \
	src/sample/event_desc.c src/sample/event_desc.h \
	src/sample/event_weigh.c \
	src/sample/filter.c src/sample/filter.h \
	src/sample/kernel.c src/sample/kernel.h \
	src/sample/perfdata.c src/sample/perfdata.h \
	src/sample/perfdata_describe.c src/sample/perfdata_read.c \
	src/sample/perfdata_state.h src/sample/perfdata_take.c \
	src/sample/period.c src/sample/period.h \
	src/sample/record.c src/sample/record.h \
	src/sample/record_sample.c src/sample/record_other.c src/sample/record_part.h \
	src/sample/cursor.h \
	src/sample/ring.c src/sample/ring.h \
	src/sample/sampler.c src/sample/sampler.h \
	src/sample/session.c src/sample/session.h \
	src/sample/session_events.c src/sample/session_read.c \
	src/sample/source.c src/sample/source.h \
	src/sample/source_clock.c src/sample/source_counter.c \
	src/sample/source_explain.c src/sample/source_ibs.c \
	src/sample/source_pebs.c src/sample/source_try.c \
	src/sample/sysfs_event.c src/sample/sysfs_event.h \
	src/sample/threads.c src/sample/threads.h \
	src/sample/watch.c src/sample/watch.h \
	src/sample/watch_budget.c src/sample/watch_budget.h \
	src/sample/watch_leg.c src/sample/watch_leg.h \
	src/sample/watch_lines.c src/sample/watch_lines.h \
	src/sample/watch_registers.c src/sample/watch_registers.h src/sample/watch_registers_open.c
