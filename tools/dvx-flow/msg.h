/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The messages between clients and daemon on the Unix socket: a JSON head and a body of any bytes.
 * A request has "do" in its head. Its answers are any number of {"progress"} heads, then one with
 * "exit" (an exit code of dvx-flow.h) and, if that isn't 0, "error".
 *
 *	"DVXF" | bytes of head, big-endian 32 bits | bytes of body, the same | head | body
 */
#ifndef DVX_FLOW_MSG_H
#define DVX_FLOW_MSG_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define MSG_START	12u
#define MSG_HEAD_MAX	(256u << 20)
#define MSG_BODY_MAX	(1u << 30)
#define MSG_REQUEST_MAX (64u << 10) /* a request's head */

struct flow_msg {
	json_t *head;
	char *body; /* ends with a NUL */
	size_t body_len;
};

/* Returns the message as bytes to send, malloc'ed. Steals head. NULL: no memory, or too long. */
char *msg_pack(json_t *head, const void *body, size_t body_len, size_t *len);

/*
 * Returns the length of the message that begins with bytes[0..n). 0: more bytes are needed.
 * -EPROTO: this is no message, or it exceeds the limits.
 */
int64_t msg_size(const char *bytes, size_t n, uint32_t head_max, uint32_t body_max);

/* Reads a complete message of msg_size() bytes. Returns 0, -EPROTO or -ENOMEM. */
int msg_unpack(const char *bytes, struct flow_msg *out);
void msg_free(struct flow_msg *m);

#endif
