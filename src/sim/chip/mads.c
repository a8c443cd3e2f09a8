/* SPDX-License-Identifier: BSD-2-Clause */
#include "mads.h"

#include <errno.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/log.h"
#include "kernel/cm/cm.h"
#include "obj/vhca.h"

#define MADS_MOST 4096u /* on the way; more are lost, as those that find no receive on QP1 */

struct mad_on_way {
	TAILQ_ENTRY(mad_on_way) link;
	struct vhca *to;
	struct cm_path path;
	uint8_t bytes[CM_MAD_BYTES];
};

struct mads {
	struct device *dev;
	struct cm *cm;
	unsigned int n;
	TAILQ_HEAD(, mad_on_way) queue;
	struct timer timer; /* messages arrive on a turn of the loop, not within a command */
};

struct cm *mads_cm(struct mads *m)
{
	return m->cm;
}

/* The receiver's view of a path. */
static struct vhca *path_turn(struct device *dev, const struct cm_path *p, struct cm_path *back)
{
	*back = *p;
	memcpy(back->sgid, p->dgid, 16);
	memcpy(back->dgid, p->sgid, 16);
	for (unsigned int i = 0; i < dev->nfunctions; i++) {
		for (uint8_t j = 0; j < dev->vhca[i].ngids; j++) {
			const struct gid_entry *g = &dev->vhca[i].gids[j];

			if (g->type != GID_ROCE_V2 || memcmp(g->gid, p->dgid, 16))
				continue;
			back->sgid_index = j;
			return &dev->vhca[i];
		}
	}
	return NULL;
}

static int mads_send(void *ctx, struct vhca *from, const struct cm_path *p,
		     const uint8_t mad[CM_MAD_BYTES])
{
	struct mads *m = ctx;
	struct mad_on_way *w;

	(void)from;
	if (m->n == MADS_MOST)
		return 0;
	w = malloc(sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->to = path_turn(m->dev, p, &w->path);
	memcpy(w->bytes, mad, CM_MAD_BYTES);
	TAILQ_INSERT_TAIL(&m->queue, w, link);
	m->n++;
	return timer_set(&m->dev->timers, &m->timer, m->dev->clock->now(m->dev->clock));
}

static struct mad_on_way *mads_take(struct mads *m)
{
	struct mad_on_way *w = TAILQ_FIRST(&m->queue);

	if (!w)
		return NULL;
	TAILQ_REMOVE(&m->queue, w, link);
	m->n--;
	return w;
}

/* What a message brings about is sent in the next turn. */
static void mads_arrive(struct timer *t)
{
	struct mads *m = (struct mads *)(void *)((char *)t - offsetof(struct mads, timer));

	for (unsigned int n = m->n; n; n--) {
		struct mad_on_way *w = mads_take(m);

		if (w->to)
			cm_receive(m->cm, w->to, &w->path, w->bytes);
		free(w);
	}
}

/* The kernel knows its addresses: it binds a socket to those alone. */
static bool mads_is_own(void *ctx, const struct sockaddr *address)
{
	socklen_t len = address->sa_family == AF_INET ? sizeof(struct sockaddr_in)
						      : sizeof(struct sockaddr_in6);
	struct sockaddr_in6 a;
	int fd, err;

	(void)ctx;
	memcpy(&a, address, len);
	a.sin6_port = 0; /* at the same place in both */
	fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	err = bind(fd, (const struct sockaddr *)&a, len);
	close(fd);
	return !err;
}

struct mads *mads_new(struct device *dev)
{
	struct mads *m = calloc(1, sizeof(*m));
	const struct cm_ops ops = {.send = mads_send, .is_own = mads_is_own, .ctx = m};

	if (!m)
		return NULL;
	m->dev = dev;
	m->timer.fire = mads_arrive;
	TAILQ_INIT(&m->queue);
	m->cm = cm_new(dev, &ops);
	if (m->cm)
		return m;
	free(m);
	return NULL;
}

void mads_free(struct mads *m)
{
	struct mad_on_way *w;

	if (!m)
		return;
	cm_free(m->cm);
	timer_cancel(&m->dev->timers, &m->timer);
	while ((w = mads_take(m)))
		free(w);
	free(m);
}

bool mads_low_ports(pid_t pid)
{
	unsigned long long caps = 0;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (f)
		fclose(f);
	return caps >> CAP_NET_BIND_SERVICE & 1;
}
