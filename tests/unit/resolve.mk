# unit tests of src/resolve
UNIT_RESOLVE = \
	tests/unit/test_resolver \
	tests/unit/test_resolver_mappings \
	tests/unit/test_frames \
	tests/unit/test_layout \
	tests/unit/test_stacks \
	tests/unit/test_tcb \
	tests/unit/test_process_list \
	tests/unit/test_memory_use \
	tests/unit/test_module \
	tests/unit/test_binaries \
	tests/unit/test_files \
	tests/unit/test_jitmap \
	tests/unit/test_maps \
	tests/unit/test_names \
	tests/unit/test_source_text \
	tests/unit/test_symbols \
	tests/unit/test_thread_names \
	tests/unit/test_resolver_programs \
	tests/unit/test_resolver_changes
FUZZ_RESOLVE = tests/fuzz/fuzz_elf tests/fuzz/fuzz_maps
check_PROGRAMS += $(UNIT_RESOLVE) $(FUZZ_RESOLVE)
TESTS += $(UNIT_RESOLVE) $(FUZZ_RESOLVE)
CLEANFILES += fuzz_elf.last
RESOLVE_LIBS = src/libresolve.a src/libbase.a $(RESOLVER_LIBS) $(CMOCKA_LIBS) -lpthread
TARGET_SOURCES = tests/unit/target.c tests/unit/target.h
tests_unit_test_resolver_SOURCES = tests/unit/test_resolver.c
tests_unit_test_resolver_LDADD = $(RESOLVE_LIBS)
tests_unit_test_resolver_programs_SOURCES = tests/unit/test_resolver_programs.c $(TARGET_SOURCES)
tests_unit_test_resolver_programs_LDADD = $(RESOLVE_LIBS)
tests_unit_test_resolver_changes_SOURCES = tests/unit/test_resolver_changes.c $(TARGET_SOURCES)
tests_unit_test_resolver_changes_LDADD = $(RESOLVE_LIBS) -ldl
tests_unit_test_binaries_SOURCES = tests/unit/test_binaries.c $(TARGET_SOURCES)
tests_unit_test_binaries_LDADD = $(RESOLVE_LIBS)
tests_unit_test_files_SOURCES = tests/unit/test_files.c $(TARGET_SOURCES)
tests_unit_test_files_LDADD = $(RESOLVE_LIBS)
tests_unit_test_jitmap_SOURCES = tests/unit/test_jitmap.c
tests_unit_test_jitmap_LDADD = $(RESOLVE_LIBS)
tests_unit_test_maps_SOURCES = tests/unit/test_maps.c
tests_unit_test_maps_LDADD = $(RESOLVE_LIBS)
tests_unit_test_names_SOURCES = tests/unit/test_names.c
tests_unit_test_names_LDADD = $(RESOLVE_LIBS)
tests_unit_test_source_text_SOURCES = tests/unit/test_source_text.c
tests_unit_test_source_text_LDADD = $(RESOLVE_LIBS)
tests_unit_test_thread_names_SOURCES = tests/unit/test_thread_names.c
tests_unit_test_thread_names_LDADD = $(RESOLVE_LIBS)
tests_unit_test_symbols_SOURCES = tests/unit/test_symbols.c
tests_unit_test_symbols_LDADD = $(RESOLVE_LIBS)
tests_unit_test_frames_SOURCES = tests/unit/test_frames.c
tests_unit_test_frames_LDADD = $(RESOLVE_LIBS)
tests_unit_test_layout_SOURCES = tests/unit/test_layout.c
tests_unit_test_layout_LDADD = $(RESOLVE_LIBS)
tests_unit_test_stacks_SOURCES = tests/unit/test_stacks.c
tests_unit_test_stacks_LDADD = $(RESOLVE_LIBS)
tests_unit_test_tcb_SOURCES = tests/unit/test_tcb.c
tests_unit_test_tcb_LDADD = $(RESOLVE_LIBS)
tests_unit_test_memory_use_SOURCES = tests/unit/test_memory_use.c
tests_unit_test_memory_use_LDADD = $(RESOLVE_LIBS) -lm
tests_unit_test_process_list_SOURCES = tests/unit/test_process_list.c
tests_unit_test_process_list_LDADD = $(RESOLVE_LIBS) -lm
tests_unit_test_module_SOURCES = tests/unit/test_module.c $(TARGET_SOURCES)
tests_unit_test_module_LDADD = $(RESOLVE_LIBS)
tests_unit_test_resolver_mappings_SOURCES = tests/unit/test_resolver_mappings.c $(TARGET_SOURCES)
tests_unit_test_resolver_mappings_LDADD = $(RESOLVE_LIBS)
tests_fuzz_fuzz_elf_SOURCES = tests/fuzz/fuzz_elf.c
tests_fuzz_fuzz_elf_LDADD = $(RESOLVE_LIBS)
tests_fuzz_fuzz_maps_SOURCES = tests/fuzz/fuzz_maps.c
tests_fuzz_fuzz_maps_LDADD = $(RESOLVE_LIBS)
check_PROGRAMS += tests/unit/test_nodes
TESTS += tests/unit/test_nodes
tests_unit_test_nodes_SOURCES = tests/unit/test_nodes.c
tests_unit_test_nodes_LDADD = src/libresolve.a src/libbase.a $(CMOCKA_LIBS)
