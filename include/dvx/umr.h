/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_UMR_H
#define DVX_UMR_H

/*
 * Mkeys that work requests change (PRM, "User-Mode Memory Registration"): such an mkey is a list of
 * pieces of other mkeys, which appear as one range from address 0 on. So pieces in many places
 * become one message, or one rkey for a peer, without a system call or a firmware command.
 *
 *	dvx_mkey_create_list(dev, pd, 4, &list);
 *	...
 *	dvx_post_umr_list(sq, dvx_mkey_key(list), DVX_REMOTE_READ, pieces, 3, cookie, 0);
 *	dvx_post_write(sq, raddr, rkey, &whole, 1, cookie, DVX_SIGNALED | DVX_SMALL_FENCE);
 *
 * A request that uses the key has DVX_SMALL_FENCE, to wait for the request that made it. All calls
 * return the same errors as those of post.h.
 */
#include <dvx/post.h>

DVX_BEGIN_DECLS

/* The segments of a UMR before its list. */
#define DVX_UMR_DS 8u

/* Value in place of an mkey in the first entry of an interleaved list. */
#define DVX_UMR_STRIDES 0x400u

/* Converts enum dvx_access to the rights in a UMR: bits of mkey_seg.flags. */
DVX_INLINE uint32_t dvx_umr_rights(uint32_t access)
{
	return (access & DVX_LOCAL_WRITE ? 0x08u : 0) | (access & DVX_REMOTE_READ ? 0x10u : 0) |
	       (access & DVX_REMOTE_WRITE ? 0x20u : 0) | (access & DVX_REMOTE_ATOMIC ? 0x40u : 0);
}

/* Rounds up to a multiple of four: lists in WQEs come in units of four entries. */
DVX_INLINE uint32_t dvx_umr_room(uint32_t pieces)
{
	return (pieces + 3) & ~3u;
}

/* The fields of the mkey that a request with a list of pieces changes. */
#define DVX_UMR_LIST_MASK                                                      \
	(PRM_UMR_MKEY_MASK_FREE | PRM_UMR_MKEY_MASK_A | PRM_UMR_MKEY_MASK_RW | \
	 PRM_UMR_MKEY_MASK_RR | PRM_UMR_MKEY_MASK_LW | PRM_UMR_MKEY_MASK_KEY | \
	 PRM_UMR_MKEY_MASK_LEN)

/*
 * Writes the control segments of a UMR, which changes the mkey that is called `key` now. Returns
 * the next segment, the mkey's fields, which is zeroed.
 */
DVX_INLINE uint8_t *dvx_umr_begin(const struct dvx_sq *sq, const struct dvx_sq_place *p,
				  uint32_t key, uint32_t ds, uint32_t flags,
				  struct prm_wqe_umr_ctrl_seg_args what)
{
	dvx_sq_ctrl(sq, p, PRM_WQE_OPCODE_UMR, 0, ds, flags, key);
	__builtin_memset(p->wqe + DVX_SEG, 0, (size_t)(DVX_UMR_DS - 1) * DVX_SEG);
	what.flags |= PRM_UMR_FLAG_INLINE;
	prm_wqe_umr_ctrl_seg_pack_args(p->wqe + DVX_SEG, what);
	return p->wqe + DVX_SEG + PRM_WQE_UMR_CTRL_SEG_BYTES;
}

/* Sets the fields of a list: its rights, its length, and its key from now on. */
DVX_INLINE void dvx_umr_fields(uint8_t *mkey, uint32_t new_key, uint32_t access, uint64_t len)
{
	prm_mkey_seg_set_flags(mkey, dvx_umr_rights(access));
	prm_mkey_seg_set_qpn(mkey, 0xffffff);
	prm_mkey_seg_set_mkey_7_0(mkey, new_key & 0xff);
	prm_mkey_seg_set_len(mkey, len);
}

/* Zeroes the unused entries behind a list of n. */
DVX_INLINE void dvx_umr_fill(uint8_t *list, uint32_t n)
{
	for (; n & 3; n++) {
		__builtin_memset(list + (size_t)n * DVX_SEG, 0, DVX_SEG);
#ifndef DVX_GPU
		__asm__("" : "+r"(list)); /* keeps the compiler from calling memset() */
#endif
	}
}

/* Returns another key for the same mkey (the low byte differs): uses of the old key will fail. */
DVX_INLINE uint32_t dvx_key_next(uint32_t key)
{
	return (key & ~0xffu) | ((key + 1) & 0xff);
}

