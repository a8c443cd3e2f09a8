/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Appends to a recording that several processes map. An event has its length before its bytes and its
 * sum behind them, so that one whose writer was killed in between is found and passed over.
 */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct record_file *record_file;
static uint64_t record_size;
static uint32_t record_pid;
static const char *record_own_name, *record_name; /* record_name NULL: it is in the recording */
static _Thread_local uint32_t record_tid;

uint32_t record_sum(const struct record_head *h, uint32_t len)
{
	uint64_t sum = len, word;

	for (uint32_t at = sizeof(sum); at < len; at += sizeof(word)) {
		memcpy(&word, (const uint8_t *)h + at, sizeof(word));
		sum = (sum ^ word) * 0x9e3779b97f4a7c15;
		sum ^= sum >> 32;
	}
	return (uint32_t)sum ? (uint32_t)sum : 1;
}

uint64_t record_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool record_is_on(void)
{
	return record_file;
}

static void record_forked(void)
{
	record_pid = (uint32_t)getpid();
	record_tid = 0;
	record_name = record_own_name;
}

/* Maps the file; returns 0 or -errno. */
static int record_map(int fd)
{
	struct record_file *f;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if ((uint64_t)st.st_size < sizeof(*f))
		return -EINVAL;
	f = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f == MAP_FAILED)
		return -errno;
	if (memcmp(f->magic, RECORD_MAGIC, sizeof(f->magic)) != 0 || f->version != RECORD_VERSION) {
		munmap(f, (size_t)st.st_size);
		return -EINVAL;
	}
	record_size = (uint64_t)st.st_size;
	record_file = f;
	return 0;
}

int record_open(const char *path, const char *name)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), err = fd < 0 ? -errno : record_map(fd);

	if (fd >= 0)
		close(fd);
	if (err)
		return err;
	record_own_name = name;
	record_forked();
	pthread_atfork(NULL, NULL, record_forked);
	return 0;
}

/* Returns the offset of this many bytes, or 0: they and all that follow are lost. */
static uint64_t record_reserve(uint64_t bytes)
{
	uint64_t used = __atomic_load_n(&record_file->used, __ATOMIC_RELAXED);

	if (__atomic_load_n(&record_file->ended, __ATOMIC_RELAXED))
		return 0;
	do {
		if (!__atomic_load_n(&record_file->lost, __ATOMIC_RELAXED) && used <= record_size &&
		    bytes <= record_size - used)
			continue;
		__atomic_fetch_add(&record_file->lost, 1, __ATOMIC_RELAXED);
		return 0;
	} while (!__atomic_compare_exchange_n(&record_file->used, &used, used + bytes, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return used;
}

static uint32_t record_thread(void)
{
	if (!record_tid)
		record_tid = (uint32_t)gettid();
	return record_tid;
}

/* Records this process before its first event. */
static void record_process(void)
{
	const char *name = __atomic_exchange_n(&record_name, NULL, __ATOMIC_RELAXED);
	char *text;

	if (!name)
		return; /* another thread's first event came meanwhile */
	text = record_begin(RECORD_PROCESS, strlen(name) + 1, 0);
	if (text)
		record_end(strcpy(text, name));
}

void *record_begin(enum record_kind kind, size_t bytes, uint64_t since)
{
	const uint32_t len = (uint32_t)((sizeof(struct record_head) + bytes + 7) & ~(size_t)7);
	const uint64_t now = record_now(), took = since ? now - since : 0;
	struct record_head *h;
	uint64_t at;

	if (record_file && __atomic_load_n(&record_name, __ATOMIC_RELAXED))
		record_process();
	at = record_file ? record_reserve(len) : 0;
	if (!at)
		return NULL;
	h = (void *)((uint8_t *)record_file + at);
	__atomic_store_n(&h->len, len, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* a killed process leaves what came before */
	h->ns = since ? since : now;
	h->took = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
	h->kind = (uint16_t)kind;
	h->pid = record_pid;
	h->tid = record_thread();
	return h + 1;
}

/* Another process that has the file mapped may have written over the length: the event has no sum then. */
void record_end(void *body)
{
	struct record_head *h = (struct record_head *)body - 1;
	const uint64_t at = (uint64_t)((uint8_t *)h - (uint8_t *)record_file);
	const uint32_t len = __atomic_load_n(&h->len, __ATOMIC_RELAXED);

	if (len >= sizeof(*h) && len % 8 == 0 && len <= record_size - at)
		__atomic_store_n(&h->sum, record_sum(h, len), __ATOMIC_RELEASE);
}
