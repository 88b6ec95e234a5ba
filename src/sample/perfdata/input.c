/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata/input.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sample/cursor.h"
#include "sample/perf/record.h"

static const struct {
    const char *bytes;
    size_t size;
    const char *text;
} marks[] = {
    {"\x1f\x8b", 2, "is packed by gzip; unpack it: zcat FILE | misstop -i -"},
    {"\xfd"
     "7zXZ",
     5, "is packed by xz; unpack it: xzcat FILE | misstop -i -"},
    {"\x28\xb5\x2f\xfd", 4, "is packed by zstd; unpack it: zstdcat FILE | misstop -i -"},
    {"BZh", 3, "is packed by bzip2; unpack it: bzcat FILE | misstop -i -"},
    {"PK\x03\x04", 4, "is packed by zip; unpack it first"},
    {"\x7f"
     "ELF",
     4, "is a program, not a recording; misstop -- FILE starts and watches it"},
    {"{", 1, "is JSON, not a recording; misstop's reports cannot be played, recordings of -o can"},
    {"# ", 2, "is text, not a recording; give the perf.data that it was made from"},
    {"misstop ", 8, "is a report of misstop, not a recording; recordings of -o can be played"},
    {"\x17\x08\x44trac", 7, "is a recording of trace-cmd, not a perf.data; record with perf"},
    {"heaptrac", 8, "is a recording of heaptrack, not a perf.data; record with perf"},
};

const char *foreign_file(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (size >= marks[i].size && !memcmp(bytes, marks[i].bytes, marks[i].size))
            return marks[i].text;
    return "is not a perf.data file; make one with perf mem record or perf record --user-regs";
}

/* Recognises perf's folders: tools/perf/Documentation/perf.data-directory-format.txt. */
static const char *perf_folder_kind(int fd)
{
    bool data = !faccessat(fd, "data", F_OK, 0);
    if (data && !faccessat(fd, "data.0", F_OK, 0))
        return "is a folder of perf record --threads, which misstop cannot join; record "
               "without --threads";
    if (data)
        return "is a folder of perf record --kcore; give the file data in it";
    return "is a folder; give the path of a recording, as perf.data";
}

/* Twice the largest size that is peeked at: a record of 64 KiB with a size before it. */
enum { INPUT_BUFFER_BYTES = 256 * 1024 };

/* A pipe that is silent for this long is a live recording. */
#define INPUT_IDLE_NS CLOCK_NS_PER_S

#define INPUT_SPOOL_MAX (UINT64_C(8) << 30)

static int refuse_kind(const char *path, int fd, mode_t mode, struct error *error)
{
    if (S_ISDIR(mode))
        return error_set(error, -ENOTSUP, "%s %s", path, perf_folder_kind(fd));
    return error_set(error, -ENOTSUP, "%s is neither a file nor a pipe; give a recording", path);
}

static int check_input_file(struct input *input, const char *path, struct error *error)
{
    struct stat status;
    if (fstat(input->fd, &status))
        return error_set(error, -errno, "cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode))
        return refuse_kind(path, input->fd, status.st_mode, error);
    input->seekable = S_ISREG(status.st_mode);
    input->written_unix_s = input->seekable ? status.st_mtime : 0;
    input->size_bytes = input->seekable ? (uint64_t)status.st_size : UINT64_MAX;
    input->end = UINT64_MAX;
    return input->seekable ? input_seek(input, 0) : 0;
}

int input_open(struct input *input, const char *path, struct error *error)
{
    bool standard = !strcmp(path, "-");
    *input = (struct input){0};
    input->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                         /* A blocking open of a FIFO would wait for its writer and could not be
                          * interrupted by a signal. */
                         : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (input->fd < 0)
        return error_set(error, -errno, "cannot open %s: %s", path, strerror(errno));
    int code = check_input_file(input, standard ? "standard input" : path, error);
    /* A small file needs a buffer of its size only. */
    input->room =
        input->size_bytes < INPUT_BUFFER_BYTES ? (size_t)input->size_bytes + 1 : INPUT_BUFFER_BYTES;
    if (!code && !(input->buffer = malloc(input->room)))
        code = error_set(error, -ENOMEM, "out of memory");
    if (code)
        input_close(input);
    return code;
}

void input_close(struct input *input)
{
    if (input->fd >= 0)
        close(input->fd);
    if (input->pipe_continues)
        close(input->pipe_fd);
    free(input->buffer);
    *input = (struct input){.fd = -1};
}

/* The kernel refuses a lease for reading while another process has the file open for writing
 * (fcntl(2)). The lease is given back at once; the signal for a writer in between is discarded. */
int input_has_writer(const struct input *input)
{
    sigset_t broken;
    sigset_t before;
    const struct timespec now = {0};
    sigemptyset(&broken);
    sigaddset(&broken, SIGIO);
    sigprocmask(SIG_BLOCK, &broken, &before);
    int code = fcntl(input->fd, F_SETLEASE, F_RDLCK) ? -errno : 0;
    if (!code)
        fcntl(input->fd, F_SETLEASE, F_UNLCK);
    sigtimedwait(&broken, NULL, &now);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return !code ? 0 : code == -EAGAIN ? 1 : -1;
}

static ssize_t read_retrying(int fd, void *out, size_t size)
{
    ssize_t got;
    do
        got = read(fd, out, size);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

bool input_interrupted(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};
    sigset_t waiting;
    if (sigpending(&waiting))
        return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigismember(&waiting, ends[i]) == 1)
            return true;
    return false;
}

