bin_PROGRAMS += src/misstop
src_misstop_SOURCES = src/launch.c src/launch.h src/diff.c src/diff.h src/main.c src/export.c \
	src/export.h src/front.c src/loop.c src/loop.h src/player.c src/player.h \
	src/terminal.c src/terminal.h src/simulation.c src/options.c src/options.h
src_misstop_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'
src_misstop_CFLAGS = $(AM_CFLAGS) -pthread
src_misstop_LDFLAGS = -pthread
src_misstop_LDADD = $(STAGE_LIBS) $(OUTSIDE_LIBS)

# The demo of ./quickstart: optimised and with symbols, like a real program.
noinst_PROGRAMS += src/misstop-demo
src_misstop_demo_SOURCES = src/demo.c
src_misstop_demo_CFLAGS = -O2 -g -pthread
src_misstop_demo_LDFLAGS = -pthread
noinst_PROGRAMS += src/misstop-orders
src_misstop_orders_SOURCES = src/demo_orders.c
src_misstop_orders_CFLAGS = -O2 -g -pthread
src_misstop_orders_LDFLAGS = -pthread
