# The Valgrind tool for --sim: a static program without libc, linked like Valgrind's own tools
# (Valgrind's manual, "Writing a New Valgrind Tool"), with its own build of the model. Also copies of
# the files that Valgrind needs next to a tool, of the version it is linked with. Everything is built
# in src/valgrind of the build folder, where src/misstop looks for it.
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
	-Wl,-Ttext-segment=0x58000000 -Wl,--build-id=none -Wl,--wrap=vgPlain_di_notify_mmap \
	-Wl,--wrap=sanityCheckIRSB
src_valgrind_misstop_amd64_linux_LDADD = $(VALGRIND_LIBS_AT)/libcoregrind-amd64-linux.a \
	$(VALGRIND_LIBS_AT)/libvex-amd64-linux.a $(VALGRIND_LIBS_AT)/libgcc-sup-amd64-linux.a -lgcc

src/valgrind/vgpreload_core-amd64-linux.so src/valgrind/default.supp:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $(VALGRIND_FILES_AT)/$(@F) $@
endif

VALGRIND_TOOL_SOURCES = include/sim_abi.h src/sim/tool/tool.h src/sim/tool/tool.c \
	src/sim/tool/access.c src/sim/tool/agent_rings.c src/sim/tool/instrument.c src/sim/tool/report.c \
	src/sim/tool/shared.c src/sim/tool/whatif.c
EXTRA_DIST += $(VALGRIND_TOOL_SOURCES)
