/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ROLE_H
#define DVX_COPY_ROLE_H

#include "base/alive.h"
#include "base/options.h"
#include "link.h"

struct copy_device;
struct report;

/* Settings that the commands give the roles, the sender and the receiver. */
struct copy_role {
	struct link *link;
	struct copy_device *device;
	struct copy_options options;
	struct copy_counts *counts;
	struct report *report; /* a client's; NULL in a server, which reports to the client */
	struct copy_fault *f;
	uint32_t window;	    /* role_window() */
	uint32_t slots, slot_bytes; /* the most that the pool may have */
	unsigned int jobs;	    /* threads that read or write small files */
	uint32_t umask;		    /* for new entries whose mode is not kept */
};

/*
 * Returns how many directories and large files the entries under way may hold open in this process,
 * whose descriptors are shared by so many connections. SETUP has the receiver's number.
 */
uint32_t role_window(unsigned int sharers);

/* Reports an entry that was not copied whole, to the user or to the client. */
int role_skip(const struct copy_role *r, const char *path, const char *why);

/* Makes what keeps the connection of this role alive during long work. */
struct alive role_alive(struct copy_role *r);

#endif
