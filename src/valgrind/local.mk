# The Valgrind tool behind --sim: a static program without libc, linked as Valgrind's own tools are
# (Valgrind's manual, "Writing a New Valgrind Tool"), and the model compiled once more into it.
# Copies of what Valgrind wants to find beside a tool, of the version it is linked with.
if HAVE_VALGRIND
valgrinddir = $(pkglibdir)/valgrind
valgrind_PROGRAMS = src/valgrind/misstop-amd64-linux
valgrind_DATA = src/valgrind/vgpreload_core-amd64-linux.so src/valgrind/default.supp
CLEANFILES += $(valgrind_DATA)
src_valgrind_misstop_amd64_linux_SOURCES = $(VALGRIND_TOOL_SOURCES) $(SIM_SOURCES)
src_valgrind_misstop_amd64_linux_CPPFLAGS = -I$(top_srcdir)/include -I$(top_srcdir)/src \
	$(VALGRIND_CFLAGS)
src_valgrind_misstop_amd64_linux_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g -ffreestanding -fno-builtin \
	-fno-stack-protector -fno-pic -fno-pie -fomit-frame-pointer -fno-strict-aliasing
src_valgrind_misstop_amd64_linux_LDFLAGS = -static -nostdlib -nostartfiles -u _start \
	-Wl,-Ttext-segment=0x58000000 -Wl,--build-id=none
src_valgrind_misstop_amd64_linux_LDADD = $(VALGRIND_LIBS_AT)/libcoregrind-amd64-linux.a \
	$(VALGRIND_LIBS_AT)/libvex-amd64-linux.a $(VALGRIND_LIBS_AT)/libgcc-sup-amd64-linux.a -lgcc

src/valgrind/vgpreload_core-amd64-linux.so src/valgrind/default.supp:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $(VALGRIND_FILES_AT)/$(@F) $@
endif

VALGRIND_TOOL_SOURCES = include/sim_abi.h src/valgrind/core.h src/valgrind/tool.c \
	src/valgrind/access.c src/valgrind/access.h \
	src/valgrind/agent_rings.c src/valgrind/agent_rings.h \
	src/valgrind/fetch.c src/valgrind/fetch.h \
	src/valgrind/hit.c src/valgrind/hit.h \
	src/valgrind/instructions.c src/valgrind/instructions.h \
	src/valgrind/instrument.c src/valgrind/instrument.h \
	src/valgrind/floating.c src/valgrind/floating.h \
	src/valgrind/lines.c src/valgrind/lines.h \
	src/valgrind/mappings.c src/valgrind/mappings.h \
	src/valgrind/missed.c src/valgrind/missed.h \
	src/valgrind/pages.c src/valgrind/pages.h \
	src/valgrind/shared.c src/valgrind/shared.h \
	src/valgrind/stretch.c src/valgrind/stretch.h \
	src/valgrind/tell.c src/valgrind/tell.h \
	src/valgrind/threads.c src/valgrind/threads.h \
	src/valgrind/whatif.c src/valgrind/whatif.h
EXTRA_DIST += $(VALGRIND_TOOL_SOURCES)
