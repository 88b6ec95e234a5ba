# Finds the object, function and type of a sample. resolver.h is the interface, place.c resolves an access to
# its place. process/: maps, address space, threads, stacks, TLS, memory use. elf/: modules, symbols, debug
# files, frames. heap/: the agent's feed, the walk of other heaps, blocks, bins. dwarf/: debug information,
# read by separate processes (reader.h, question.h). runtime/: JIT maps, objects of Java, Python, V8 and PHP.
noinst_LIBRARIES += src/libresolve.a
src_libresolve_a_SOURCES = src/resolve/resolver.h src/resolve/heap/allocations.c \
	src/resolve/heap/allocations.h src/resolve/elf/binaries.c src/resolve/elf/binaries.h \
	src/resolve/heap/bin_rules.c src/resolve/heap/bin_rules.h src/resolve/heap/bins.c \
	src/resolve/heap/bins.h src/resolve/heap/blocks.c src/resolve/heap/blocks.h \
	src/resolve/elf/debuginfo.c src/resolve/elf/debuginfo.h src/resolve/elf/cfi.c \
	src/resolve/elf/cfi.h src/resolve/callers.c src/resolve/elf/symbols.c src/resolve/elf/symbols.h \
	src/resolve/dwarf/access.c src/resolve/dwarf/assignee.c src/resolve/dwarf/describe.c \
	src/resolve/dwarf/die.c src/resolve/dwarf/die.h src/resolve/dwarf/operand.c \
	src/resolve/dwarf/flow.h src/resolve/dwarf/scopes.c \
	src/resolve/dwarf/typename.c src/resolve/dwarf/slot.c \
	src/resolve/dwarf/flow.c src/resolve/dwarf/variables.c src/resolve/dwarf/variables.h \
	src/resolve/dwarf/shape.c src/resolve/dwarf/where.c src/resolve/dwarf/step.c \
	src/resolve/dwarf/program.c src/resolve/dwarf/program.h src/resolve/dwarf/value.c \
	src/resolve/dwarf/reader.c src/resolve/dwarf/worker.c src/resolve/dwarf/question.h \
	src/resolve/dwarf/reader.h src/resolve/dwarf/wire.c \
	src/resolve/dwarf/wire.h src/resolve/heap/feed.c src/resolve/heap/feed.h src/agent/load.c \
	src/resolve/objects.c src/resolve/objects.h src/resolve/place.c src/resolve/resolver_state.h \
	src/resolve/runtime/haskell.c src/resolve/runtime/hotspot.c src/resolve/runtime/php.c src/resolve/runtime/python.c \
	src/resolve/runtime/runtime.c src/resolve/runtime/v8.c src/resolve/runtime/jitmap.c src/resolve/runtime/runtime.h src/resolve/elf/module.c \
	src/resolve/elf/module.h src/resolve/process/maps.c src/resolve/process/maps.h \
	src/resolve/library_types.c src/resolve/library_types.h src/resolve/members.c \
	src/resolve/members.h src/resolve/process/process.c \
	src/resolve/process/process.h src/resolve/process/space.c src/resolve/process/space.h \
	src/resolve/resolver.c src/resolve/names.c src/resolve/source.c src/resolve/source.h \
	src/resolve/process/threads.c src/resolve/process/threads.h src/resolve/process/tlb.c \
	src/resolve/process/tls.c \
	src/resolve/process/memory_use.c src/resolve/process/memory_use.h \
	src/resolve/object_types.c src/resolve/object_types.h \
	src/resolve/provisional.c src/resolve/typing.c src/resolve/typing.h \
	src/resolve/elf/unwind.c src/resolve/elf/unwind.h \
	src/resolve/heap/walk.c src/resolve/heap/walk.h src/resolve/heap/walk_state.h \
	src/resolve/heap/walk_arena.c src/resolve/heap/walk_free.c src/resolve/heap/walk_span.c \
	src/resolve/heap/walk_jemalloc.c src/resolve/heap/walk_go.c src/resolve/heap/walk_mapped.c src/resolve/heap/walked_heap.c src/resolve/heap/walked_heap.h
