/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CM_MSG_H
#define SIM_CM_MSG_H

#include <stddef.h>
#include <stdint.h>
#include "uverbs/ucma.h"

/*
 * A command of the RDMA_CM device as a message. LINK_CM's body: cm_msg, the command, its value. The
 * answer's body: the bytes for the command's response address.
 */
struct cm_msg {
	uint32_t command;
	uint16_t in_len, out_len;
	uint32_t nin, nvalue;
	uint64_t inode;
};
#define CM_MSG_MAX (sizeof(struct cm_msg) + UCMA_IN_MAX + UCMA_VALUE_MAX)

/* Client: Returns the length. */
size_t cm_msg_pack(const struct ucma_request *, uint8_t body[CM_MSG_MAX]);
/* Server: Returns -EPROTO if the message contradicts itself or the table. */
int cm_msg_unpack(struct ucma_request *, const uint8_t *body, size_t len);

#endif
