/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_PINS_H
#define KERNEL_PINS_H

#include <stdbool.h>
#include <stdint.h>
#include "uobj.h"
#include "uverbs/request.h"

/* Memory that objects hold. */

enum pin_use {
	PIN_DATA,
	PIN_RING,
	PIN_RECORD,	 /* in a page of such records */
	PIN_LONE_RECORD, /* its page may hold other data */
	PIN_PASSING,	 /* until the request's end, and counts for no limit */
};
/* Bytes that a request names. */
struct pin_range {
	const char *method, *name; /* CREATE_QP, buf_addr; name may be NULL */
	uint64_t va, len;
	bool write; /* the device writes to them */
	enum pin_use use;
};
/*
 * 0; or with a sentence: as mappings_check(); -ENOMEM or -EPERM: RLIMIT_MEMLOCK. The object that
 * the current request makes holds the bytes until it is destroyed. A ring's pages and a
 * record's page are shared with the device (host/mm.h) while no other object of this process holds
 * bytes of them: the request's answer asks the program to do it.
 */
int pin_memory(struct uverbs_file *, const struct pin_range *);
/* The request is done; made: what it has made, or NULL. */
void pins_settle(struct uverbs_file *, struct uverbs_request *, struct uobj *made);
void pins_drop(struct uobj *);
/* This object lets its ring go, and holds from now on what the current request pinned. */
void pins_replace_ring(struct uobj *);
/* kernel_share(), kernel_shared_pages_in_use() */
int pins_share(struct uverbs_file *, uint64_t va, uint64_t len, int memfd);
bool pins_shared_in_use(const struct uverbs_file *);
/* Objects hold some. */
bool pins_any(const struct uverbs_file *);
void pins_free(struct uverbs_file *);

#endif
