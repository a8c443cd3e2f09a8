/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends findings to dvx-check, each once for a pair of places, and counts the others. */
#include "watch.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FINDINGS 512u
#define MODULES	 64u

static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;
static struct reported {
	enum check_kind kind;
	uintptr_t place[2];
	uint64_t count;
} reported[FINDINGS];
static uint32_t reported_count;
static uint64_t modules[MODULES];
static uint32_t module_count;

/*
 * Opens the pipe for each message: the program may close descriptors that it does not know. Both
 * ways, so that no end of the tool stops the program.
 */
static void report_send(struct check_header *h, enum check_message type, size_t len)
{
	const char *path = getenv(CHECK_PIPE);
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	h->type = type;
	h->len = (uint32_t)len;
	h->pid = (uint32_t)getpid();
	if (write(fd, h, len) < 0)
		h->len = 0; /* nobody to send to */
	close(fd);
}

/* Sends the path of an object file before the first place in it. */
static void report_module(const struct link_map *map)
{
	struct check_module m = {.base = map->l_addr};

	for (uint32_t i = 0; i < module_count; i++)
		if (modules[i] == map->l_addr)
			return;
	if (module_count == MODULES)
		return;
	modules[module_count++] = map->l_addr;
	if (*map->l_name)
		strncpy(m.path, map->l_name, sizeof(m.path) - 1);
	else if (readlink("/proc/self/exe", m.path, sizeof(m.path) - 1) < 0)
		return;
	report_send(&m.h, CHECK_MODULE, sizeof(m));
}

static struct check_address report_address(uintptr_t at)
{
	struct check_address a = {0, at};
	struct link_map *map;
	Dl_info info;

	if (at && dladdr1((void *)at, &info, (void **)&map, RTLD_DL_LINKMAP) && map) {
		report_module(map);
		a = (struct check_address){map->l_addr, at - map->l_addr};
	}
	return a;
}

static struct check_finding report_pack(const struct watch_finding *f, uint32_t id)
{
	struct check_finding m = {.kind = f->kind,
				  .id = id,
				  .qp_num = f->qp ? f->qp->qp->qp_num : 0,
				  .opcode = f->work ? f->work->opcode : CHECK_NO_OPCODE,
				  .wr_id = f->work ? f->work->wr_id : 0,
				  .addr = f->addr,
				  .bytes = f->bytes,
				  .n = {f->n[0], f->n[1]}};

	for (unsigned int p = 0; p < 2; p++)
		for (unsigned int i = 0; f->place[p] && i < CHECK_FRAMES; i++)
			m.place[p][i] = report_address(f->place[p]->frame[i]);
	return m;
}

/* Returns the row of a finding; *fresh: it is the first of its places. NULL: the table is full. */
static struct reported *report_row(const struct watch_finding *f, bool *fresh)
{
	const uintptr_t a = f->place[0] ? f->place[0]->frame[0] : 0,
			b = f->place[1] ? f->place[1]->frame[0] : 0;
	uint32_t i = 0;

	while (i < reported_count && (reported[i].kind != f->kind || reported[i].place[0] != a ||
				      reported[i].place[1] != b))
		i++;
	*fresh = i == reported_count;
	if (i == FINDINGS)
		return NULL;
	if (*fresh)
		reported[reported_count++] = (struct reported){f->kind, {a, b}, 0};
	return &reported[i];
}

void watch_report(const struct watch_finding *f)
{
	struct reported *row;
	bool fresh;

	pthread_mutex_lock(&report_lock);
	row = report_row(f, &fresh);
	if (row)
		row->count++;
	if (row && fresh) {
		struct check_finding m = report_pack(f, (uint32_t)(row - reported));

		report_send(&m.h, CHECK_FINDING, sizeof(m));
	}
	pthread_mutex_unlock(&report_lock);
}

void watch_hello(void)
{
	static bool sent;
	const bool own = dlsym(RTLD_DEFAULT, "free") != (void *)free;
	struct check_hello m = {.blind = own ? CHECK_BLIND_FREE : 0};

	if (!sent)
		report_send(&m.h, CHECK_HELLO, sizeof(m));
	sent = true;
}

__attribute__((destructor)) static void report_counts(void)
{
	for (uint32_t i = 0; i < reported_count; i++) {
		struct check_count m = {.id = i, .count = reported[i].count};

		if (m.count > 1)
			report_send(&m.h, CHECK_COUNT, sizeof(m));
	}
}

/* A child's findings are its own. */
static void report_forked(void)
{
	pthread_mutex_init(&report_lock, NULL);
	reported_count = module_count = 0;
}

__attribute__((constructor)) static void report_start(void)
{
	pthread_atfork(NULL, NULL, report_forked);
}
