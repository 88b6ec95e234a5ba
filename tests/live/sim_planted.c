/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Things that the simulated cache must get right, one per mode:
 *   blocks    heap blocks of two sites; each word is read or written a fixed number of times
 *   life      threads, a signal handler, a forked child with an exec; output, and status 5
 *   walk N    reads an array of N KiB twice
 *   again N   reads 512 KiB once, then 128 KiB N times
 *   parts     setup(), work(), cleanup(): each reads its own array
 *   long FILE works until FILE.go exists, then creates FILE
 *   exec CMD  becomes another program
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 40, WORDS = 24, ROUNDS = 5, PART_WORDS = 4096 };

static volatile uint64_t sink;

__attribute__((noinline)) static volatile uint64_t *make_written(void)
{
    return malloc(WORDS * sizeof(uint64_t));
}

__attribute__((noinline)) static volatile uint64_t *make_read(void)
{
    return calloc(WORDS + 1, sizeof(uint64_t));
}

static void blocks(void)
{
    static volatile uint64_t *written[BLOCKS];
    static volatile uint64_t *read_only[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        written[i] = make_written();
        read_only[i] = make_read();
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < BLOCKS; i++)
            for (int word = 0; word < WORDS; word++) {
                written[i][word] = (uint64_t)word;
                sink = read_only[i][word];
                if (word % 3 == 0)
                    sink = written[i][word];
            }
    for (int i = 0; i < BLOCKS; i++) {
        free((void *)written[i]);
        free((void *)read_only[i]);
    }
}

static void on_alarm(int number)
{
    (void)number;
    sink++;
}

static void *count(void *context)
{
    uint64_t *sum = context;
    for (int i = 0; i < 10000; i++)
        __atomic_fetch_add(sum, 1, __ATOMIC_RELAXED);
    return NULL;
}

static int life(void)
{
    static uint64_t sum;
    pthread_t threads[3];
    int status = 0;
    signal(SIGALRM, on_alarm);
    ualarm(2000, 2000);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, count, &sum);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    ualarm(0, 0);
    printf("threads counted %llu\n", (unsigned long long)sum);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        count(&sum);
        printf("the child counted %llu\n", (unsigned long long)sum);
        fflush(stdout);
        execlp("sh", "sh", "-c", "echo preload ${LD_PRELOAD:-none}; exit 9", (char *)NULL);
    }
    waitpid(child, &status, 0);
    printf("the child left %d\n", WEXITSTATUS(status));
    fprintf(stderr, "on standard error\n");
    return 5;
}

__attribute__((noinline)) static void walk(size_t kib)
{
    size_t count_words = kib * 1024 / sizeof(uint64_t);
    volatile uint64_t *array = malloc(count_words * sizeof *array);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < count_words; i++)
            sink = array[i];
    free((void *)array);
}

static void again(int rounds)
{
    static volatile uint64_t once[64 * 1024];
    static volatile uint64_t often[16 * 1024];
    for (size_t i = 0; i < sizeof once / sizeof *once; i += 8)
        sink = once[i];
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < sizeof often / sizeof *often; i += 8)
            sink = often[i];
}

__attribute__((noinline)) static void setup(volatile const uint64_t *array)
{
    for (int i = 0; i < PART_WORDS; i++)
        sink = array[i];
}

__attribute__((noinline)) static void work(volatile const uint64_t *array)
{
    for (int i = 0; i < PART_WORDS; i++)
        sink = array[i] + 1;
}

__attribute__((noinline)) static void cleanup(volatile const uint64_t *array)
{
    for (int i = 0; i < PART_WORDS; i++)
        sink = array[i] + 2;
}

static void parts(void)
{
    static volatile uint64_t of_setup[PART_WORDS];
    static volatile uint64_t of_work[PART_WORDS];
    static volatile uint64_t of_cleanup[PART_WORDS];
    setup(of_setup);
    work(of_work);
    cleanup(of_cleanup);
}

static void take_long(const char *path)
{
    static volatile uint64_t array[PART_WORDS];
    char go[4096];
    snprintf(go, sizeof go, "%s.go", path);
    while (access(go, F_OK))
        work(array);
    fclose(fopen(path, "w"));
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "blocks"))
        blocks();
    else if (!strcmp(mode, "again"))
        again(argc > 2 ? atoi(argv[2]) : 1);
    else if (!strcmp(mode, "life"))
        return life();
    else if (!strcmp(mode, "walk") && argc > 2)
        walk((size_t)atoi(argv[2]));
    else if (!strcmp(mode, "parts"))
        parts();
    else if (!strcmp(mode, "long") && argc > 2)
        take_long(argv[2]);
    else if (!strcmp(mode, "exec") && argc > 2)
        execvp(argv[2], argv + 2);
    else
        return 2;
    return 0;
}
