# the page of --html: see tests/unit/base.mk for the pattern
UNIT_HTML = tests/unit/test_html
check_PROGRAMS += $(UNIT_HTML)
TESTS += $(UNIT_HTML)
tests_unit_test_html_SOURCES = tests/unit/test_html.c $(VIEW_FIXTURE)
tests_unit_test_html_LDADD = $(VIEW_LIBS)

dist_check_SCRIPTS += tests/screen/test_html.sh
TESTS += tests/screen/test_html.sh
EXTRA_DIST += tests/screen/check-page
