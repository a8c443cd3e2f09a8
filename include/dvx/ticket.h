/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_TICKET_H
#define DVX_TICKET_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

/*
 * A ticket: with it, another VHCA of the same chip can make an alias of an mkey (mkey.h). A ticket
 * is a secret, since its holder can access the memory: send it over a channel that authenticates
 * its ends, and wipe it after use. Its checksum detects damage, not forgery; the device refuses a
 * forged key.
 */
#define DVX_TICKET_VERSION 1
#define DVX_TICKET_BYTES   80
#define DVX_TICKET_TEXT	   166 /* "dvx1:" + hex + NUL */

struct dvx_ticket {
	uint16_t vhca_id;
	uint32_t access; /* enum dvx_access of the mkey; informative, the device checks the mkey */
	uint32_t mkey;
	uint64_t addr; /* the mkey's first address in WQEs */
	uint64_t len;  /* bytes */
	uint8_t key[32];
};

/*
 * Decoding fails with -EINVAL: no ticket at all (wrong magic, or not hex); -ERANGE: cut short or
 * too long; -EPROTONOSUPPORT: another version; -EBADMSG: a wrong checksum, or an impossible value.
 * On errors *t is wiped.
 */
void dvx_ticket_encode(const struct dvx_ticket *t, uint8_t out[DVX_TICKET_BYTES]);
int dvx_ticket_decode(const void *in, size_t len, struct dvx_ticket *t);
void dvx_ticket_to_text(const struct dvx_ticket *t, char out[DVX_TICKET_TEXT]);
int dvx_ticket_from_text(const char *text, struct dvx_ticket *t);
/* Overwrites *t by a store that the compiler can't leave out. */
void dvx_ticket_wipe(struct dvx_ticket *t);

DVX_END_DECLS

#endif
