/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_MKEY_H
#define DVX_MKEY_H

#include <dvx/common.h>
#include <dvx/ticket.h>
#include <dvx/wqe.h>

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
	 * translated, not bytes: both must lie at the same place in a 4 KiB page, and at the same
	 * place in a hugepage if the key is to use those.
	 */
	uint64_t iova;
	uint32_t flags; /* enum dvx_mkey_flags */
	uint32_t reserved;
};

enum dvx_mkey_flags {
	/*
	 * Nothing is pinned: the device faults pages in when it uses them (ODP). By verbs, as DevX
	 * has no such keys: pd is an adopted one, umem is NULL. addr NULL with len SIZE_MAX is all
	 * memory that the program has and will have (implicit).
	 */
	DVX_MKEY_ON_DEMAND = 1 << 0,
};

int dvx_mkey_create(struct dvx_dev *dev, const struct dvx_mkey_attr *attr, struct dvx_mkey **out);
/*
 * An mkey without memory, for up to max_pieces pieces of others: dvx_post_umr_list() (umr.h) gives
 * them to it. Until then every access fails.
 */
int dvx_mkey_create_list(struct dvx_dev *dev, struct dvx_pd *pd, uint32_t max_pieces,
			 struct dvx_mkey **out);
/* A memory window of type 2: such an mkey for one piece, which dvx_post_bind() (umr.h) gives it. */
int dvx_mkey_create_window(struct dvx_dev *dev, struct dvx_pd *pd, struct dvx_mkey **out);
/*
 * An mkey of pieces of others from the beginning, without a work request (KLM). They lie one after
 * the other from address `iova` on. With log_entity all pieces have 1 << log_entity bytes, which
 * the device finds by a shift instead of a search (KSM). The pieces' keys are looked up at each
 * access: they need the rights, too, and must stay.
 */
struct dvx_mkey_list_attr {
	uint32_t size;
	uint32_t access; /* enum dvx_access */
	struct dvx_pd *pd;
	const struct dvx_sge *pieces; /* read by the call alone */
	uint32_t n;		      /* 1 to 65536 */
	uint32_t log_entity;	      /* 0, or log2 of the bytes of each piece: to 31 */
	uint64_t iova;
};

int dvx_mkey_create_of(struct dvx_dev *dev, const struct dvx_mkey_list_attr *attr,
		       struct dvx_mkey **out);
/* Accesses through aliases of it fail from then on. */
int dvx_mkey_destroy(struct dvx_mkey *mkey);

uint32_t dvx_mkey_key(const struct dvx_mkey *mkey);  /* lkey and rkey */
uint64_t dvx_mkey_addr(const struct dvx_mkey *mkey); /* the address WQEs use */
uint64_t dvx_mkey_len(const struct dvx_mkey *mkey);
/*
 * log2 of the pages by which the device translates it: as the umem's (umem.h); 0 of lists, aliases
 * and on demand. Large pages need fewer entries of the device's translation cache.
 */
uint32_t dvx_mkey_log_page(const struct dvx_mkey *mkey);

/*
 * The device's null mkey, a local key: what is read by it is zeros, what is written is lost, at any
 * address. Holes of lists of pieces, and bytes of a message that nobody wants. PRM: dump_fill_mkey.
 * -EOPNOTSUPP: the device has none.
 */
int dvx_dev_null_key(struct dvx_dev *dev, uint32_t *lkey);

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