/* Waits for a pipe. Returns 1 if it can be read or has ended, 0 if nothing arrived in that time, or
 * -EINTR. Checks for signals meanwhile. */
static int await_input(int fd, double wait_s)
{
    enum { LOOK_MS = 50 };
    uint64_t until_ns =
        isnan(wait_s) ? UINT64_MAX : clock_now_ns() + (uint64_t)(wait_s * CLOCK_NS_PER_S);
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    for (;;) {
        if (poll(&polled, 1, wait_s > 0 || isnan(wait_s) ? LOOK_MS : 0) > 0)
            return 1;
        if (clock_now_ns() >= until_ns)
            return 0;
        if (input_interrupted())
            return -EINTR;
    }
}

/* Reads the available bytes of a followed pipe. Returns 0 at its end, -EAGAIN if there are none. */
static ssize_t read_following(struct input *input, void *out, size_t size)
{
    ssize_t got = input->fd < 0 ? 0 : read_retrying(input->fd, out, size);
    uint64_t now_ns = clock_now_ns();
    if (got)
        return got;
    input->is_empty_now = await_input(input->pipe_fd, 0) == 0;
    input->was_idle |= input->is_empty_now && now_ns - input->arrived_ns > INPUT_IDLE_NS;
    if (!input->is_empty_now)
        input->arrived_ns = now_ns;
    return input->is_empty_now ? -EAGAIN : read_retrying(input->pipe_fd, out, size);
}

/* Fills the free part of the buffer. Returns false at the end. */
static bool input_fill(struct input *input)
{
    size_t waiting = input->waiting_end - input->waiting_start;
    if (input->waiting_start) {
        memmove(input->buffer, input->buffer + input->waiting_start, waiting);
        input->waiting_start = 0;
        input->waiting_end = waiting;
    }
    unsigned char *to = input->buffer + waiting;
    int code = input->seekable || input->follows_pipe ? 1 : await_input(input->fd, NAN);
    ssize_t got = code < 0              ? code
                  : input->follows_pipe ? read_following(input, to, input->room - waiting)
                                        : read_retrying(input->fd, to, input->room - waiting);
    if (got < 0 && got != -EAGAIN)
        input->failed = (int)got;
    if (got <= 0)
        return false;
    input->waiting_end += (size_t)got;
    return true;
}

const unsigned char *input_peek_on(struct input *input, size_t size_bytes)
{
    input->is_empty_now = false;
    if (size_bytes > INPUT_BUFFER_BYTES / 2 || size_bytes > input_left(input))
        return NULL;
    while (input->waiting_end - input->waiting_start < size_bytes)
        if (!input_fill(input))
            return NULL;
    return input->buffer + input->waiting_start;
}

bool input_skip(struct input *input, uint64_t size_bytes)
{
    if (size_bytes > input_left(input))
        return false;
    while (size_bytes) {
        size_t waiting = input->waiting_end - input->waiting_start;
        size_t step = size_bytes < waiting ? (size_t)size_bytes : waiting;
        if (!waiting && input->seekable && size_bytes > INPUT_BUFFER_BYTES)
            return !input_seek(input, input->at + size_bytes);
        if (!waiting && !input_fill(input) &&
            !(input->is_empty_now &&
              await_input(input->pipe_fd, NAN) == 1)) /* half of a skip cannot be retried */
            return false;
        input->waiting_start += step;
        input->at += step;
        size_bytes -= step;
    }
    return true;
}

