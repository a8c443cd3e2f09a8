/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "dvx-copy.h"
#include "wire/net.h"
#include "base/pool.h"
#include "dest/pull.h"

static int connect_to(struct pull *p, const struct copy_target *t, const struct copy_args *a,
		      const struct key *key, struct copy_fault *f)
{
	const uint32_t slot_bytes = a->slot_bytes & ~4095u;
	const struct pull_wish wish = {.slots = a->slots ? a->slots : pool_slots(slot_bytes),
				       .slot_bytes = slot_bytes,
				       .patience_ms = (int)a->timeout * 1000};
	int fd = net_connect(t, key->n != 0, f);

	return fd < 0 ? -1 : pull_open(p, fd, key, &wish, f);
}

/* One connection per source: the server keeps no state between them. */
static int pull_one(struct pull *p, const struct copy_args *a, const struct copy_target *t,
		    const struct key *key, struct copy_fault *f)
{
	struct dest_plan plan = {
		.dest = a->argv[a->argc - 1], .base = t->base, .many = a->argc > 2};
	int ret;

	p->link.fd = -1;
	ret = connect_to(p, t, a, key, f) || pull_path(p, t->path, &plan, f);
	pull_close(p, f);
	return ret;
}

static int pull_all(struct pull *p, const struct copy_args *a, const struct copy_target *t,
		    struct copy_fault *f)
{
	struct key key = {.n = 0};
	int ret = 0;

	if (a->key_file && key_load(&key, a->key_file, f))
		return -1;
	if (device_open(&p->device, a->device, f))
		ret = -1;
	for (int i = 0; !ret && i + 1 < a->argc; i++)
		ret = pull_one(p, a, &t[i], &key, f);
	device_close(p->device);
	key_wipe(&key);
	return ret;
}

/* All sources are parsed before the first one is copied. */
static void cmd_pull_run(const struct copy_args *a, struct report *r, struct copy_fault *f)
{
	struct copy_target *t = calloc((size_t)a->argc, sizeof(*t));
	struct pull *p = calloc(1, sizeof(*p));
	int bad = 0;

	if (!p || !t)
		bad = copy_fail(f, COPY_IO, "out of memory");
	for (int i = 0; !bad && i + 1 < a->argc; i++)
		bad = target_parse(&t[i], a->argv[i], f);
	if (!bad) {
		p->report = r;
		p->stop = &stop_asked;
		pull_all(p, a, t, f);
	}
	free(p);
	free(t);
}

int copy_cmd_pull(const struct copy_args *a)
{
	struct copy_fault f = {0};
	struct report r;
	int code;

	report_begin(&r, a->quiet, a->json);
	cmd_pull_run(a, &r, &f);
	code = report_end(&r, &f);
	report_free(&r);
	return code;
}
