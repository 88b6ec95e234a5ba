# unit tests of what-if questions (--what-if, screen x): see tests/unit/base.mk for the pattern
UNIT_WHATIF = \
	tests/unit/test_whatif_page \
	tests/unit/test_whatif_plan
check_PROGRAMS += $(UNIT_WHATIF)
TESTS += $(UNIT_WHATIF)
tests_unit_test_whatif_page_SOURCES = tests/unit/test_whatif_page.c $(PAGE_FIXTURE)
tests_unit_test_whatif_page_LDADD = $(VIEW_LIBS)
tests_unit_test_whatif_plan_SOURCES = tests/unit/test_whatif_plan.c
tests_unit_test_whatif_plan_LDADD = $(VIEW_LIBS)
