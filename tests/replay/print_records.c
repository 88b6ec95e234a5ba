/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints every record of a recording on a separate line, for tests that compare the records with
 * the output of perf script.
 *
 *   print_records FILE          records of all processes
 *   print_records FILE PID      records of one process; 0: the one with most samples
 *   print_records -p FILE       processes, most samples first
 *   print_records -m FILE       machine, events and counts
 */
#include "sample/perfdata/perfdata.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct sampler_info info;

static void print_sample(const struct record *record)
{
    const struct sample *sample = &record->sample;
    printf("sample pid=%d tid=%d time=%" PRIu64 " event=%s period=%" PRIu64 " addr=%" PRIx64
           " data_src=%" PRIx64 " weight=%" PRIu64 " ip=%" PRIx64 " has=%x",
           (int)sample->pid, (int)sample->tid, sample->time_ns, info.events[sample->event].name,
           sample->weight, sample->address, sample->data_src, sample->latency, sample->ip,
           sample->has);
    if (sample->has & SAMPLE_HAS_REGS)
        printf(" ax=%" PRIx64 " si=%" PRIx64 " di=%" PRIx64 " sp=%" PRIx64 " rip=%" PRIx64
               " r15=%" PRIx64,
               sample->regs[SREG_AX], sample->regs[SREG_SI], sample->regs[SREG_DI],
               sample->regs[SREG_SP], sample->regs[SREG_IP], sample->regs[SREG_R15]);
    putchar('\n');
}

static void print_mapping(const struct record *record)
{
    const struct sample_mapping *mapping = &record->mapping;
    printf("mmap pid=%d tid=%d time=%" PRIu64 " start=%" PRIx64 " length=%" PRIx64
           " offset=%" PRIx64 " exec=%d prot=%c%c%c build_id=",
           (int)record->pid, (int)record->tid, record->time_ns, mapping->start, mapping->length,
           mapping->file_offset, mapping->executable, mapping->protection & PROT_READ ? 'r' : '-',
           mapping->protection & PROT_WRITE ? 'w' : '-',
           mapping->protection & PROT_EXEC ? 'x' : '-');
    for (unsigned i = 0; i < mapping->build_id_size; i++)
        printf("%02x", mapping->build_id[i]);
    printf(" path=%s\n", mapping->path);
}

static void print(void *context, const struct record *record)
{
    (void)context;
    switch (record->kind) {
    case RECORD_SAMPLE:
        print_sample(record);
        break;
    case RECORD_MAPPING:
        print_mapping(record);
        break;
    case RECORD_COMM:
        printf("comm pid=%d tid=%d time=%" PRIu64 " exec=%d name=%s\n", (int)record->pid,
               (int)record->tid, record->time_ns, record->comm.exec, record->comm.name);
        break;
    case RECORD_FORK:
    case RECORD_EXIT:
        printf("%s pid=%d tid=%d time=%" PRIu64 " ppid=%d ptid=%d\n",
               record->kind == RECORD_FORK ? "fork" : "exit", (int)record->pid, (int)record->tid,
               record->time_ns, (int)record->fork.parent_pid, (int)record->fork.parent_tid);
        break;
    case RECORD_LOST:
        printf("lost time=%" PRIu64 " count=%" PRIu64 "\n", record->time_ns, record->count);
        break;
    default:
        break;
    }
}

static void print_processes(const struct perfdata *file)
{
    size_t count;
    const struct perfdata_process *list = perfdata_processes(file, &count);
    for (size_t i = 0; i < count; i++)
        printf("process pid=%d samples=%" PRIu64 " comm=%s\n", (int)list[i].pid, list[i].samples,
               list[i].comm);
}

static void print_machine(const struct perfdata *file)
{
    const struct perfdata_machine *machine = perfdata_machine(file);
    struct perfdata_counts counts = perfdata_counts(file);
    printf("host=%s\nrelease=%s\narch=%s\ncpu=%s\ncpuid=%s\ncommand=%s\ncpus=%u/%u\nmemory=%" PRIu64
           "\nfirst=%" PRIu64 "\nlast=%" PRIu64 "\n",
           machine->host, machine->os_release, machine->architecture, machine->cpu, machine->cpuid,
           machine->command, machine->cpus_online, machine->cpus_available, machine->memory_kb,
           machine->first_sample_ns, machine->last_sample_ns);
    for (unsigned i = 0; i < machine->cache_count; i++)
        printf("cache=L%u %s %s %u lines of %u bytes, %u ways\n", machine->caches[i].level,
               machine->caches[i].type, machine->caches[i].size,
               machine->caches[i].sets * machine->caches[i].ways, machine->caches[i].line_bytes,
               machine->caches[i].ways);
    for (unsigned i = 0; i < info.event_count; i++)
        printf("event=%s\n", info.events[i].name);
    printf("samples=%" PRIu64 "\nwith_address=%" PRIu64 "\nwith_registers=%" PRIu64
           "\nlost=%" PRIu64 "\nbad=%" PRIu64 "\nunknown=%" PRIu64 "\naux_bytes=%" PRIu64
           "\nkilled=%d\ncut=%d\ndamaged=%d\nnote=%s\n",
           counts.samples, counts.with_address, counts.with_registers, counts.lost,
           counts.malformed, counts.unknown, counts.aux_bytes, counts.killed, counts.is_truncated,
           counts.damaged, info.note);
}

int main(int count, char **arguments)
{
    struct perfdata *file;
    struct error error = {0};
    bool option = count > 1 && (!strcmp(arguments[1], "-p") || !strcmp(arguments[1], "-m"));
    if (count < 2 + option)
        return 2;
    const char *path = arguments[1 + option];
    pid_t pid = count > 2 + option ? atoi(arguments[2 + option]) : PERFDATA_EVERY_PROCESS;
    /* Processes and counts cover the whole recording, so a pipe has to be read to its end. */
    if (perfdata_open(&file, path, option ? 0 : pid, NULL, NULL, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    perfdata_describe(file, &info);
    if (option && arguments[1][1] == 'p')
        print_processes(file);
    else if (option)
        print_machine(file);
    while (!option && perfdata_read(file, UINT64_MAX, print, NULL) >= 0)
        continue;
    fprintf(stderr, "late %" PRIu64 "\n", perfdata_counts(file).late);
    perfdata_close(file);
    return 0;
}
