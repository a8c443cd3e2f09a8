/* SPDX-License-Identifier: BSD-2-Clause */
/* Exchanges two entries over and over in a thread: a directory and a link that leads out. */
#ifndef COPY_SWAP_H
#define COPY_SWAP_H

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct swap {
	char a[128], b[128];
	atomic_bool stop;
	unsigned long times;
	pthread_t thread;
};

static inline void swap_once(struct swap *s)
{
	s->times += !renameat2(AT_FDCWD, s->a, AT_FDCWD, s->b, RENAME_EXCHANGE);
}

static inline void *swap_main(void *arg)
{
	struct swap *s = arg;

	while (!s->stop)
		swap_once(s);
	return NULL;
}

/* Starts the thread. Returns after the first exchange. */
static inline void swap_begin(struct swap *s)
{
	s->stop = 0;
	swap_once(s);
	pthread_create(&s->thread, NULL, swap_main, s);
}

static inline void swap_end(struct swap *s)
{
	s->stop = 1;
	pthread_join(s->thread, NULL);
}

#endif
