/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_TICKET_H
#define DVX_TICKET_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

/*
 * What the owner of an mkey hands to another VHCA of the same chip, so that it can make an alias
 * (mkey.h). Whoever holds a ticket can reach the memory: it is a secret, send it over a channel
 * that authenticates its ends, and wipe it after use. The checksum detects damage, not forgery;
 * the device refuses a forged key.
 */
#define DVX_TICKET_VERSION 1
#define DVX_TICKET_BYTES   80
#define DVX_TICKET_TEXT	   166 /* "dvx1:" + hex + NUL */

struct dvx_ticket {
	uint16_t vhca_id;
	uint32_t access; /* enum dvx_access that the mkey grants; advice, the mkey decides */
	uint32_t mkey;
	uint64_t addr; /* the mkey's first address, what WQEs name */
	uint64_t len;
	uint8_t key[32];
};

/*
 * Decoding fails with: -EINVAL no ticket at all (magic, or not hex), -ERANGE cut short or too
 * long, -EPROTONOSUPPORT another version, -EBADMSG the checksum, a reserved or an impossible value.
 * On failure *t is wiped.
 */
void dvx_ticket_encode(const struct dvx_ticket *t, uint8_t out[DVX_TICKET_BYTES]);
int dvx_ticket_decode(const void *in, size_t len, struct dvx_ticket *t);
void dvx_ticket_to_text(const struct dvx_ticket *t, char out[DVX_TICKET_TEXT]);
int dvx_ticket_from_text(const char *text, struct dvx_ticket *t);
/* Overwrites it so that the compiler can't leave the store out. */
void dvx_ticket_wipe(struct dvx_ticket *t);

DVX_END_DECLS

#endif
