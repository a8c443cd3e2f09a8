/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "bar.h"

struct host *host_new(void)
{
	struct host *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	iotlb_forget(h);
	h->null_fd = -1;
	h->slots = calloc(BUS_SLOTS, sizeof(*h->slots));
	h->bounce = malloc(BOUNCE_BYTES);
	h->epfd = epoll_create1(EPOLL_CLOEXEC);
	h->next_slot = 1;
	if (!h->slots || !h->bounce || h->epfd < 0) {
		host_free(h);
		return NULL;
	}
	return h;
}

void host_free(struct host *h)
{
	uint32_t slot;

	if (!h)
		return;
	while (h->bars)
		bar_free(h->bars);
	for (slot = 1; slot < h->slots_end; slot++)
		if (h->slots[slot])
			mm_close(h->slots[slot]);
	if (h->epfd >= 0)
		close(h->epfd);
	eventfds_free(h);
	free(h->awake);
	free(h->bounce);
	free(h->slots);
	free(h);
}

void host_on_doorbell(struct host *h, doorbell_fn fn, void *ctx)
{
	h->doorbell = fn;
	h->doorbell_ctx = ctx;
}

int host_epoll_fd(const struct host *h)
{
	return h->epfd;
}

/* Notes the end of a process at once, before its owner closes the mm: its pid may be reused. */
static void mm_exited(struct host *h, struct mm *mm)
{
	mm->gone = true;
	iotlb_forget(h);
	host_unwatch_fd(h, &mm->pid_source);
}

void host_wake(struct host *h)
{
	struct epoll_event ev[16];
	int i, n = epoll_wait(h->epfd, ev, 16, 0);

	for (i = 0; i < n; i++) {
		struct event_source *s = ev[i].data.ptr;

		if (s->kind == SOURCE_PIDFD)
			mm_exited(h, (struct mm *)s);
		else if (ev[i].events & EPOLLERR)
			watch_lost((struct watch *)s);
		else
			watch_read((struct watch *)s);
	}
}
