/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UMR: a WQE changes fields of an mkey's context and its list of parts of other mkeys. Binding a
 * memory window and a local invalidation are such WQEs, too. [I] the syndrome of each refusal. The
 * PD and the pages of memory, which are bus addresses that no program may name, are changed only by
 * the kernel's queue (REG_UMR).
 */
#include <stdlib.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/wqe.h>
#include "priv.h"
#include "obj/mkey.h"
#include "obj/sig.h"

#define UMR_CTRL 16u
#define UMR_MKC	 64u
#define UMR_LIST 128u /* entries, or a pointer to them */
#define DS	 16u

#define UMR_RIGHTS                                                            \
	(PRM_UMR_MKEY_MASK_LR | PRM_UMR_MKEY_MASK_LW | PRM_UMR_MKEY_MASK_RR | \
	 PRM_UMR_MKEY_MASK_RW | PRM_UMR_MKEY_MASK_A)
/* Fields that have no effect in this device. */
#define UMR_IGNORED                                                                 \
	(PRM_UMR_MKEY_MASK_SMALL_FENCE | PRM_UMR_MKEY_MASK_RELAXED_ORDERING_WRITE | \
	 PRM_UMR_MKEY_MASK_RELAXED_ORDERING_READ)
#define UMR_KNOWN                                                                             \
	(PRM_UMR_MKEY_MASK_LEN | PRM_UMR_MKEY_MASK_START_ADDR | PRM_UMR_MKEY_MASK_PAGE_SIZE | \
	 PRM_UMR_MKEY_MASK_EN_RINVAL | PRM_UMR_MKEY_MASK_KEY | PRM_UMR_MKEY_MASK_QPN |        \
	 PRM_UMR_MKEY_MASK_FREE | PRM_UMR_MKEY_MASK_BSF_EN | PRM_UMR_MKEY_MASK_EN_SIGERR |    \
	 UMR_RIGHTS | UMR_IGNORED)
/* Fields that describe the list, and change only with it. */
#define UMR_LAYOUT \
	(PRM_UMR_MKEY_MASK_LEN | PRM_UMR_MKEY_MASK_START_ADDR | PRM_UMR_MKEY_MASK_PAGE_SIZE)

/* Need a signature description. libmlx5 also names BSF_EN for other mkeys, to clear it. */
#define UMR_SIGNATURE PRM_UMR_MKEY_MASK_EN_SIGERR

static bool umr_is_kernels(const struct queue *q)
{
	return q->transport == &transport_reg_umr;
}

struct umr {
	const uint8_t *mkc;
	uint32_t flags;
	uint64_t mask;
	uint32_t entries; /* of the list; 0: the list stays */
	uint64_t first;
	uint32_t bsf; /* octowords */
};

static struct umr umr_of(const struct send_wr *wr)
{
	const uint8_t *ctrl = wr->wqe + UMR_CTRL;
	struct umr u = {
		.mkc = wr->wqe + UMR_MKC,
		.flags = prm_wqe_umr_ctrl_seg_get_flags(ctrl),
		.mask = prm_wqe_umr_ctrl_seg_get_mkey_mask(ctrl),
		.entries = prm_wqe_umr_ctrl_seg_get_xlt_octowords(ctrl),
	};

	if (u.flags & PRM_UMR_FLAG_TRANSLATION_OFFSET)
		u.first = (uint64_t)prm_wqe_umr_ctrl_seg_get_xlt_offset_47_16(ctrl) << 16 |
			  prm_wqe_umr_ctrl_seg_get_xlt_offset(ctrl);
	else
		u.bsf = prm_wqe_umr_ctrl_seg_get_bsf_octowords(ctrl);
	return u;
}

/* Bytes behind the context: the list or a pointer to it, then the signature description. */
static uint32_t umr_list_bytes(const struct umr *u)
{
	if (u->flags & PRM_UMR_FLAG_INLINE)
		return u->entries * KLM_BYTES;
	return u->entries ? DS : 0;
}

static bool umr_enables_bsf(const struct umr *u)
{
	return u->mask & PRM_UMR_MKEY_MASK_BSF_EN && prm_mkc_get_bsf_en(u->mkc);
}

static bool umr_frees(const struct umr *u)
{
	return u->mask & PRM_UMR_MKEY_MASK_FREE && prm_mkc_get_free(u->mkc);
}