/*
 * Makes the mkey these pieces, n >= 1, from address 0 on, with these rights (enum dvx_access
 * without DVX_RELAXED_ORDERING). The pieces' own mkeys need the rights, too. The mkey's key changes
 * from `key` to new_key, which may differ in the low byte only: dvx_key_next().
 */
DVX_INLINE int dvx_post_umr_renew(struct dvx_sq *sq, uint32_t key, uint32_t new_key,
				  uint32_t access, const struct dvx_sge *pieces, uint32_t n,
				  uint64_t wr_id, uint32_t flags)
{
	uint32_t room = dvx_umr_room(n), ds = DVX_UMR_DS + room, i;
	struct prm_wqe_umr_ctrl_seg_args umr = PRM_NOTHING;
	uint64_t len = 0;
	struct dvx_sq_place p;
	uint8_t *mkey;
	int err;

	if (DVX_UNLIKELY(!n || n > DVX_MAX_DS || dvx_wqe_bad_length(pieces, n)))
		return -EMSGSIZE;
	err = dvx_post_claim(sq, ds, flags, &p);
	if (DVX_UNLIKELY(err))
		return err;
	for (i = 0; i < n; i++)
		len += pieces[i].length;
	umr.xlt_octowords = room;
	umr.mkey_mask = DVX_UMR_LIST_MASK;
	mkey = dvx_umr_begin(sq, &p, key, ds, flags, umr);
	dvx_umr_fields(mkey, new_key, access, len);
	dvx_wqe_gather(mkey + PRM_MKEY_SEG_BYTES, pieces, n);
	dvx_umr_fill(mkey + PRM_MKEY_SEG_BYTES, n);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/* Makes the mkey these pieces, without changing its key. */
DVX_INLINE int dvx_post_umr_list(struct dvx_sq *sq, uint32_t key, uint32_t access,
				 const struct dvx_sge *pieces, uint32_t n, uint64_t wr_id,
				 uint32_t flags)
{
	return dvx_post_umr_renew(sq, key, key, access, pieces, n, wr_id, flags);
}

/* One column of a table in memory: `length` bytes at addr, then at addr + stride and so on. */
struct dvx_stride {
	uint64_t addr;
	uint32_t lkey;
	uint16_t length;
	uint16_t stride;
};

/* Writes an interleaved list: its head and the columns. Returns the bytes of all rows. */
DVX_INLINE uint64_t dvx_wqe_strides(uint8_t *list, uint32_t rows, const struct dvx_stride *columns,
				    uint32_t n)
{
	struct prm_umr_repeat_block_seg_args head = PRM_NOTHING;
	uint32_t i;

	for (i = 0; i < n; i++) {
		struct prm_umr_repeat_entry_seg_args entry = PRM_NOTHING;

		entry.stride = columns[i].stride;
		entry.byte_count = columns[i].length;
		entry.mkey = columns[i].lkey;
		entry.address = columns[i].addr;
		prm_umr_repeat_entry_seg_pack_args(list + (size_t)(i + 1) * DVX_SEG, entry);
		head.byte_count += columns[i].length;
	}
	head.op = DVX_UMR_STRIDES;
	head.repeat_count = rows;
	head.num_entries = n;
	prm_umr_repeat_block_seg_pack_args(list, head);
	return (uint64_t)head.byte_count * rows;
}

/*
 * Makes the mkey the rows of a table, one after the other; each row consists of n >= 1 columns.
 * Takes n + 1 entries of the mkey's list.
 */
DVX_INLINE int dvx_post_umr_strides(struct dvx_sq *sq, uint32_t key, uint32_t access, uint32_t rows,
				    const struct dvx_stride *columns, uint32_t n, uint64_t wr_id,
				    uint32_t flags)
{
	uint32_t room = dvx_umr_room(n + 1), ds = DVX_UMR_DS + room, odd = !rows, i;
	struct prm_wqe_umr_ctrl_seg_args umr = PRM_NOTHING;
	struct dvx_sq_place p;
	uint8_t *mkey;
	uint64_t len;
	int err;

	for (i = 0; i < n && i < DVX_MAX_DS; i++)
		odd |= !columns[i].length;
	if (DVX_UNLIKELY(!n || n > DVX_MAX_DS || odd))
		return -EMSGSIZE;
	err = dvx_post_claim(sq, ds, flags, &p);
	if (DVX_UNLIKELY(err))
		return err;
	umr.xlt_octowords = room;
	umr.mkey_mask = DVX_UMR_LIST_MASK;
	mkey = dvx_umr_begin(sq, &p, key, ds, flags, umr);
	len = dvx_wqe_strides(mkey + PRM_MKEY_SEG_BYTES, rows, columns, n);
	dvx_umr_fields(mkey, key, access, len);
	dvx_umr_fill(mkey + PRM_MKEY_SEG_BYTES, n + 1);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/*
 * Invalidates the list: every access fails until the next dvx_post_umr_list(). The key does not
 * change, as in Linux's fast registrations (libmlx5's, for windows, sets the low byte to 0).
 */
DVX_INLINE int dvx_post_local_inval(struct dvx_sq *sq, uint32_t key, uint64_t wr_id, uint32_t flags)
{
	struct prm_wqe_umr_ctrl_seg_args umr = PRM_NOTHING;
	struct dvx_sq_place p;
	int err = dvx_post_claim(sq, DVX_UMR_DS, flags, &p);

	if (DVX_UNLIKELY(err))
		return err;
	umr.mkey_mask = PRM_UMR_MKEY_MASK_FREE;
	prm_mkey_seg_set_free(dvx_umr_begin(sq, &p, key, DVX_UMR_DS, flags, umr), 1);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/*
 * --- memory windows (of type 2, as verbs has them) ---
 *
 * Binding a window of dvx_mkey_create_window() makes it a range of an mkey, with rights of its own.
 * Only the peer of this queue can use it (a list can be used by any queue's peer). Its key changes
 * from `key` to new_key, which differs in the low byte: dvx_key_next(). `start` is the address of
 * the first byte for the peer: the piece's address, the default of verbs, or 0. A bound window must
 * be unbound before it is bound again, by dvx_post_unbind() or the peer's dvx_post_send_inval().
 */

/* The fields of the mkey that both requests change. */
#define DVX_WINDOW_MASK (PRM_UMR_MKEY_MASK_FREE | PRM_UMR_MKEY_MASK_KEY | PRM_UMR_MKEY_MASK_QPN)

DVX_INLINE int dvx_post_bind(struct dvx_sq *sq, uint32_t key, uint32_t new_key, uint32_t access,
			     const struct dvx_sge *piece, uint64_t start, uint64_t wr_id,
			     uint32_t flags)
{
	const uint32_t room = dvx_umr_room(1), ds = DVX_UMR_DS + room;
	struct prm_wqe_umr_ctrl_seg_args umr = PRM_NOTHING;
	struct dvx_sq_place p;
	uint8_t *mkey;
	int err;

	if (DVX_UNLIKELY(dvx_wqe_bad_length(piece, 1)))
		return -EMSGSIZE;
	err = dvx_post_claim(sq, ds, flags, &p);
	if (DVX_UNLIKELY(err))
		return err;
	umr.flags = PRM_UMR_FLAG_TRANSLATION_OFFSET | PRM_UMR_FLAG_CHECK_FREE;
	umr.xlt_octowords = room;
	umr.mkey_mask = DVX_WINDOW_MASK | DVX_UMR_LIST_MASK | PRM_UMR_MKEY_MASK_START_ADDR;
	mkey = dvx_umr_begin(sq, &p, key, ds, flags, umr);
	dvx_umr_fields(mkey, new_key, access, piece->length);
	prm_mkey_seg_set_qpn(mkey, sq->qpn);
	prm_mkey_seg_set_start_addr(mkey, start);
	dvx_wqe_data(mkey + PRM_MKEY_SEG_BYTES, piece);
	dvx_umr_fill(mkey + PRM_MKEY_SEG_BYTES, 1);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/* Unbinds a window: every access fails until it is bound again. Its key's low byte becomes 0. */
DVX_INLINE int dvx_post_unbind(struct dvx_sq *sq, uint32_t key, uint64_t wr_id, uint32_t flags)
{
	struct prm_wqe_umr_ctrl_seg_args umr = PRM_NOTHING;
	struct dvx_sq_place p;
	int err = dvx_post_claim(sq, DVX_UMR_DS, flags, &p);
	uint8_t *mkey;

	if (DVX_UNLIKELY(err))
		return err;
	umr.flags = PRM_UMR_FLAG_TRANSLATION_OFFSET | PRM_UMR_FLAG_CHECK_QPN;
	umr.mkey_mask = DVX_WINDOW_MASK;
	mkey = dvx_umr_begin(sq, &p, key, DVX_UMR_DS, flags, umr);
	prm_mkey_seg_set_free(mkey, 1);
	prm_mkey_seg_set_qpn(mkey, 0xffffff);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

DVX_END_DECLS

#endif
