# The agent: a shared library that is built without libtool, as a program. It is never built with sanitizers,
# which have their own malloc. -fno-builtin prevents the compiler from replacing malloc and memset by a call
# to calloc.
agentdir = $(pkglibdir)
agent_PROGRAMS = src/agent/libmisstop-agent.so
src_agent_libmisstop_agent_so_SOURCES = include/agent_abi.h include/agent_load.h \
	src/agent/environment.c src/agent/unwind.c src/agent/unwind.h src/agent/interpose.c \
	src/agent/load.c src/agent/path.c src/agent/path.h src/agent/real.c src/agent/real.h \
	src/agent/session.c src/agent/session.h src/agent/thread.c src/agent/thread.h
src_agent_libmisstop_agent_so_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -fPIC -fvisibility=hidden \
	-fno-builtin -fno-omit-frame-pointer
src_agent_libmisstop_agent_so_LDFLAGS = -shared -Wl,-soname,libmisstop-agent.so -Wl,-z,now -Wl,-z,defs
