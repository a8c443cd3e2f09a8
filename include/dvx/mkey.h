/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_MKEY_H
#define DVX_MKEY_H

#include <dvx/common.h>
#include <dvx/ticket.h>
#include <dvx/wqe.h>

DVX_BEGIN_DECLS

/*
 * Attributes of a memory key over one range, made by DevX. WQEs name memory by {key, address}; one
 * number is both lkey and rkey. PRM: CREATE_MKEY.
 */
struct dvx_mkey_attr {
	uint32_t size;
	uint32_t access; /* enum dvx_access; local read is always granted */
	struct dvx_pd *pd;
	/* The range: memory that the call pins until dvx_mkey_destroy() ... */
	void *addr;
	size_t len;
	/* ... or `len` bytes of a umem from umem_offset on; then addr is not read. */
	struct dvx_umem *umem;
	uint64_t umem_offset;
	/*
	 * The address that WQEs use for the first byte; 0: its virtual address. Both must have the
	 * same offset in a 4 KiB page, since the device translates pages, and the same offset in a
	 * hugepage if it should translate those.
	 */
	uint64_t iova;
	uint32_t flags; /* enum dvx_mkey_flags */
	uint32_t reserved;
};

enum dvx_mkey_flags {
	/*
	 * On-demand paging (ODP): nothing is pinned, the device faults pages in when it uses them.
	 * libdvx makes the key by verbs, since DevX has none of this kind: pd is an adopted one,
	 * umem is NULL. addr NULL with len SIZE_MAX is the whole address space (implicit ODP).
	 */
	DVX_MKEY_ON_DEMAND = 1 << 0,
};

int dvx_mkey_create(struct dvx_dev *dev, const struct dvx_mkey_attr *attr, struct dvx_mkey **out);
/*
 * Makes an mkey without memory, to which dvx_post_umr_list() (umr.h) gives up to max_pieces pieces
 * of other mkeys. Until then every access fails.
 */
int dvx_mkey_create_list(struct dvx_dev *dev, struct dvx_pd *pd, uint32_t max_pieces,
			 struct dvx_mkey **out);
/* Makes a memory window of type 2: such an mkey for one piece, bound by dvx_post_bind() (umr.h). */
int dvx_mkey_create_window(struct dvx_dev *dev, struct dvx_pd *pd, struct dvx_mkey **out);
/*
 * Attributes of an mkey that consists of pieces of other mkeys (KLM), without a work request. The
 * pieces follow each other from address `iova` on. With log_entity all pieces have 1 << log_entity
 * bytes, so that the device finds one by a shift instead of a search (KSM). The device looks up the
 * pieces' keys at each access: they must stay valid, and need the rights, too.
 */
struct dvx_mkey_list_attr {
	uint32_t size;
	uint32_t access; /* enum dvx_access */
	struct dvx_pd *pd;
	const struct dvx_sge *pieces; /* read during the call only */
	uint32_t n;		      /* 1 to 65536 */
	uint32_t log_entity;	      /* 0, or log2 of each piece's bytes, at most 31 */
	uint64_t iova;
};

int dvx_mkey_create_of(struct dvx_dev *dev, const struct dvx_mkey_list_attr *attr,
		       struct dvx_mkey **out);
/* Destroys an mkey, and unpins its memory. Accesses through aliases of it fail from then on. */
int dvx_mkey_destroy(struct dvx_mkey *mkey);

uint32_t dvx_mkey_key(const struct dvx_mkey *mkey);  /* lkey and rkey */
uint64_t dvx_mkey_addr(const struct dvx_mkey *mkey); /* the first address in WQEs */
uint64_t dvx_mkey_len(const struct dvx_mkey *mkey);
/*
 * Returns log2 of the size of the pages by which the device translates it, as dvx_umem_log_page();
 * 0 for lists, aliases and on-demand keys. Large pages need fewer entries of the device's
 * translation cache.
 */
uint32_t dvx_mkey_log_page(const struct dvx_mkey *mkey);

/*
 * Returns the device's null mkey, a local key: at any address, reads give zeros and writes are
 * discarded. Use it for gaps in lists of pieces, and for parts of a message that are not needed.
 * -EOPNOTSUPP: the device has none. PRM: dump_fill_mkey.
 */
int dvx_dev_null_key(struct dvx_dev *dev, uint32_t *lkey);

/*
 * Writes a ticket, whose holder may use this mkey from another VHCA of the chip. The access key in
 * it is random; exporting again replaces it. -EOPNOTSUPP: the device has no aliases. PRM:
 * ALLOW_OTHER_VHCA_ACCESS.
 */
int dvx_mkey_export(struct dvx_mkey *mkey, struct dvx_ticket *out);

/*
 * Makes an alias of another VHCA's mkey: an mkey of this function, in this pd, for the ticket's
 * address range. Destroy it with dvx_mkey_destroy(); it can't be exported again. -EXDEV: the device
 * refused the ticket (another chip, wrong key or revoked: it does not report which); -EINVAL: the
 * ticket is of this same VHCA; -EOPNOTSUPP: the device has no aliases.
 */
int dvx_mkey_import(struct dvx_dev *dev, struct dvx_pd *pd, const struct dvx_ticket *ticket,
		    struct dvx_mkey **out);

DVX_END_DECLS

#endif
