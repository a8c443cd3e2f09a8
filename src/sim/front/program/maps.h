/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FRONT_MAPS_H
#define SIM_FRONT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* This process's mappings, line by line, without a call of malloc: a fork child reads them too. */
struct maps {
	int fd;
	size_t at, have;
	char buf[8192]; /* longer than any line */
};

struct mapping {
	uint64_t va, end, inode;
	dev_t dev;
	int prot;
};

/* 0 or -errno. */
int maps_open(struct maps *);
bool maps_next(struct maps *, struct mapping *);
void maps_close(struct maps *);

#endif
