/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/resolve/target.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "unit/names.h"

const char target_program[] =
    "#define _GNU_SOURCE\n"
    "#include <dlfcn.h>\n"
    "#include <pthread.h>\n"
    "#include <stdio.h>\n"
    "#include <string.h>\n"
    "#include <unistd.h>\n"
    "int planted_global[100] = {1};\n"
    "static int planted_static[100];\n"
    "static const int planted_const[100] = {1, 2, 3};\n"
    "__thread long planted_tls[10] = {7};\n"
    "static __thread char padding[100];\n"
    "static void *library;\n"
    "static void print_at(const char *name, const void *at) { printf(\"%s %p\\n\", name, at); }\n"
    "__attribute__((noinline)) int planted_function(int i)\n"
    "{\n"
    "    padding[i] = 1;\n"
    "    return planted_static[i] + planted_const[i] + planted_global[i];\n"
    "}\n"
    "static void *thread_main(void *unused)\n"
    "{\n"
    "    long local = 1;\n"
    "    char name[64];\n"
    "    const char *(*touch)(void) = library ? dlsym(library, \"touch\") : 0;\n"
    "    (void)unused;\n"
    "    print_at(\"thread_tls\", &planted_tls[2]);\n"
    "    print_at(\"thread_stack\", &local);\n"
    "    print_at(\"thread_pointer\", __builtin_thread_pointer());\n"
    "    snprintf(name, sizeof name, \"thread_id %x\\n\", (int)gettid());\n"
    "    fputs(name, stdout);\n"
    "    if (touch) print_at(\"library_thread_tls\", touch());\n"
    "    puts(\"ready\");\n"
    "    fflush(stdout);\n"
    "    for (;;) pause();\n"
    "    return 0;\n"
    "}\n"
    "static void command(char *line)\n"
    "{\n"
    "    pthread_t thread;\n"
    "    line[strcspn(line, \"\\n\")] = 0;\n"
    "    if (!strncmp(line, \"open \", 5)) {\n"
    "        library = dlopen(line + 5, RTLD_NOW);\n"
    "        if (!library) fprintf(stderr, \"%s\\n\", dlerror());\n"
    "        if (library) print_at(\"library_global\", dlsym(library, \"library_global\"));\n"
    "        if (library) print_at(\"library_function\", dlsym(library, \"library_function\"));\n"
    "    } else if (!strcmp(line, \"close\")) {\n"
    "        dlclose(library);\n"
    "        library = 0;\n"
    "    } else if (!strcmp(line, \"touch\")) {\n"
    "        const char *(*touch)(void) = dlsym(library, \"touch\");\n"
    "        print_at(\"library_tls\", touch());\n"
    "    } else if (!strcmp(line, \"thread\")) {\n"
    "        pthread_create(&thread, 0, thread_main, 0);\n"
    "        return;\n"
    "    }\n"
    "    puts(\"ready\");\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    char line[4096];\n"
    "    long local = planted_function(3);\n"
    "    setvbuf(stdout, 0, _IOFBF, 8192);\n"
    "    print_at(\"global\", &planted_global[5]);\n"
    "    print_at(\"static\", &planted_static[5]);\n"
    "    print_at(\"const\", &planted_const[5]);\n"
    "    print_at(\"tls\", &planted_tls[1]);\n"
    "    print_at(\"function\", (void *)planted_function);\n"
    "    print_at(\"stack\", &local);\n"
    "    print_at(\"thread_pointer\", __builtin_thread_pointer());\n"
    "    puts(\"ready\");\n"
    "    fflush(stdout);\n"
    "    while (fgets(line, sizeof line, stdin)) {\n"
    "        command(line);\n"
    "        fflush(stdout);\n"
    "    }\n"
    "    return 0;\n"
    "}\n";

static char folder[64];

static void remove_folder(void)
{
    target_run("rm -rf %s", folder);
}

const char *target_folder(void)
{
    if (!*folder) {
        strcpy(folder, "/tmp/misstop-test-XXXXXX");
        if (!mkdtemp(folder))
            fail_msg("no folder in /tmp");
        atexit(remove_folder);
    }
    return folder;
}

static const char *path_in(const char *where, const char *name)
{
    static char paths[16][256];
    static unsigned next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", where, name);
    return path;
}

const char *target_path(const char *name)
{
    return path_in(target_folder(), name);
}

