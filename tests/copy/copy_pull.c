/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/test.h"
#include "copy_pull.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "copy_fake.h"
#include "copy_fds.h"

struct copy_pull copy_pull = {.work = "copy_hostile.XXXXXX", .pieces = 1u << 20};

int copy_pull_set_up(UNUSED void **state)
{
	if (!mkdtemp(copy_pull.work))
		return -1;
	snprintf(copy_pull.dest, sizeof(copy_pull.dest), "%s/dest", copy_pull.work);
	snprintf(copy_pull.outside, sizeof(copy_pull.outside), "%s/outside", copy_pull.work);
	return mkdir(copy_pull.outside, 0755);
}

int copy_pull_tear_down(UNUSED void **state)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "chmod -R u+rwx %s; rm -rf %s", copy_pull.work, copy_pull.work);
	return system(cmd);
}

int copy_pull_fresh(UNUSED void **state)
{
	char cmd[160];

	copy_fake_max = copy_pull.pieces;
	copy_fake_corrupt = copy_pull.corrupt;
	snprintf(cmd, sizeof(cmd), "rm -rf %s && mkdir %s", copy_pull.dest, copy_pull.dest);
	return system(cmd);
}

struct copy_fault copy_pull_from(const struct copy_msg *script)
{
	struct actor a = {.l = calloc(1, sizeof(struct link)), .script = script};
	struct client *c = calloc(1, sizeof(*c));
	const struct client_request got = {.path = copy_pull.pattern ? copy_pull.pattern : "x",
					   .expect = copy_pull.pattern ? copy_pull.pattern : "got",
					   .plan = {.root = AT_FDCWD,
						    .dest = copy_pull.dest,
						    .last = true,
						    .seen = seen_new(copy_pull.merges)}};
	struct key none = {.n = 0};
	struct copy_fault f = {0};
	unsigned int open = copy_fds();
	pthread_t t;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	assert_int_equal(pool_make(&a.pool, SLOTS, SLOT, &a.f), 0);
	link_init(a.l, fds[1], true, 5000);
	report_begin(&copy_pull.report, true, false);
	*c = (struct client){.role = {.options = {.bits = (OPTIONS_PLAIN | copy_pull.options) &
							  ~copy_pull.without,
						  .fsync = copy_pull.fsync,
						  .filter = copy_pull.filter},
				      .report = &copy_pull.report,
				      .slots = copy_pull.slots ? copy_pull.slots : SLOTS,
				      .slot_bytes = SLOT,
				      .jobs = 3},
			     .stop = &copy_pull.stop,
			     .patience_ms = 5000};
	assert_int_equal(device_open(&c->role.device, NULL, &f), 0);
	pthread_create(&t, NULL, actor_main, &a);
	client_pull(c, fds[0], &none, &got, 1, &f);
	pthread_join(t, NULL);
	link_close(a.l);
	pool_free(&a.pool);
	device_close(c->role.device);
	seen_free(got.plan.seen);
	free(c);
	free(a.l);
	if (copy_fds() != open)
		fail_msg("%u descriptors became %u after \"%s\"", open, copy_fds(), f.text);
	return f;
}

unsigned int copy_pull_left(const char *path)
{
	DIR *d = opendir(path);
	unsigned int n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		char sub[PATH_MAX];

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (strstr(e->d_name, ".dvx-copy."))
			fail_msg("%s/%s was left behind", path, e->d_name);
		n++;
		snprintf(sub, sizeof(sub), "%s/%s", path, e->d_name);
		if (e->d_type == DT_DIR)
			n += copy_pull_left(sub);
	}
	closedir(d);
	return n;
}

void copy_pull_expect(const struct play *p)
{
	struct copy_fault f;
	unsigned int n;

	copy_pull_fresh(NULL);
	f = copy_pull_from(p->script);
	if (f.code != p->code || !strstr(f.text, p->words))
		fail_msg("code %d, \"%s\" instead of code %d, \"%s\"", f.code, f.text, p->code,
			 p->words);
	n = copy_pull_left(copy_pull.dest);
	if (n != p->left)
		fail_msg("%u entries are left instead of %u, after \"%s\"", n, p->left, f.text);
	assert_int_equal(copy_pull_left(copy_pull.outside), 0);
	report_free(&copy_pull.report);
}

void copy_pull_expect_each(const struct play *p, size_t n)
{
	while (n--)
		copy_pull_expect(p++);
}
