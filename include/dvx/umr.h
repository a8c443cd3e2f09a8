/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_UMR_H
#define DVX_UMR_H

/*
 * Mkeys that a work request makes and changes (PRM, "User-Mode Memory Registration"): a list of
 * pieces of other mkeys, which its key shows as one range from address 0 on. No system call, and no
 * command of the firmware: pieces in many places become one message, or one rkey for a peer.
 *
 *	dvx_mkey_create_list(dev, pd, 4, &list);
 *	...
 *	dvx_post_umr_list(sq, dvx_mkey_key(list), DVX_REMOTE_READ, pieces, 3, cookie, 0);
 *	dvx_post_write(sq, raddr, rkey, &whole, 1, cookie, DVX_SIGNALED | DVX_SMALL_FENCE);
 *
 * The request that uses the key waits for the one that makes it by DVX_SMALL_FENCE. Return as the
 * calls of post.h.
 */
#include <dvx/post.h>

DVX_BEGIN_DECLS

/* The segments of a UMR before its list. */
#define DVX_UMR_DS 8u

/* The rights of the mkey context, as a UMR has them: bits of mkey_seg.flags. */
DVX_INLINE uint32_t dvx_umr_rights(uint32_t access)
{
	return (access & DVX_LOCAL_WRITE ? 0x08u : 0) | (access & DVX_REMOTE_READ ? 0x10u : 0) |
	       (access & DVX_REMOTE_WRITE ? 0x20u : 0) | (access & DVX_REMOTE_ATOMIC ? 0x40u : 0);
}

/* Lists lie in the WQE in units of four entries. */
DVX_INLINE uint32_t dvx_umr_room(uint32_t pieces)
{
	return (pieces + 3) & ~3u;
}

/*
 * From now on the mkey is these pieces, n >= 1, with these rights (enum dvx_access, but for relaxed
 * ordering); it begins at address 0. The pieces' own mkeys need the rights, too.
 */
DVX_INLINE int dvx_post_umr_list(struct dvx_sq *sq, uint32_t key, uint32_t access,
				 const struct dvx_sge *pieces, uint32_t n, uint64_t wr_id,
				 uint32_t flags)
{
	uint32_t room = dvx_umr_room(n), ds = DVX_UMR_DS + room, i;
	struct prm_wqe_umr_ctrl_seg_args umr = PRM_NOTHING;
	uint64_t len = 0;
	struct dvx_sq_place p;
	uint8_t *mkey;

	if (DVX_UNLIKELY(flags & ~(uint32_t)DVX_POST_FLAGS))
		return -EBADR;
	if (DVX_UNLIKELY(!n || n > DVX_MAX_DS || dvx_wqe_odd(pieces, n) || !dvx_sq_fits(sq, ds)))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(!dvx_sq_claim(sq, dvx_wqe_blocks(ds), &p)))
		return dvx_sq_refuse(sq);
	for (i = 0; i < n; i++)
		len += pieces[i].length;
	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_UMR, 0, ds, flags, key);
	umr.flags = PRM_UMR_FLAG_INLINE;
	umr.xlt_octowords = room;
	umr.mkey_mask = PRM_UMR_MKEY_MASK_FREE | PRM_UMR_MKEY_MASK_A | PRM_UMR_MKEY_MASK_RW |
			PRM_UMR_MKEY_MASK_RR | PRM_UMR_MKEY_MASK_LW | PRM_UMR_MKEY_MASK_KEY |
			PRM_UMR_MKEY_MASK_LEN;
	memset(p.wqe + DVX_SEG, 0, (size_t)(ds - 1) * DVX_SEG);
	prm_wqe_umr_ctrl_seg_pack_args(p.wqe + DVX_SEG, umr);
	mkey = p.wqe + DVX_SEG + PRM_WQE_UMR_CTRL_SEG_BYTES;
	prm_mkey_seg_set_flags(mkey, dvx_umr_rights(access));
	prm_mkey_seg_set_qpn(mkey, 0xffffff);
	prm_mkey_seg_set_mkey_7_0(mkey, key & 0xff);
	prm_mkey_seg_set_len(mkey, len);
	dvx_wqe_gather(mkey + PRM_MKEY_SEG_BYTES, pieces, n);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/*
 * The list is invalid from now on; dvx_post_umr_list() makes it anew. As Linux does it for its fast
 * registrations: the key keeps its number (libmlx5's, for windows, sets the low byte to 0).
 */
DVX_INLINE int dvx_post_local_inval(struct dvx_sq *sq, uint32_t key, uint64_t wr_id, uint32_t flags)
{
	struct prm_wqe_umr_ctrl_seg_args umr = PRM_NOTHING;
	struct dvx_sq_place p;

	if (DVX_UNLIKELY(flags & ~(uint32_t)DVX_POST_FLAGS))
		return -EBADR;
	if (DVX_UNLIKELY(!dvx_sq_fits(sq, DVX_UMR_DS)))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(!dvx_sq_claim(sq, dvx_wqe_blocks(DVX_UMR_DS), &p)))
		return dvx_sq_refuse(sq);
	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_UMR, 0, DVX_UMR_DS, flags, key);
	umr.flags = PRM_UMR_FLAG_INLINE;
	umr.mkey_mask = PRM_UMR_MKEY_MASK_FREE;
	memset(p.wqe + DVX_SEG, 0, (size_t)(DVX_UMR_DS - 1) * DVX_SEG);
	prm_wqe_umr_ctrl_seg_pack_args(p.wqe + DVX_SEG, umr);
	prm_mkey_seg_set_free(p.wqe + DVX_SEG + PRM_WQE_UMR_CTRL_SEG_BYTES, 1);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

DVX_END_DECLS

#endif