bool target_run(const char *format, ...)
{
    char command[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    return !system(command);
}

static unsigned long long hash_of(const char *text)
{
    unsigned long long hash = 0xcbf29ce484222325;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return hash;
}

/* Uses a separate folder for each command line, for other files that the compiler writes. */
const char *target_built(const char *format, ...)
{
    char command[2048];
    char name[32];
    const char *shared = getenv("TARGETS_BUILT");
    const char *where = shared ? shared : target_folder();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    snprintf(name, sizeof name, "%016llx/program", hash_of(command));
    return target_run("mkdir -p %s/%.16s && cd %s/%.16s && OUT=program && "
                      "{ test -e built || { { %s; } && : >built; }; }",
                      where, name, where, name, command)
               ? path_in(where, name)
               : NULL;
}

bool target_build(const char *path, const char *flags, const char *source)
{
    char command[1024];
    const char *compiler = getenv("CC");
    snprintf(command, sizeof command, "%s -w -x c %s -o %s -", compiler ? compiler : "cc", flags,
             path);
    FILE *to = popen(command, "w");
    if (!to)
        return false;
    fputs(source, to);
    return !pclose(to);
}

static bool listen_to(struct target *target)
{
    char line[256];
    while (fgets(line, sizeof line, target->from)) {
        unsigned long long address;
        char name[48];
        if (!strcmp(line, "ready\n"))
            return true;
        if (sscanf(line, "%47s %llx", name, &address) != 2 || target->count == TARGET_NAMES)
            continue;
        strcpy(target->known[target->count].name, name);
        target->known[target->count++].address = address;
    }
    return false;
}

bool target_start(struct target *target, const char *path, const char *root)
{
    int to[2];
    int from[2];
    *target = (struct target){0};
    if (pipe(to) || pipe(from))
        return false;
    target->pid = fork();
    if (!target->pid) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        for (int fd = 3; fd < 64; fd++)
            close(fd);
        if (root && (chroot(root) || chdir("/")))
            _exit(126);
        execl(path, path, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    target->to = fdopen(to[1], "w");
    target->from = fdopen(from[0], "r");
    return target->pid > 0 && listen_to(target);
}

bool target_send_line(struct target *target, const char *command)
{
    fprintf(target->to, "%s\n", command);
    fflush(target->to);
    return listen_to(target);
}

void target_end(struct target *target)
{
    kill(target->pid, SIGKILL);
    waitpid(target->pid, NULL, 0);
    fclose(target->to);
    fclose(target->from);
}

uint64_t target_address(const struct target *target, const char *name)
{
    for (size_t i = target->count; i-- > 0;)
        if (!strcmp(target->known[i].name, name))
            return target->known[i].address;
    return 0;
}

struct resolver *target_watch(const struct target *target)
{
    struct resolver *resolver = NULL;
    struct error error = {0};
    struct resolver_options options = {.pid = target->pid, .live = true};
    if (resolver_open(&resolver, &options, &error))
        fail_msg("%s", error.text);
    return resolver;
}

static struct place place_of(struct resolver *resolver, uint64_t address, uint64_t ip)
{
    struct place place;
    struct access access = {.address = address, .ip = ip, .base = SREG_NONE, .index = SREG_NONE};
    resolver_resolve(resolver, &access, NULL, &place);
    return place;
}

void target_expect(struct resolver *resolver, uint64_t address, const char *name,
                   enum object_kind kind, uint64_t offset)
{
    struct object_desc desc;
    struct place_names names = resolver_names(resolver);
    struct place place = place_of(resolver, address, 0);
    assert_true(address);
    assert_int_equal(place.access.reason, REASON_NONE);
    assert_true(ask_object(&names, place.object, &desc));
    assert_string_equal(desc.name, name);
    assert_int_equal(desc.kind, kind);
    assert_int_equal(address - place.base, offset);
}

const char *target_object(struct resolver *resolver, uint64_t address)
{
    struct object_desc desc;
    struct place_names names = resolver_names(resolver);
    struct place place = place_of(resolver, address, 0);
    if (place.access.reason != REASON_NONE || !ask_object(&names, place.object, &desc))
        return "(nothing)";
    return desc.name;
}

const char *target_function(struct resolver *resolver, uint64_t ip)
{
    struct function_desc desc;
    struct place_names names = resolver_names(resolver);
    struct place place = place_of(resolver, 0, ip);
    return ask_function(&names, place.function, &desc) ? desc.name : "(nothing)";
}
