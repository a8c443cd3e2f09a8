/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_PINS_H
#define KERNEL_PINS_H

#include <stdbool.h>
#include <stdint.h>
#include "uobj.h"
#include "uverbs/request.h"

/* Client memory that objects hold. */

enum pin_use {
	PIN_DATA,
	PIN_RING,
	PIN_RECORD,	 /* its page has only doorbell records */
	PIN_LONE_RECORD, /* its page may hold other data */
	PIN_PASSING,	 /* until the request's end; no limit counts it */
};
/* A range of client memory that a request names. */
struct pin_range {
	const char *method, *name; /* CREATE_QP, buf_addr; name may be NULL */
	uint64_t va, len;
	bool write; /* the device writes to them */
	enum pin_use use;
};
/*
 * Pins a range until the object that the current request makes is destroyed. If no other object of
 * the process holds bytes of the pages of a ring or record, the request's answer asks the program
 * to share them with the device (host/client.h). 0, or after logging a sentence: -errno of
 * mappings_check(); -ENOMEM or -EPERM for RLIMIT_MEMLOCK.
 */
int pin_memory(struct uverbs_file *, const struct pin_range *);
/* Ends a request: `made` gets its pins; if made is NULL, they are freed. */
void pins_settle(struct uverbs_file *, struct uverbs_request *, struct uobj *made);
void pins_drop(struct uobj *);
/* Frees the object's ring; the object then gets the pins of the current request. */
void pins_replace_ring(struct uobj *);
/* Implement kernel_share() and kernel_shared_pages_in_use(). */
int pins_share(struct uverbs_file *, uint64_t va, uint64_t len, int memfd);
bool pins_shared_in_use(const struct uverbs_file *);
/* Returns whether objects hold any memory of the file. */
bool pins_any(const struct uverbs_file *);
void pins_free(struct uverbs_file *);

/*
 * Opens the requesting program's dma-buf and checks that it has the range. *buf becomes its memory,
 * which dmabuf_close() releases. 0, or -errno after logging a sentence.
 */
int file_dmabuf(struct uverbs_file *, int number, uint64_t offset, uint64_t len, struct mm **buf);

#endif
