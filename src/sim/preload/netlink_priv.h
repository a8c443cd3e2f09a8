/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_NETLINK_PRIV_H
#define SIM_PRELOAD_NETLINK_PRIV_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "netlink.h"
#include "uverbs/resource.h"

#define DEVICE_INDEX 0u /* the kernel numbers devices from 0 */
/* Fits libmnl's buffer, which is 4096 bytes on machines with such pages. */
#define REPLY_ROOM   4096u
#define CHARDEV_TYPE 32 /* bytes of a client's name, as in the kernel */

struct netlink_reply {
	const struct netlink_device *dev;
	uint32_t port;
	netlink_send send;
	void *arg;
	const struct uverbs_resource *rows; /* used by a dump: all objects of the function */
	size_t nrows;
	bool too_long; /* an object's attributes did not fit */
	size_t len;    /* bytes of the message */
	uint8_t bytes[REPLY_ROOM] __attribute__((aligned(NLMSG_ALIGNTO)));
};

/* One request, with the attributes that some operation reads. */
struct netlink_request {
	struct nlmsghdr h;
	const uint8_t *bytes; /* begins with the header */
	bool has_index, has_port, has_type, has_stat;
	uint32_t index, port;
	uint32_t stat;
	char type[CHARDEV_TYPE];
};

/* Messages and attributes begin at multiples of 4. */
static inline size_t netlink_padded(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* --- netlink_reply.c: a message, piece by piece --- */

/* Checks the attributes that a request must have. Returns 0 or -EINVAL. */
int netlink_check_target(const struct netlink_reply *, const struct netlink_request *, bool index,
			 bool port);

void netlink_reply_begin(struct netlink_reply *, const struct netlink_request *, uint16_t type,
			 uint16_t flags);
int netlink_reply_end(struct netlink_reply *); /* sends the message */
/* Appends bytes as they are. */
void netlink_put_bytes(struct netlink_reply *, const void *, size_t len);
void netlink_put(struct netlink_reply *, uint16_t type, const void *value, size_t len);
void netlink_put_u8(struct netlink_reply *, uint16_t type, uint8_t value);
void netlink_put_u16(struct netlink_reply *, uint16_t type, uint16_t value);
void netlink_put_u32(struct netlink_reply *, uint16_t type, uint32_t value);
void netlink_put_u64(struct netlink_reply *, uint16_t type, uint64_t value);
void netlink_put_text(struct netlink_reply *, uint16_t type, const char *text);
void netlink_put_device(struct netlink_reply *);
size_t netlink_nest_begin(struct netlink_reply *, uint16_t type);
void netlink_nest_end(struct netlink_reply *, size_t at);

/* --- netlink_resources.c: objects of programs --- */

int netlink_fill_summary(struct netlink_reply *, const struct netlink_request *);
/* Sends the dump's messages. */
int netlink_dump_resources(struct netlink_reply *, const struct netlink_request *);

/* --- netlink_devlink.c: generic netlink --- */

bool netlink_is_generic(const struct netlink_request *);
/* Sends the message of the answer, if it has one. Returns 0 or -errno. */
int netlink_answer_generic(struct netlink_reply *, const struct netlink_request *);

#endif
