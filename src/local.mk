PIPELINE = \
	src/pipeline.c src/pipeline.h src/pipeline_describe.c src/pipeline_open.c src/pipeline_replay.c src/pipeline_request.c src/pipeline_state.h \
	src/pipeline_fill.c src/pipeline_lines.c \
	src/pipeline_stored.c \
	src/pipeline_stretch.c \
	src/pipeline_watch.c \
	src/pipeline_whatif.c \
	src/pipeline_whatif_answer.c \
	src/recorder.c src/recorder.h src/recorder_lines.c src/recorder_names.c src/recorder_state.h \
	src/replay.c src/replay.h
bin_PROGRAMS += src/misstop
src_misstop_SOURCES = \
	src/command.c src/command.h \
	src/diff.c src/diff.h \
	src/diff_options.c \
	src/ending.c src/ending.h \
	src/export.c src/export.h \
	src/front.c src/front.h \
	src/launch.c src/launch.h \
	src/loop.c src/loop.h src/loop_act.c src/loop_state.h \
	src/main.c \
	src/pick.c src/pick.h \
	src/play.c src/play.h \
	src/player.c src/player.h \
	src/keyboard.c src/keyboard.h \
	src/refresh_timer.c src/refresh_timer.h \
	src/signals.c src/signals.h \
	src/snapshot_file.c src/snapshot_file.h \
	src/simulation.c src/simulation.h \
	src/option_value.c src/option_value.h \
	src/options.c src/options.h src/options_help.c \
	$(PIPELINE)
src_misstop_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'
src_misstop_CFLAGS = $(AM_CFLAGS) -pthread
src_misstop_LDFLAGS = -pthread
src_misstop_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS)

# What ./quickstart shows: optimised and with symbols, as a real program would be.
noinst_PROGRAMS += src/misstop-demo
src_misstop_demo_SOURCES = src/demo.c
src_misstop_demo_CFLAGS = -O2 -g -pthread
src_misstop_demo_LDFLAGS = -pthread
noinst_PROGRAMS += src/misstop-orders
src_misstop_orders_SOURCES = src/demo_orders.c
src_misstop_orders_CFLAGS = -O2 -g -pthread
src_misstop_orders_LDFLAGS = -pthread
