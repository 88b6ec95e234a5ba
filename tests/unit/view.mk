# unit tests of src/view: see tests/unit/base.mk for the pattern
VIEW_FIXTURE = tests/unit/snapshot_fixture.c tests/unit/snapshot_fixture.h
# Names of kinds and reasons stand in the stages left of view.
VIEW_LIBS = src/libview.a src/libprofile.a src/libresolve.a src/libdecode.a src/libsample.a \
	src/libbase.a $(OUTSIDE_LIBS)

# The screen on made-up snapshots.
check_PROGRAMS += tests/screen/show_fixture
tests_screen_show_fixture_SOURCES = tests/screen/show_fixture.c $(VIEW_FIXTURE)
tests_screen_show_fixture_LDADD = $(VIEW_LIBS)
