/* SPDX-License-Identifier: BSD-2-Clause */
/* A client that pulls from a server made of single messages. */
#ifndef COPY_PULL_H
#define COPY_PULL_H

#include <dirent.h>

#include "client.h"
#include "copy_actor.h"

struct copy_pull {
	char work[24], dest[64], outside[64];
	/* of the next pull */
	unsigned int pieces, corrupt;
	uint32_t options, without; /* added to a plain pull's, and removed from them */
	struct filter *filter;
	const char *pattern; /* the requested pattern; NULL: "x", which the server calls "got" */
	uint32_t slots;	     /* 0: SLOTS */
	enum copy_fsync fsync;
	bool merges; /* one of several sources whose entries may have the same paths */
	volatile sig_atomic_t stop;
	/* This part in moving_dir is renamed when it is locked, and another is begun. */
	const char *moving;
	int moving_dir;
	struct report report; /* of the last pull */
};
extern struct copy_pull copy_pull;

int copy_pull_set_up(void **state);
int copy_pull_tear_down(void **state);
int copy_pull_fresh(void **state); /* Makes an empty destination. */
#define FIXTURE_pull(name) FIXTURE(name, void *no_state, copy_pull_fresh, NULL)

struct copy_fault copy_pull_from(const struct copy_msg *script);

/* Checks that no temporary is left below path. Returns the number of entries. */
unsigned int copy_pull_left(const char *path);

/* copy_clock.c: in a sync, waits until the copier has come back from waiting for it. */
void copy_clock_await(void);

/* A server's script, how the pull ends, and how many entries are left. */
struct play {
	struct copy_msg script[13]; /* ends with a message without a type */
	int code;
	const char *words;
	unsigned int left;
};
/* The server's messages, and the end that they must lead to; a LIE is an error of the protocol. */
#define PLAY(code, text, left, ...)             \
	{                                       \
		{__VA_ARGS__}, code, text, left \
	}
#define LIE(text, left, ...) PLAY(COPY_PROTOCOL, text, left, __VA_ARGS__)
void copy_pull_expect(const struct play *p);
void copy_pull_expect_each(const struct play *p, size_t n);
#define EXPECT_EACH(plays) copy_pull_expect_each(plays, sizeof(plays) / sizeof((plays)[0]))

#endif
