/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_MSG_H
#define SIM_MSG_H

#include <stddef.h>
#include <stdint.h>
#include "uverbs/request.h"
#include "uverbs/resource.h" /* the rows of LINK_RESOURCES */

/*
 * A request as a message. LINK_IOCTL's body: msg_ioctl, one msg_attr for each attribute, then the
 * bytes in. The answer's body: msg_done, one msg_result for each attribute, msg_fd for each FD that
 * comes with it, msg_share for each piece of memory to share or unshare, then the bytes out. Pieces
 * of bytes are padded to 8.
 */
struct msg_ioctl {
	uint16_t object, method;
	uint32_t driver;
	uint32_t nattrs;
	uint32_t pad;
};

struct msg_attr {
	uint16_t id, flags, len;
	uint8_t enum_elem, pad;
	uint64_t data;
};

struct msg_done {
	uint32_t nattrs, nfds, nshares, pad;
};

struct msg_result {
	uint64_t data;
	uint32_t written;
	uint32_t valid_output;
};

struct msg_fd {
	uint32_t attr, off;
};

struct msg_share {
	uint64_t va, len;
	uint32_t what, pad; /* enum uverbs_share_what */
};

/* Client: Turns a request into a message (freed by the caller), and an answer into the request. */
int msg_pack_request(const struct uverbs_request *, uint8_t **body, size_t *len);
/* Returns -EMFILE if only FDs are missing; the rest is unpacked. */
int msg_unpack_answer(struct uverbs_request *, const uint8_t *body, size_t len, const int *fds,
		      unsigned int nfds);

/*
 * Server: Turns an untrusted message into a request (request_fini() in any case), and its outcome
 * into an answer. -EPROTO, with `why`: the message contradicts itself or the method's table.
 */
int msg_unpack_request(struct owned_request *, const uint8_t *body, size_t len, const char **why);
int msg_pack_answer(const struct owned_request *, uint8_t **body, size_t *len);

#endif
