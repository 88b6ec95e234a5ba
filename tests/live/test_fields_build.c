/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test_fields_build.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define C_CASES                                                                                    \
    "pointer global nested union bits array anonymous flexible table list thread inlined copied "  \
    "shared stack"
#define C_SOME   "pointer global nested list thread"
#define CC_CASES "this base virtual vector reference template hashed sorted chain"
#define CC_SOME  "this base vector hashed"
#define RS_CASES "slice vec boxes chain"
#define GO_CASES "slice global pointers chain"
#define F_CASES  "module allocatable assumed explicit"

/* Steps after linking. */
#define BY_LINK                                                                                    \
    " && objcopy --only-keep-debug program program.debug && strip program && "                     \
    "objcopy --add-gnu-debuglink=program.debug program"
/* The only place that tools search; $ID is cut from the output of readelf. */
#define BY_ID                                                                                      \
    " && ID=$(readelf -n program | sed -n 's/.*Build ID: //p') && "                                \
    "D=/usr/lib/debug/.build-id/$(echo $ID | cut -c1-2) && mkdir -p $D && "                        \
    "F=$D/$(echo $ID | cut -c3-).debug && objcopy --only-keep-debug program $F && "                \
    "echo $F >outside && strip program"

#define C(compiler, options, cases, brief)                                                         \
    {                                                                                              \
        compiler " " options, "m_fields.c", compiler, compiler " -g " options " $S/$P -o program", \
            cases, brief                                                                           \
    }
#define CC(compiler, options, cases, brief)                                                        \
    {                                                                                              \
        compiler " " options, "m_classes.cc", compiler,                                            \
            compiler " -g " options " $S/$P -o program", cases, brief                              \
    }
#define RS(options, cases, brief)                                                                  \
    {                                                                                              \
        "rustc " options, "m_records.rs", "rustc", "rustc -g " options " $S/$P -o program", cases, \
            brief                                                                                  \
    }
#define F(options, cases, brief)                                                                   \
    {                                                                                              \
        "gfortran " options, "m_derived.f90", "gfortran",                                          \
            "gfortran -g " options " $S/$P -o program", cases, brief                               \
    }

#define GO(name, options, cases)                                                                   \
    {                                                                                              \
        name, "m_structs.go", "go",                                                                \
            "GOCACHE=$PWD/cache GO111MODULE=off go build " options                                 \
            " -o program $S/$P && rm -rf cache",                                                   \
            cases, NULL                                                                            \
    }

const struct build builds[] = {
    C("gcc", "-O0", C_CASES, NULL),
    C("gcc", "-O2", C_CASES, "pointer global bits list thread"),
    C("gcc", "-O3", C_CASES, NULL),
    C("gcc", "-O2 -gdwarf-4", C_SOME, NULL),
    C("gcc", "-O2 -gdwarf-4 -fdebug-types-section", C_SOME, NULL),
    C("gcc", "-O2 -gsplit-dwarf", C_SOME, NULL),
    C("gcc", "-O2 -flto", C_SOME, NULL),
    C("gcc", "-O2 -gz", C_SOME, NULL),
    C("gcc", "-O2 -static", C_SOME, NULL),
    C("clang", "-O0", C_CASES, NULL),
    C("clang", "-O2", C_CASES, "pointer nested array"),
    C("clang", "-O3", C_CASES, NULL),
    C("clang", "-O2 -gdwarf-4", C_SOME, NULL),
    C("clang", "-O2 -gsplit-dwarf", C_SOME, NULL),
    {"gcc -O2, dwz", "m_fields.c", "gcc dwz",
     "gcc -g -O2 $S/$P -o program && cp program other && dwz -m shared program other", C_SOME,
     NULL},
    {"gcc -O2, stripped, debuglink", "m_fields.c", "gcc objcopy strip",
     "gcc -g -O2 $S/$P -o program" BY_LINK, C_SOME, NULL},
    {"gcc -O2, stripped, build-id", "m_fields.c", "gcc objcopy strip readelf",
     "gcc -g -O2 -Wl,--build-id $S/$P -o program" BY_ID, C_SOME, NULL},
    {"clang -O2, stripped, debuglink", "m_fields.c", "clang objcopy strip",
     "clang -g -O2 $S/$P -o program" BY_LINK, "pointer nested", NULL},
    CC("g++", "-O0", CC_CASES, NULL),
    CC("g++", "-O2", CC_CASES, "base vector"),
    CC("g++", "-O3 -gdwarf-4", CC_SOME, NULL),
    CC("g++", "-O2 -gsplit-dwarf", CC_SOME, NULL),
    CC("g++", "-O2 -flto", CC_SOME, NULL),
    CC("clang++", "-O0", CC_SOME, NULL),
    CC("clang++", "-O2", CC_CASES, NULL),
    {"g++ -O2, dwz, debuglink", "m_classes.cc", "g++ dwz objcopy strip",
     "g++ -g -O2 $S/$P -o program && dwz program" BY_LINK, CC_SOME, NULL},
    RS("-Copt-level=0", RS_CASES, NULL),
    RS("-Copt-level=3", RS_CASES, "vec"),
    F("-O0", F_CASES, NULL),
    F("-O2", F_CASES, "module"),
    F("-O3 -gdwarf-4", F_CASES, NULL),
    GO("go", "", GO_CASES),
    /*
     * Checks for nil read the first byte of a struct earlier: the miss is there, not at the field.
     */
    GO("go -N", "-gcflags=-N", "slice global"),
};
const size_t build_count = sizeof builds / sizeof *builds;

