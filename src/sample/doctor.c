/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `misstop doctor`: reports which sources work here, and how to enable the others. */
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sample/perf/source.h"
#include "sample/perf/watch.h"
#include "sample/sampler.h"

static void describe_machine(FILE *out, const struct kernel *kernel)
{
    struct utsname name;
    char cpu[4096];
    char path[64];
    uname(&name);
    fprintf(out, "machine\n  %s %s on %s\n", name.sysname, name.release, name.machine);
    snprintf(path, sizeof path, "%s/cpuinfo", kernel->procfs);
    FILE *info = fopen(path, "re");
    while (info && fgets(cpu, sizeof cpu, info)) {
        char *value = strchr(cpu, ':');
        if (value && !strncmp(cpu, "model name", 10)) {
            fprintf(out, "  %s", value + 2);
            break;
        }
    }
    if (info)
        fclose(info);
    fprintf(out, "  %s\n",
            kernel_virtual(kernel) ? "a virtual machine: the host decides which counters there are"
                                   : "no hypervisor seen");
}

static void describe_limits(FILE *out, const struct kernel *kernel)
{
    long paranoid = kernel_number(kernel->procfs, "sys/kernel/perf_event_paranoid", -100);
    fprintf(out, "kernel settings\n");
    if (paranoid == -100)
        fprintf(out, "  no perf_event_paranoid: this kernel has no perf_event_open\n");
    else
        fprintf(out, "  perf_event_paranoid %ld: %s\n", paranoid,
                paranoid <= 2 ? "own processes may be watched without privilege"
                              : "only root may watch; sudo sysctl kernel.perf_event_paranoid=2 "
                                "lets users watch their own processes");
    fprintf(out, "  perf_event_max_sample_rate %ld a second, perf_event_mlock_kb %ld\n",
            kernel_number(kernel->procfs, "sys/kernel/perf_event_max_sample_rate", 0),
            kernel_number(kernel->procfs, "sys/kernel/perf_event_mlock_kb", 0));
    long yama = kernel_number(kernel->procfs, "sys/kernel/yama/ptrace_scope", 0);
    if (yama > 0 && geteuid())
        fprintf(out,
                "  yama/ptrace_scope %ld: memory of processes not started by misstop cannot "
                "be read, and perf_event_open may refuse them; sudo, or sudo sysctl "
                "kernel.yama.ptrace_scope=0\n",
                yama);
}

static void describe_event(FILE *out, const struct source *source, const struct event *event)
{
    fprintf(out, "                %-10s %s", event->name, event->encoded);
    for (unsigned i = 0; i < event->twin_count; i++)
        fprintf(out, ", on PMU %u %#llx", (unsigned)event->twins[i].type,
                (unsigned long long)event->twins[i].config);
    if (source->exact_ip && event->precise_ip == 1)
        fprintf(out, " (precise_ip 1: the instruction after the access)");
    fputc('\n', out);
}

static bool describe_source(FILE *out, const struct source *source, const struct kernel *kernel)
{
    struct source_plan plan = {0};
    struct error error = {0};
    int code = source->plan(&plan, NULL, kernel, &error);
    if (!code)
        code = source_try(source, &plan, getpid(), kernel, &error);
    if (code) {
        fprintf(out, "  %-8s no   %s\n                %s\n", source->name, error.text,
                source->enable);
        return false;
    }
    fprintf(out, "  %-8s yes  weighs %s\n", source->name, plan.weight_unit);
    for (unsigned i = 0; i < plan.count; i++)
        describe_event(out, source, &plan.events[i]);
    if (plan.needs_aux)
        fprintf(out, "                behind %s, which this CPU demands\n", plan.aux.encoded);
    if (plan.includes_kernel)
        fprintf(out,
                "                samples the kernel as well, which no filter here keeps out\n");
    return true;
}

/* Tries to open the event: in a virtual machine libpfm4 encodes events that cannot be counted. */
static bool describe_alias(FILE *out, const char *alias, const struct kernel *kernel)
{
    struct source_plan plan = {0};
    struct error error = {0};
    int code = source_counter.plan(&plan, alias, kernel, &error);
    if (!code)
        code = source_try(&source_counter, &plan, getpid(), kernel, &error);
    if (code)
        fprintf(out, "  %-10s none that can be counted here\n", alias);
    else
        fprintf(out, "  %-10s %s\n", alias, plan.events[0].encoded);
    return !code;
}

struct countable {
    bool source[SOURCES];
    char miss[64]; /* the aliases of misses, each followed by a comma */
    bool stall;
    bool access;
};

static void describe_aliases(FILE *out, const struct kernel *kernel, struct countable *can)
{
    for (const char *const *alias = event_aliases(); *alias; alias++) {
        bool there = describe_alias(out, *alias, kernel);
        char nearer[sizeof can->miss];
        if (!strcmp(*alias, "stall"))
            can->stall = there;
        else if (!strcmp(*alias, "access"))
            can->access = there;
        else if (there) {
            /* The deepest level comes last in the table and must rank, so it goes to the front. */
            memcpy(nearer, can->miss, sizeof nearer);
            snprintf(can->miss, sizeof can->miss, "%s,%.40s", *alias, nearer);
        }
    }
}

/* Miss rates need accesses in addition to misses, criticality needs stalls. */
static void describe_rates(FILE *out, const struct countable *can)
{
    bool any = false;
    fprintf(out, "miss rates, and which misses stall (man misstop, RATES)\n");
    for (unsigned i = 0; i < SOURCES; i++)
        if (can->source[i] && source_at(i)->has_data_source) {
            bool all = source_at(i) == &source_ibs;
            fprintf(out, "  -s %s%s\n", source_at(i)->name,
                    all ? "" : " -e ldlat=3 (all loads; without, which misses stall)");
            any = true;
        }
    if (*can->miss && (can->access || can->stall)) {
        fprintf(out, "  -s counter -e %s%s%s%s%s\n", can->miss, can->access ? "access" : "",
                can->access && can->stall ? "," : "", can->stall ? "stall" : "",
                can->access ? "" : " (no miss rates: accesses cannot be counted)");
        any = true;
    }
    if (!any)
        fprintf(out, "  none: no counter here counts misses\n");
}

void doctor_print(FILE *out, const struct kernel *kernel)
{
    const char *first = NULL;
    struct countable can = {0};
    describe_machine(out, kernel);
    describe_limits(out, kernel);
    fprintf(out, "CPU events known to libpfm4\n");
    event_describe_pmus(out);
    fprintf(out, "sources, in the order that -s auto tries them\n");
    for (unsigned i = 0; i < SOURCES; i++) {
        can.source[i] = describe_source(out, source_at(i), kernel);
        if (can.source[i] && !first)
            first = source_at(i)->name;
    }
    fprintf(out, "events by alias (-e)\n");
    describe_aliases(out, kernel, &can);
    describe_rates(out, &can);
    if (first)
        fprintf(out, "misstop will use: %s\n", first);
    else
        fprintf(out, "misstop cannot sample here; it can replay recordings with -i\n");
}

void sampler_doctor(FILE *out)
{
    doctor_print(out, kernel_host());
    watch_doctor(out);
}
