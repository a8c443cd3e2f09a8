/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_MAPS_H
#define SIM_BASE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A process's mappings from /proc/PID/maps, by address. Uses neither malloc nor functions that the
 * preload takes over, so that a fork child can call it.
 */
struct maps {
	int fd;
	bool cut; /* what follows is the rest of a line */
	size_t at, have;
	char buf[8192];
};

struct mapping {
	uint64_t start, end, offset, inode;
	dev_t dev;
	int prot; /* PROT_* */
	bool shared;
	bool plain; /* anonymous: no file, no stack, none of the kernel's own */
};

/* pid 0: this process. 0 or -errno. */
int maps_open(struct maps *, pid_t pid);
bool maps_next(struct maps *, struct mapping *);
void maps_close(struct maps *);
/*
 * The first mapping that ends behind va, at the cost of this one only: 1; 0: there is none; or
 * -errno, before Linux 6.11 always. Does not change what maps_next() says.
 */
int maps_query(const struct maps *, uint64_t va, struct mapping *);

/* One line, without its end. A path may be cut short. */
bool mapping_parse(const char *line, struct mapping *);

#endif