int input_seek(struct input *input, uint64_t offset)
{
    if (offset > INT64_MAX || lseek(input->fd, (off_t)offset, SEEK_SET) < 0)
        return -EINVAL;
    input->waiting_start = input->waiting_end = 0;
    input->at = offset;
    return 0;
}

long input_read_at(const struct input *input, uint64_t offset, void *out, size_t size)
{
    size_t done = 0;
    while (done < size && offset + done <= INT64_MAX) {
        ssize_t got = pread(input->fd, (char *)out + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (!got)
            break;
        done += (size_t)got;
    }
    return (long)done;
}

/* Creates a temporary file without a name, which disappears with the process. Avoids /tmp, which
 * often is in memory. */
static int unnamed_file(char *folder_out, size_t folder_size)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(folder_out, folder_size, "%s", folder && *folder ? folder : "/var/tmp");
    int fd = open(folder_out, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    /* Not every file system supports O_TMPFILE. */
    if (snprintf(path, sizeof path, "%s/misstop-XXXXXX", folder_out) >= (int)sizeof path)
        return -ENAMETOOLONG;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    unlink(path);
    return fd;
}

static int write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size) {
        ssize_t put = write(fd, bytes, size);
        if (put < 0 && errno != EINTR)
            return -errno;
        if (put > 0) {
            bytes += put;
            size -= (size_t)put;
        }
    }
    return 0;
}

/* Returns how much of a pipe may be spooled: half of the free space in the folder. */
static uint64_t spool_max(int fd)
{
    struct statvfs room;
    if (fstatvfs(fd, &room))
        return INPUT_SPOOL_MAX;
    uint64_t half = (uint64_t)room.f_bavail * room.f_frsize / 2;
    return half < INPUT_SPOOL_MAX ? half : INPUT_SPOOL_MAX;
}

/* Returns true if the pipe is written slowly, as by a live recording. */
static bool pipe_is_slow(uint64_t took_ns, uint64_t waited_ns)
{
    return took_ns > 2 * INPUT_IDLE_NS && waited_ns > took_ns / 4 * 3;
}

/* Appends the pipe's bytes to the file. Returns 0 at the end of the pipe, 1 if it continues, or a
 * negative errno. */
static int copy_pipe(struct input *input, int to, double wait_s)
{
    uint64_t most = spool_max(to);
    uint64_t copied = input->waiting_end - input->waiting_start;
    int code = write_all(to, input->buffer + input->waiting_start, copied);
    input->waiting_start = input->waiting_end = 0;
    uint64_t begun_ns = clock_now_ns();
    uint64_t waited_ns = 0;
    while (!code && copied < most) {
        uint64_t before_ns = clock_now_ns();
        code = await_input(input->pipe_fd, wait_s);
        waited_ns += clock_now_ns() - before_ns;
        if (code == 1 && !isnan(wait_s) && pipe_is_slow(before_ns - begun_ns, waited_ns))
            return 1;
        ssize_t got = code == 1 ? read_retrying(input->pipe_fd, input->buffer, input->room) : 0;
        if (code < 1 || got <= 0)
            return code < 0 ? code : !code ? 1 : (int)got;
        code = write_all(to, input->buffer, (size_t)got);
        copied += (uint64_t)got;
    }
    return code ? code : 1;
}

static int spool_pipe(struct input *input, int fd, const char *folder, double wait_s,
                      struct error *error)
{
    struct stat status;
    int code = copy_pipe(input, fd, wait_s);
    if (code < 0)
        return error_set(error, code,
                         code == -EINTR ? "ended by a signal while reading the piped recording"
                                        : "cannot copy the piped recording to %s (set TMPDIR to a "
                                          "folder with room): %s",
                         folder, strerror(-code));
    if (fstat(fd, &status))
        return -errno;
    input->size_bytes = (uint64_t)status.st_size;
    input->was_idle = code;
    if (!code) {
        close(input->pipe_fd);
        input->pipe_continues = false;
    }
    int sought = input_seek(input, 0);
    return sought ? sought : code;
}

int input_spool(struct input *input, double wait_s, struct error *error)
{
    char folder[256];
    int fd = unnamed_file(folder, sizeof folder);
    if (fd < 0)
        return error_set(error, fd, "cannot make a file in %s to hold the piped recording: %s",
                         folder, strerror(-fd));
    input->pipe_fd = input->fd;
    input->pipe_continues = true;
    input->fd = fd;
    input->seekable = true;
    return spool_pipe(input, fd, folder, wait_s, error);
}