void umr_parse(struct queue *q, struct send_wr *wr)
{
	const struct umr u = umr_of(wr);

	wqe_probe(q, wr, "wqe_umr_ctrl_seg", wr->wqe + UMR_CTRL);
	wqe_probe(q, wr, "mkc", wr->wqe + UMR_MKC);
	if (UMR_LIST + umr_list_bytes(&u) + u.bsf * DS > (uint32_t)wr->ds * DS)
		wqe_refuse(q, wr, VENDOR_DS,
			   "ds has no room for umr_ctrl.xlt_octowords and bsf_octowords");
	else if (u.bsf &&
		 ((u.bsf != SIG_BSF && u.bsf != 2 * SIG_BSF) || !(u.flags & PRM_UMR_FLAG_INLINE)))
		wqe_refuse(q, wr, VENDOR_UMR,
			   "umr_ctrl.bsf_octowords is none of 0, 4 and 8, or flags has not INLINE");
	else if (u.mask & ~(umr_is_kernels(q) ? UMR_KNOWN | PRM_UMR_MKEY_MASK_PD : UMR_KNOWN))
		wqe_refuse(q, wr, VENDOR_UMR,
			   "umr_ctrl.mkey_mask has a bit besides those that a UMR changes here: "
			   "length, start, key, free, QPN and access rights");
}

/* --- may it ---------------------------------------------------------------------------------- */

static int umr_refuse(const struct queue *q, struct send_wr *wr, const char *why)
{
	obj_refuse(&q->o, "UMR WQE %u: mkey 0x%x %s", wr->index,
		   prm_wqe_ctrl_seg_get_umr_mkey(wr->wqe), why);
	wr->vendor = VENDOR_UMR;
	return PRM_SYNDROME_MW_BIND_ERR;
}

/* Returns the mkey's room for a list, in octowords. */
static uint32_t umr_room(const struct queue *q, const struct mkey *m)
{
	if (m->list)
		return m->list->room;
	return umr_is_kernels(q) && m->entries ? m->nentries / MKEY_PAGES_PER_OCTWORD : 0;
}

static struct obj *umr_pd(const struct queue *q, const struct umr *u)
{
	return obj_find(q->o.vhca, OBJ_PD, prm_mkc_get_pd(u->mkc));
}

static int umr_check(struct queue *q, struct send_wr *wr, const struct umr *u, const struct mkey *m)
{
	uint32_t room;

	if (!m || m->o.alias)
		return umr_refuse(q, wr, "does not exist");
	if (m->pdn != q->pdn && !umr_is_kernels(q))
		return umr_refuse(q, wr, "is of another PD than the queue");
	if (u->mask & PRM_UMR_MKEY_MASK_PD && !umr_pd(q, u))
		return umr_refuse(q, wr, "gets a PD that does not exist (mkc.pd)");
	if (!(m->rights & MKEY_UMR))
		return umr_refuse(q, wr, "may not be changed by UMR (mkc.umr_en)");
	if (u->flags & PRM_UMR_FLAG_CHECK_FREE && !m->free)
		return umr_refuse(q, wr, "is not free, as umr_ctrl.flags wants it");
	if (u->flags & PRM_UMR_FLAG_CHECK_NOT_FREE && m->free)
		return umr_refuse(q, wr, "is free, which umr_ctrl.flags does not want");
	if (u->flags & PRM_UMR_FLAG_CHECK_QPN && m->qpn != q->o.id && m->qpn != MKEY_ANY_QP)
		return umr_refuse(q, wr, "is not of this queue, as umr_ctrl.flags wants it");
	/*
	 * [I] libmlx5 also binds a type 2 window to no bytes so: not allowed (IBTA, o10-37.2.40).
	 */
	if (u->flags & PRM_UMR_FLAG_CHECK_QPN && umr_frees(u) && m->free)
		return umr_refuse(q, wr, "is free already: there is nothing to invalidate");
	room = umr_room(q, m);
	if ((u->mask & UMR_LAYOUT || u->entries) && !room)
		return umr_refuse(q, wr, "has no list of mkeys: its range can't be changed");
	if ((u->mask & UMR_SIGNATURE || umr_enables_bsf(u)) && !m->sig)
		return umr_refuse(q, wr, "has no descriptions (bsf_octword_size is 0)");
	if (u->bsf > (m->sig ? m->sig->room : 0u))
		return umr_refuse(q, wr, "has no room for the descriptions (bsf_octword_size)");
	if (u->entries && (u->first > room || u->entries > room - u->first))
		return umr_refuse(q, wr, "has no room for the list (translations_octword_size)");
	return 0;
}

/* --- what it does ---------------------------------------------------------------------------- */

static void umr_take_rights(struct mkey *m, const struct umr *u)
{
	const struct {
		uint64_t mask;
		uint32_t value, right;
	} each[] = {
		{PRM_UMR_MKEY_MASK_LR, prm_mkc_get_lr(u->mkc), MKEY_LR},
		{PRM_UMR_MKEY_MASK_LW, prm_mkc_get_lw(u->mkc), MKEY_LW},
		{PRM_UMR_MKEY_MASK_RR, prm_mkc_get_rr(u->mkc), MKEY_RR},
		{PRM_UMR_MKEY_MASK_RW, prm_mkc_get_rw(u->mkc), MKEY_RW},
		{PRM_UMR_MKEY_MASK_A, prm_mkc_get_a(u->mkc), MKEY_ATOMIC},
	};

	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++)
		if (u->mask & each[i].mask)
			m->rights = (uint8_t)((m->rights & ~each[i].right) |
					      (each[i].value ? each[i].right : 0));
}

