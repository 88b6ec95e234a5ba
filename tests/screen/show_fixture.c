/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows the real screen on synthetic snapshots, for test_screen.sh and for visual inspection.
 *
 *   show_fixture [usual|empty|one|hostile|huge|typed|levels|rates|picker] [still] [ascii]
 */
#include "unit/view/snapshot_fixture.h"
#include "view/view.h"

#include <inttypes.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void on_crash(int number)
{
    display_emergency_restore();
    signal(number, SIG_DFL);
    raise(number);
}

static bool instruction(void *context, uint64_t ip, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "mov rax, qword ptr [rdi + rcx*8 + 0x%" PRIx64 "]", ip & 0x3c);
    return true;
}

/* Source lines as if the source had been found, except for headers. */
static bool source(void *context, const char *file, uint32_t line, char *out, size_t size)
{
    static const char *const lines[] = {
        "static double visit_particles(struct particle *particles, size_t count)",
        "{",
        "    double energy = 0;",
        "    for (size_t i = 0; i < count; i++) {",
        "        struct particle *particle = &particles[order[i]];",
        "        double mass = particle->mass;",
        "        energy += mass * (particle->vel.y * particle->vel.y + particle->vel.x);",
        "    }",
        "    return energy;",
        "}"};
    (void)context;
    if (strstr(file, ".h"))
        return false;
    if (line < 69 || line > 78)
        snprintf(out, size, "    /* line %" PRIu32 " */", line);
    else
        snprintf(out, size, "%s", lines[line - 69]);
    return true;
}

static const char *source_note(void *context, const char *file)
{
    (void)context;
    return strstr(file, ".h") ? "looked for: /build/demo/include/clamp.h of the process, "
                                "/build/demo/include/clamp.h in misstop's root, and as "
                                "build/demo/include/clamp.h and each shorter end of it in /home/ada"
                              : "read from /build/demo/src/demo.c of the process";
}

static enum fixture_kind kind_of(const char *name)
{
    static const char *const names[] = {"usual", "empty", "one",    "hostile",
                                        "huge",  "typed", "levels", "rates"};
    for (int i = 0; i < 8; i++)
        if (!strcmp(names[i], name))
            return (enum fixture_kind)i;
    return FIXTURE_USUAL;
}

static void show_request(struct display *display, const struct request *request)
{
    char text[512];
    snprintf(text, sizeof text, "request %d 0x%" PRIx64 "-0x%" PRIx64 " %s", (int)request->kind,
             request->base, request->bound, request->name);
    display_message(display, text);
}

/* Returns false if the user quit. */
static bool take_input(struct display *display)
{
    struct request request;
    while ((request = display_input(display)).kind != REQUEST_NONE) {
        if (request.kind == REQUEST_QUIT)
            return false;
        if (request.kind == REQUEST_SUSPEND) {
            display_suspend(display);
            kill(getpid(), SIGSTOP);
            display_resume(display);
        } else {
            show_request(display, &request);
        }
    }
    return true;
}

static void show_processes(struct display *display)
{
    static const struct picker_row rows[] = {
        {.pid = 4242,
         .threads = 4,
         .cpu_percent = 99.5,
         .resident_bytes = 700 << 20,
         .state = 'R',
         .user = "ada",
         .command = "misstop-demo 60"},
        {.pid = 17,
         .threads = 1,
         .cpu_percent = 0,
         .resident_bytes = 0,
         .state = 'S',
         .user = "root",
         .command = "[kworker/0:1]"},
        {.pid = 900,
         .threads = 12,
         .cpu_percent = 31.2,
         .resident_bytes = 2000u << 20,
         .state = 'S',
         .user = "ada",
         .command = "redis-server 127.0.0.1:7777"},
    };
    picker_show(display, rows, 3, false);
}

int main(int argc, char **argv)
{
    struct view_options options = {.ascii = argc > 3 && !strcmp(argv[3], "ascii")};
    struct view_sources sources = {
        .instruction = instruction, .source = source, .source_note = source_note};
    struct error error = {0};
    struct display *display;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    bool picker = argc > 1 && !strcmp(argv[1], "picker");
    bool still = argc > 2 && !strcmp(argv[2], "still");
    setlocale(LC_ALL, "");
    signal(SIGSEGV, on_crash);
    if (display_open(&display, &options, &sources, &error)) {
        fprintf(stderr, "show_fixture: %s\n", error.text);
        return 1;
    }
    bool on = true;
    for (unsigned tick = 0; on; tick++) {
        if (picker)
            show_processes(display);
        else if (!still || !tick)
            display_show(display, fixture_new(kind_of(argc > 1 ? argv[1] : "usual"), tick),
                         fixture_release);
        for (int i = 0; i < 10 && on; i++) {
            /* Handles input even without any: the window may have been resized meanwhile. */
            if (poll(&input, 1, 100) <= 0)
                input.revents = 0;
            on = !(input.revents & (POLLHUP | POLLERR)) && take_input(display);
        }
    }
    display_close(display);
    return 0;
}