int input_spool_more(struct input *input, double wait_s, struct error *error)
{
    int code = await_input(input->pipe_fd, NAN);
    if (code < 0)
        return error_set(error, code, "ended by a signal while waiting for a piped recording");
    if (lseek(input->fd, 0, SEEK_END) < 0)
        return -errno;
    input->waiting_start = input->waiting_end = 0;
    return spool_pipe(input, input->fd, "its file", wait_s, error);
}

void input_follow(struct input *input)
{
    if (!input->pipe_continues) { /* not spooled */
        input->pipe_fd = input->fd;
        input->fd = -1;
        input->pipe_continues = true;
    }
    input->follows_pipe = true;
    input->seekable = false;
    input->size_bytes = UINT64_MAX;
    input->arrived_ns = clock_now_ns();
}

bool input_quiet(const struct input *input)
{
    return input->is_empty_now && clock_now_ns() - input->arrived_ns > INPUT_IDLE_NS / 4;
}

/* Room for the longest record and for long runs of zstd. */
enum { COMPRESSED_BUFFER_BYTES = 256 * 1024 };

/* The bytes must stay valid until this chunk is used up. Returns 0 or -ENOMEM. */
static int compressed_feed(struct compressed *compressed, const void *bytes, size_t size_bytes)
{
    if (!compressed->zstd) {
        compressed->zstd = ZSTD_createDStream();
        compressed->buffer = malloc(COMPRESSED_BUFFER_BYTES);
    }
    if (!compressed->zstd || !compressed->buffer)
        return -ENOMEM;
    compressed->chunk = (ZSTD_inBuffer){bytes, size_bytes, 0};
    compressed->drained = false;
    return 0;
}

/* Decompresses one step into the room after the waiting bytes. */
static int decompress_step(struct compressed *compressed)
{
    size_t waiting = compressed->output_end - compressed->output_start;
    memmove(compressed->buffer, compressed->buffer + compressed->output_start, waiting);
    compressed->output_start = 0;
    ZSTD_outBuffer out = {compressed->buffer, COMPRESSED_BUFFER_BYTES, waiting};
    size_t result = ZSTD_decompressStream(compressed->zstd, &out, &compressed->chunk);
    compressed->output_end = out.pos;
    if (ZSTD_isError(result))
        return -EBADMSG;
    /* If the buffer is full, zstd may hold more output; free room means that it has none. */
    bool used_up = compressed->chunk.pos == compressed->chunk.size;
    compressed->drained = (used_up && out.pos < out.size) || out.pos == waiting;
    return 0;
}

/* Peeks at the next `size_bytes` (at most 64 KiB), after a first chunk was set. Returns 1; 0 if the
 * next chunk is needed; -EBADMSG if the data are not a zstd stream or are damaged. */
static int compressed_peek(struct compressed *compressed, size_t size_bytes,
                           const unsigned char **bytes)
{
    while (compressed->output_end - compressed->output_start < size_bytes) {
        if (compressed->drained)
            return 0;
        int code = decompress_step(compressed);
        if (code)
            return code;
    }
    *bytes = compressed->buffer + compressed->output_start;
    return 1;
}

static void compressed_skip(struct compressed *compressed, size_t size_bytes)
{
    compressed->output_start += size_bytes;
}

enum { HEADER_BYTES = sizeof(struct perf_event_header) };

void tape_init(struct tape *tape, struct input *input, bool swap)
{
    *tape = (struct tape){.input = input, .swap = swap};
}

void tape_fini(struct tape *tape)
{
    ZSTD_freeDStream(tape->compressed.zstd);
    free(tape->compressed.buffer);
    tape->compressed = (struct compressed){0};
}

static int end_tape(struct tape *tape, enum tape_end end)
{
    tape->end = end;
    return 0;
}

/* Decides how the tape ended when no more bytes are available: clean, or with something missing. */
static int end_tape_at_input_end(struct tape *tape)
{
    if (tape->input->failed)
        return tape->input->failed;
    uint64_t left = input_left(tape->input);
    bool rest =
        left == UINT64_MAX ? tape->input->waiting_end > tape->input->waiting_start : left > 0;
    if (tape->expects_more)
        return end_tape(tape, TAPE_CUT);
    /* A record that extends beyond the data section, while the file continues, is invalid. */
    bool bounded = tape->input->end != UINT64_MAX;
    return end_tape(tape, !rest ? TAPE_WHOLE : bounded ? TAPE_DAMAGED : TAPE_CUT);
}

static bool is_compressed(const struct tape_record *record)
{
    return record->header.type == TAPE_COMPRESSED || record->header.type == TAPE_COMPRESSED2;
}