static void umr_take_fields(const struct queue *q, struct mkey *m, const struct umr *u)
{
	umr_take_rights(m, u);
	if (u->mask & PRM_UMR_MKEY_MASK_PD)
		mkey_move(m, umr_pd(q, u));
	if (u->mask & PRM_UMR_MKEY_MASK_LEN)
		m->len = prm_mkc_get_len(u->mkc);
	if (u->mask & PRM_UMR_MKEY_MASK_START_ADDR)
		m->start = prm_mkc_get_start_addr(u->mkc);
	if (u->mask & PRM_UMR_MKEY_MASK_PAGE_SIZE)
		m->log_entity = (uint8_t)prm_mkc_get_log_page_size(u->mkc);
	if (u->mask & PRM_UMR_MKEY_MASK_EN_RINVAL)
		m->en_rinval = prm_mkc_get_en_rinval(u->mkc);
	if (u->mask & PRM_UMR_MKEY_MASK_KEY)
		m->low = (uint8_t)prm_mkc_get_mkey_7_0(u->mkc);
	if (u->mask & PRM_UMR_MKEY_MASK_QPN)
		m->qpn = prm_mkc_get_qpn(u->mkc);
	if (u->mask & PRM_UMR_MKEY_MASK_BSF_EN && m->sig)
		m->sig->on = prm_mkc_get_bsf_en(u->mkc);
	if (u->mask & PRM_UMR_MKEY_MASK_EN_SIGERR)
		m->sig->expected = (uint8_t)prm_mkc_get_expected_sigerr_count(u->mkc);
	if (u->mask & PRM_UMR_MKEY_MASK_FREE)
		m->free = prm_mkc_get_free(u->mkc);
}

static int umr_take_entries(struct mkey *m, const struct umr *u, const uint8_t *at)
{
	bus_t *to;

	if (m->list)
		return klm_list_write(m->list, (uint32_t)u->first, at, u->entries);
	to = m->entries + u->first * MKEY_PAGES_PER_OCTWORD;
	for (uint32_t i = 0; i < u->entries * MKEY_PAGES_PER_OCTWORD; i++)
		to[i] = prm_load64(at, i * sizeof(*to)) & ~MKEY_PAGE_FLAGS;
	return 0;
}

/* Reads the list: in the WQE, or where the single data segment behind the context points. */
static int umr_take_list(struct queue *q, struct send_wr *wr, const struct umr *u, struct mkey *m)
{
	const uint8_t *at = wr->wqe + UMR_LIST;
	const size_t bytes = (size_t)u->entries * KLM_BYTES;
	uint8_t *list = NULL;
	uint8_t err = 0;

	if (!u->entries)
		return 0;
	if (!(u->flags & PRM_UMR_FLAG_INLINE)) {
		list = malloc(bytes);
		err = list ? segs_gather(q, at, at + DS, 0, bytes, list)
			   : PRM_SYNDROME_LOCAL_QP_OP_ERR;
	}
	if (!err && umr_take_entries(m, u, list ? list : at))
		err = (uint8_t)umr_refuse(q, wr,
					  "gets an interleaved list whose entries do not "
					  "make the bytes of its cycle");
	free(list);
	return err;
}

/* Reads the signature description into a copy: the list may still be refused. */
static int umr_read_bsf(struct queue *q, struct send_wr *wr, const struct umr *u, struct sig *to)
{
	const uint8_t *bsf = wr->wqe + UMR_LIST + umr_list_bytes(u);
	const char *why;

	if (!u->bsf)
		return 0;
	for (uint32_t at = 0; at < u->bsf * DS; at += PRM_BSF_BYTES)
		wqe_probe(q, wr, prm_crypto_bsf_get_bsf_type(bsf + at) ? "crypto_bsf" : "bsf",
			  bsf + at);
	why = sig_read(to, bsf, u->bsf);
	return why ? umr_refuse(q, wr, why) : 0;
}

int umr_step(struct queue *q, struct send_wr *wr)
{
	const struct umr u = umr_of(wr);
	struct mkey *m = obj_find(q->o.vhca, OBJ_MKEY, prm_wqe_ctrl_seg_get_umr_mkey(wr->wqe) >> 8);
	struct sig sig = {0};
	int err = umr_check(q, wr, &u, m);

	if (!err && m->sig)
		sig = *m->sig;
	if (!err)
		err = umr_read_bsf(q, wr, &u, &sig);
	if (!err)
		err = umr_take_list(q, wr, &u, m);
	if (!err && u.bsf)
		*m->sig = sig;
	if (!err)
		umr_take_fields(q, m, &u);
	if (!err && m->entries)
		mkey_place(m);
	else if (!err)
		mkey_changed(m);
	return err;
}