#define OVERWRITTEN "the load overwrites the only register that knew the address"

static const struct excuse excuses[] = {
    {"m_classes.cc", "*", "sorted", "followed inside libstdc++, which has no debug information"},
    {"m_fields.c", "*", "copied", "touched by nothing but the C library's memcpy()"},
    {"m_fields.c", "gcc -O0", "thread", OVERWRITTEN},
    {"m_fields.c", "gcc -O2 -gsplit-dwarf", "thread",
     "gcc 12 writes an address where the offset into the thread's storage belongs"},
    {"m_fields.c", "clang -O[23]*", "list", OVERWRITTEN},
    {"m_classes.cc", "*++ -O0", "vector", OVERWRITTEN},
    {"m_classes.cc", "g++ -O0", "chain", OVERWRITTEN},
    {"m_records.rs", "*=0", "vec", OVERWRITTEN},
    {"m_derived.f90", "gfortran -O0", "module", OVERWRITTEN},
    {"m_structs.go", "go", "*", OVERWRITTEN},
};

const char *excuse_of(const struct build *build, const char *name)
{
    for (size_t i = 0; i < sizeof excuses / sizeof *excuses; i++)
        if (!strcmp(excuses[i].source, build->source) && !fnmatch(excuses[i].name, name, 0) &&
            !fnmatch(excuses[i].builds, build->name, 0))
            return excuses[i].why;
    return NULL;
}

static char folder[32];

const char *builds_folder(void)
{
    if (!*folder) {
        strcpy(folder, "/tmp/misstop-fields-XXXXXX");
        if (!mkdtemp(folder))
            *folder = '\0';
    }
    return *folder ? folder : NULL;
}

static int run(const char *command)
{
    int status = system(command);
    return status == -1 ? 1 : status;
}

void builds_remove(void)
{
    char command[256];
    if (!*folder)
        return;
    /* Separate debug files that had to be outside the folder. */
    snprintf(command, sizeof command, "cat %s/*/outside 2>/dev/null | xargs -r rm -f; rm -rf %s",
             folder, folder);
    run(command);
}

static void build_folder(const struct build *build, char *out, size_t out_size)
{
    snprintf(out, out_size, "%s/%zu", builds_folder(), (size_t)(build - builds));
}

const char *build_path(const struct build *build, char *out, size_t out_size)
{
    char where[64];
    build_folder(build, where, sizeof where);
    snprintf(out, out_size, "%s/program", where);
    return out;
}

static bool is_installed(const char *program)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return !run(command);
}

enum build_state build_make(const struct build *build, char *missing, size_t missing_size)
{
    char needs[128];
    char where[64];
    char command[1024];
    char *rest = NULL;
    snprintf(needs, sizeof needs, "%s", build->needs);
    for (char *one = strtok_r(needs, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
        if (!is_installed(one)) {
            snprintf(missing, missing_size, "%s", one);
            return BUILD_MISSING;
        }
    if (strstr(build->command, "/usr/lib/debug") && access("/usr/lib/debug", W_OK)) {
        snprintf(missing, missing_size, "a writable /usr/lib/debug");
        return BUILD_MISSING;
    }
    build_folder(build, where, sizeof where);
    snprintf(command, sizeof command,
             "mkdir -p %s && cd %s && S=%s && P=%s && { %s; } >log 2>&1 || { cat log >&2; false; }",
             where, where, TYPES_FOLDER, build->source, build->command);
    return run(command) ? BUILD_FAILED : BUILD_READY;
}
