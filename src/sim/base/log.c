/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "line.h"
#include "log.h"

/*
 * The log belongs to the process, not to a chip: a preloaded program has one stderr. Any thread
 * reads and writes these words, so they are atomic; nothing else is shared.
 */
static int log_fd = STDERR_FILENO;
static uint64_t log_ino; /* of its file: a program may close the descriptor and reuse its number */
static int log_notes;
static __thread int log_silent;
static struct {
	void (*fn)(void *arg, unsigned int uid, const char *line);
	void *arg;
} log_on_refusal;		   /* set before the chip runs, called on its thread */
static char log_tag[64];	   /* set before the chip runs */
static size_t log_most, log_bytes; /* for a file; log_most 0: no limit */
static pthread_once_t log_once = PTHREAD_ONCE_INIT;

static void log_set(int fd)
{
	struct stat st = {0};

	(void)fstat(fd, &st);
	__atomic_store_n(&log_ino, st.st_ino, __ATOMIC_RELAXED);
	__atomic_store_n(&log_fd, fd, __ATOMIC_RELAXED);
}

bool sim_log_is(int fd)
{
	struct stat st;

	return fd != STDERR_FILENO && fd == __atomic_load_n(&log_fd, __ATOMIC_RELAXED) &&
	       !fstat(fd, &st) && st.st_ino == __atomic_load_n(&log_ino, __ATOMIC_RELAXED);
}

/* Moves a descriptor above those that a program without stdin, stdout or stderr would print to. */
static int log_above_stdio(int fd)
{
	int moved = fd;

	if (fd >= 0 && fd <= STDERR_FILENO) {
		moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(fd);
	}
	return moved;
}

static void log_from_environment(void)
{
	const char *file = getenv("DVX_SIM_LOG");
	const char *notes = getenv("DVX_SIM_NOTES");
	int fd;

	if (notes && strcmp(notes, "1") == 0)
		__atomic_store_n(&log_notes, 1, __ATOMIC_RELAXED);
	if (!file || !*file)
		return;
	fd = log_above_stdio(open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
	if (fd >= 0)
		log_set(fd);
}

void sim_log_to(int fd)
{
	pthread_once(&log_once, log_from_environment);
	log_set(fd);
}

void sim_log_tag(const char *tag)
{
	snprintf(log_tag, sizeof(log_tag), "%s", tag);
}

void sim_log_most(size_t bytes)
{
	__atomic_store_n(&log_most, bytes, __ATOMIC_RELAXED);
}

/* Truncates the log at its limit: a program that repeats an error does not fill the disk. */
static void log_begin_anew(int fd, size_t line)
{
	size_t most = __atomic_load_n(&log_most, __ATOMIC_RELAXED);
	struct log_line note;

	if (!most || __atomic_add_fetch(&log_bytes, line, __ATOMIC_RELAXED) <= most)
		return;
	line_start(&note);
	line_add(&note, "the log had %zu bytes and was truncated", most);
	__atomic_store_n(&log_bytes, note.len + 1 + line, __ATOMIC_RELAXED);
	if (!ftruncate(fd, 0))
		line_write(&note, fd);
}

void sim_on_refusal(void (*fn)(void *, unsigned int, const char *), void *arg)
{
	log_on_refusal.fn = fn;
	log_on_refusal.arg = arg;
}

void sim_refuse_silently(int on)
{
	log_silent = on;
}

void sim_log_notes(int on)
{
	pthread_once(&log_once, log_from_environment);
	__atomic_store_n(&log_notes, on, __ATOMIC_RELAXED);
}

/*
 * Writes without SIGPIPE: it would end a program that prints nothing itself, because of the device's
 * line. A failed write of the log can't be reported.
 */
static void log_write(struct log_line *line)
{
	int fd = __atomic_load_n(&log_fd, __ATOMIC_RELAXED);
	const struct timespec now = {0};
	sigset_t pipe, mask, before;

	if (fd != STDERR_FILENO && !sim_log_is(fd))
		return;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &mask);
	sigpending(&before);
	log_begin_anew(fd, line->len + 1);
	if (!line_write(line, fd) && errno == EPIPE && !sigismember(&before, SIGPIPE))
		sigtimedwait(&pipe, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void log_line(const char *kind, const char *fmt, va_list args)
{
	int saved = errno;
	struct log_line line;

	line_start(&line);
	line_add(&line, "%s%s", log_tag, kind);
	line_vadd(&line, fmt, args);
	log_write(&line);
	errno = saved;
}

static void log_refusal(unsigned int uid, const char *fmt, va_list args)
{
	int saved = errno;
	struct log_line line;
	size_t prefix;

	if (log_silent)
		return;
	pthread_once(&log_once, log_from_environment);
	line_start(&line);
	prefix = line.len;
	line_add(&line, "%s", log_tag);
	line_vadd(&line, fmt, args);
	log_write(&line);
	line.text[line.len] = '\0'; /* replaces the newline */
	if (log_on_refusal.fn)
		log_on_refusal.fn(log_on_refusal.arg, uid, line.text + prefix);
	errno = saved;
}

void sim_refuse(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_refusal(0, fmt, args);
	va_end(args);
}

void sim_refuse_to(unsigned int uid, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_refusal(uid, fmt, args);
	va_end(args);
}

void sim_note(const char *fmt, ...)
{
	va_list args;

	pthread_once(&log_once, log_from_environment);
	if (!__atomic_load_n(&log_notes, __ATOMIC_RELAXED))
		return;
	va_start(args, fmt);
	log_line("note: ", fmt, args);
	va_end(args);
}

void sim_bug(const char *fmt, ...)
{
	va_list args;

	pthread_once(&log_once, log_from_environment);
	va_start(args, fmt);
	log_line("bug in the device: ", fmt, args);
	va_end(args);
}