/* Takes the next unpacked record. Returns 0 if another chunk is needed or the tape ended. */
static int next_unpacked(struct tape *tape, struct tape_record *record)
{
    struct compressed *compressed = &tape->compressed;
    if (!compressed->zstd)
        return 0;
    int code = compressed_peek(compressed, HEADER_BYTES, &record->bytes);
    if (code == 1) {
        record->header = record_header(record->bytes, HEADER_BYTES, tape->swap);
        if (record->header.size < HEADER_BYTES || is_compressed(record))
            return end_tape(tape, TAPE_DAMAGED);
        code = compressed_peek(compressed, record->header.size, &record->bytes);
    }
    if (code < 0)
        return end_tape(tape, TAPE_NOT_UNPACKED);
    if (code == 1)
        compressed_skip(compressed, record->header.size);
    return code;
}

static int feed_chunk(struct tape *tape, const struct tape_record *record)
{
    struct cursor cursor = {record->bytes, record->header.size, false, tape->swap};
    uint64_t size = record->header.size - HEADER_BYTES;
    cursor_skip(&cursor, HEADER_BYTES);
    if (record->header.type == TAPE_COMPRESSED2) {
        size = cursor_u64(&cursor);
        if (cursor.bad || size > cursor.left)
            return -EBADMSG;
    }
    return compressed_feed(&tape->compressed, cursor.at, (size_t)size);
}

/* Returns the number of bytes that follow such a record but are not counted in its size. */
static uint64_t bytes_after_record(struct tape *tape, const struct tape_record *record)
{
    struct cursor cursor = {record->bytes, record->header.size, false, tape->swap};
    cursor_skip(&cursor, HEADER_BYTES);
    if (record->header.type == TAPE_AUXTRACE)
        return cursor_u64(&cursor);
    if (record->header.type == TAPE_TRACING_DATA)
        return ((uint64_t)cursor_u32(&cursor) + 7) & ~UINT64_C(7);
    return 0;
}

/* Takes the next record of the input itself; its bytes stay valid until the next peek. */
static int next_plain(struct tape *tape, struct tape_record *record)
{
    record->bytes = input_peek(tape->input, HEADER_BYTES);
    if (!record->bytes)
        return tape->input->is_empty_now ? -EAGAIN : end_tape_at_input_end(tape);
    record->header = record_header(record->bytes, HEADER_BYTES, tape->swap);
    if (record->header.size < HEADER_BYTES)
        return end_tape(tape, TAPE_DAMAGED);
    record->bytes = input_peek(tape->input, record->header.size);
    if (!record->bytes)
        return tape->input->is_empty_now ? -EAGAIN : end_tape_at_input_end(tape);
    uint64_t behind = record->header.type < TAPE_USER ? 0 : bytes_after_record(tape, record);
    input_take(tape->input, record->header.size);
    if (!behind)
        return 1;
    if (record->header.type == TAPE_AUXTRACE)
        tape->aux_bytes += behind;
    if (!input_skip(tape->input, behind))
        return tape->input->failed ? tape->input->failed : end_tape(tape, TAPE_CUT);
    /* The skip may have pushed the record out of the buffer; it is no longer needed. */
    record->bytes = NULL;
    return 1;
}

int tape_next(struct tape *tape, struct tape_record *record)
{
    while (tape->end == TAPE_GOES_ON) {
        int code = next_unpacked(tape, record);
        if (code || tape->end != TAPE_GOES_ON)
            return code;
        code = next_plain(tape, record);
        if (code != 1 || (record->bytes && !is_compressed(record)))
            return code;
        if (record->bytes)
            code = feed_chunk(tape, record);
        if (code == -EBADMSG)
            return end_tape(tape, TAPE_DAMAGED);
        if (code < 0)
            return code;
    }
    return 0;
}

const unsigned char *tape_ahead(struct tape *tape, size_t *size_bytes)
{
    const struct compressed *compressed = &tape->compressed;
    const struct input *input = tape->input;
    uint64_t left = input_left(input);
    *size_bytes = input->waiting_end - input->waiting_start;
    if (*size_bytes > left)
        *size_bytes = (size_t)left;
    if (compressed->zstd)
        *size_bytes = compressed->output_end - compressed->output_start;
    if (tape->end != TAPE_GOES_ON)
        *size_bytes = 0;
    return compressed->zstd ? compressed->buffer + compressed->output_start
                            : input->buffer + input->waiting_start;
}

void tape_take(struct tape *tape, size_t size_bytes)
{
    if (tape->compressed.zstd)
        compressed_skip(&tape->compressed, size_bytes);
    else
        input_take(tape->input, size_bytes);
}
