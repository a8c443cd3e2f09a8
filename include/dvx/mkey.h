/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_MKEY_H
#define DVX_MKEY_H

#include <dvx/common.h>
#include <dvx/ticket.h>

DVX_BEGIN_DECLS

/*
 * A memory key made by DevX over one range. WQEs name memory by {key, address}; one number serves
 * as lkey and rkey.
 */
struct dvx_mkey_attr {
	uint32_t size;
	uint32_t access; /* enum dvx_access; local read is always granted */
	struct dvx_pd *pd;
	/* The range: memory that the call registers and the mkey owns ... */
	void *addr;
	size_t len;
	/* ... or `len` bytes of a umem, from umem_offset (addr is then not read). */
	struct dvx_umem *umem;
	uint64_t umem_offset;
	/*
	 * The address that WQEs use for its first byte; 0: the virtual address. Pages are
	 * translated, not bytes: both must lie at the same place in a 4 KiB page.
	 */
	uint64_t iova;
};

int dvx_mkey_create(struct dvx_dev *dev, const struct dvx_mkey_attr *attr, struct dvx_mkey **out);
/* Accesses through aliases of it fail from then on. */
int dvx_mkey_destroy(struct dvx_mkey *mkey);

uint32_t dvx_mkey_key(const struct dvx_mkey *mkey);  /* lkey and rkey */
uint64_t dvx_mkey_addr(const struct dvx_mkey *mkey); /* the address WQEs use */
uint64_t dvx_mkey_len(const struct dvx_mkey *mkey);

/*
 * Lets the holder of the ticket use this mkey from another VHCA of the chip
 * (ALLOW_OTHER_VHCA_ACCESS with a fresh random key). Exporting again replaces the key.
 * -EOPNOTSUPP: the device lacks it.
 */
int dvx_mkey_export(struct dvx_mkey *mkey, struct dvx_ticket *out);

/*
 * Makes an alias of another VHCA's mkey: an mkey of this function, in this pd, for the ticket's
 * address range. Destroy with dvx_mkey_destroy(); it can't be exported again.
 * -EXDEV: the device refused the ticket (another chip, wrong key, revoked: it does not say which);
 * -EINVAL: the ticket is of this same VHCA; -EOPNOTSUPP: the device lacks it.
 */
int dvx_mkey_import(struct dvx_dev *dev, struct dvx_pd *pd, const struct dvx_ticket *ticket,
		    struct dvx_mkey **out);

DVX_END_DECLS

#endif
