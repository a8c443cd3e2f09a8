/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_MAPS_H
#define SIM_BASE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Reader of a process's mappings from /proc/PID/maps, in order. Uses neither malloc nor functions
 * that the preload hooks, so that a fork child can call it.
 */
struct maps {
	int fd;
	bool cut; /* the next bytes are the rest of a line */
	size_t at, have;
	char buf[8192];
};

struct mapping {
	uint64_t start, end, offset, inode;
	dev_t dev;
	int prot; /* PROT_* */
	bool shared;
	bool plain; /* anonymous: no file, no stack, no mapping of the kernel */
};

/* pid 0: this process. Returns 0 or -errno. */
int maps_open(struct maps *, pid_t pid);
bool maps_next(struct maps *, struct mapping *);
void maps_close(struct maps *);
/*
 * Finds the first mapping that ends behind va, without reading others. Returns 1; 0 if there is
 * none; or -errno, always before Linux 6.11. Does not move maps_next().
 */
int maps_query(const struct maps *, uint64_t va, struct mapping *);

/* Parses one line, without its end. A path may be cut short. */
bool mapping_parse(const char *line, struct mapping *);

#endif
