/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/hostile.h"
#include "cmd.h"
#include "obj/device.h"
#include "obj/icm.h"
#include "obj/memic.h"
#include "obj/mkey.h"
#include "obj/sig.h"

#define OCTWORD		       16u
#define DEFAULT_MIN_LOG_ENTITY 12u
#define UMR_OCTWORDS	       4u /* that Linux's driver writes at a time */

static const char *const mode_name[] = {"PA",	  "MTT",   "KLM",	    "KSM",
					"SW_ICM", "MEMIC", "CROSSING_VHCA", "reserved"};

static unsigned int mode_of(const void *mkc)
{
	return prm_mkc_get_access_mode_4_2(mkc) << 2 | prm_mkc_get_access_mode_1_0(mkc);
}

static bool mkey_is_indirect(const void *mkc)
{
	return mode_of(mkc) == PRM_MKC_ACCESS_MODE_KLM || mode_of(mkc) == PRM_MKC_ACCESS_MODE_KSM;
}

static int check_mode(struct fw_cmd *c, const void *mkc)
{
	unsigned int mode = mode_of(mkc);

	if (mode == PRM_MKC_ACCESS_MODE_PA && c->uid)
		return fw_refuse(c, FW_SYN_ACCESS_MODE,
				 "mkc.access_mode 0 (PA) is the kernel's to use, uid is 0x%x",
				 c->uid);
	if (mode == PRM_MKC_ACCESS_MODE_PA || mode == PRM_MKC_ACCESS_MODE_MTT ||
	    mode == PRM_MKC_ACCESS_MODE_SW_ICM || mode == PRM_MKC_ACCESS_MODE_MEMIC ||
	    mkey_is_indirect(mkc))
		return 0;
	return fw_refuse(c, FW_SYN_ACCESS_MODE,
			 "mkc.access_mode %u (%s): mkeys here have 0 (PA), 1 (MTT), 2 (KLM), 3 "
			 "(KSM), 4 (SW_ICM) or 5 (MEMIC)",
			 mode, mode_name[mode < 7 ? mode : 7]);
}

static int fw_mkey_check_crypto(struct fw_cmd *c, const void *mkc)
{
	const uint32_t en = prm_mkc_get_crypto_en(mkc), room = prm_mkc_get_bsf_octword_size(mkc);

	if (en && !c->vhca->dev->profile->crypto)
		return fw_refuse(c, FW_SYN_CAP_CLEAR, "mkc.crypto_en is set, but cap.crypto is 0");
	if (en > 1)
		return fw_refuse(c, FW_SYN_UNSUPPORTED, "mkc.crypto_en %u: only 1 is known", en);
	if (en && !room)
		return fw_refuse(c, FW_SYN_SIZE, "mkc.crypto_en is set, but bsf_octword_size is 0");
	if (room && ((room != SIG_BSF && (!en || room != 2 * SIG_BSF)) || !mkey_is_indirect(mkc)))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "mkc.bsf_octword_size %u: only 4, and 8 with crypto_en, of an "
				 "mkey of mode KLM or KSM, are implemented",
				 room);
	return 0;
}

/* Refuses fields of features that the device lacks, rather than ignoring them. */
static int fw_mkey_check_features(struct fw_cmd *c, const void *mkc)
{
	const struct fw_absent features[] = {
		{prm_create_mkey_in_get_input_mkey_index(c->in), "input_mkey_index",
		 "cap.mkey_by_name is 0"},
		{prm_create_mkey_in_get_data_direct(c->in), "data_direct", "cap.data_direct is 0"},
		{prm_create_mkey_in_get_bsf_octword_actual_size(c->in), "bsf_octword_actual_size",
		 "UMR writes the signature's description"},
		FW_ABSENT(mkc, alter_pd_to_vhca_id, "mkc.pd names a PD here"),
		FW_ABSENT(mkc, crossed_side_mkey, "other functions' mkeys have aliases"),
		FW_ABSENT(mkc, crossing_target_vhca_id, "other functions' mkeys have aliases"),
		FW_ABSENT(mkc, ma_translation_mode, "cap.ats is 0"),
		FW_ABSENT(mkc, sync_umr, "synchronous UMR is not implemented"),
	};

	if (FW_CHECK_ABSENT(c, features))
		return -1;
	if (prm_mkc_get_length64(mkc) && mode_of(mkc) != PRM_MKC_ACCESS_MODE_PA)
		return fw_refuse(c, FW_SYN_RESERVED,
				 "mkc.length64 is set: it needs access mode PA");
	if (prm_mkc_get_bsf_en(mkc) && !prm_mkc_get_bsf_octword_size(mkc))
		return fw_refuse(c, FW_SYN_SIZE, "mkc.bsf_en is set, but bsf_octword_size is 0");
	return fw_mkey_check_crypto(c, mkc);
}

static int fw_mkey_check_range(struct fw_cmd *c, const void *mkc)
{
	uint64_t start = prm_mkc_get_start_addr(mkc), len = prm_mkc_get_len(mkc);
	unsigned int min = c->vhca->dev->profile->min_mkey_log_entity_size;
	unsigned int log_entity = prm_mkc_get_log_page_size(mkc);

	if (!min)
		min = DEFAULT_MIN_LOG_ENTITY;
	if (mode_of(mkc) == PRM_MKC_ACCESS_MODE_MTT && log_entity < min)
		return fw_refuse(c, FW_SYN_PAGE_SIZE, "mkc.log_page_size %u is less than %u",
				 log_entity, min);
	if (start + len < start)
		return fw_refuse(c, FW_SYN_RANGE,
				 "mkc.start_addr 0x%" PRIx64 " and len 0x%" PRIx64 " wrap around",
				 start, len);
	return 0;
}

/* Takes the umem. [I] translations_octword_size is ignored: callers pass 1 for any length. */
static int take_umem(struct fw_cmd *c, const void *mkc, struct mkey *m)
{
	uint32_t id = prm_create_mkey_in_get_mkey_umem_id(c->in);
	uint64_t offset = prm_create_mkey_in_get_mkey_umem_offset(c->in);
	struct umem *u = fw_find(c, OBJ_UMEM, id, "mkey_umem_id");
	uint64_t len = prm_mkc_get_len(mkc);

	if (!u || fw_nothing_after(c, PRM_CREATE_MKEY_IN_BYTES))
		return -1;
	if (offset > u->len || len > u->len - offset)
		return fw_refuse(c, FW_SYN_UMEM_BOUNDS,
				 "mkc.len 0x%" PRIx64 " at mkey_umem_offset 0x%" PRIx64
				 " ends past umem 0x%x of 0x%" PRIx64 " bytes",
				 len, offset, id, u->len);
	if (m->log_entity > u->log_page)
		return fw_refuse(c, FW_SYN_PAGE_SIZE,
				 "mkc.log_page_size %u: the pages of umem 0x%x have 2^%u bytes",
				 m->log_entity, id, u->log_page);
	m->umem = u;
	m->umem_offset = offset;
	obj_get(&u->o);
	return 0;
}

/* Returns true for an mkey that mlx5_ib creates without pages and fills by UMR. */
static bool fw_mkey_is_filled_later(const struct fw_cmd *c, const void *mkc)
{
	return !c->uid && prm_mkc_get_umr_en(mkc) &&
	       !prm_create_mkey_in_get_translations_octword_actual_size(c->in);
}

/*
 * Sets *entries. klm_pas_mtt[] holds translations_octword_actual_size octwords of two page
 * addresses each.
 */
static int list_length(struct fw_cmd *c, const void *mkc, uint64_t *entries)
{
	uint64_t mask = (1ull << prm_mkc_get_log_page_size(mkc)) - 1;
	uint64_t octwords = prm_create_mkey_in_get_translations_octword_actual_size(c->in);
	uint64_t bytes = (prm_mkc_get_start_addr(mkc) & mask) + prm_mkc_get_len(mkc);

	if (bytes < prm_mkc_get_len(mkc) || bytes + mask < bytes)
		return fw_refuse(c, FW_SYN_RANGE, "mkc.len 0x%" PRIx64 " is too long",
				 prm_mkc_get_len(mkc));
	*entries = (bytes + mask) >> prm_mkc_get_log_page_size(mkc);
	if (fw_mkey_is_filled_later(c, mkc))
		*entries = 0;
	if (octwords * MKEY_PAGES_PER_OCTWORD < *entries)
		return fw_refuse(c, FW_SYN_SIZE,
				 "translations_octword_actual_size %" PRIu64 " holds %" PRIu64
				 " pages, mkc.len needs %" PRIu64,
				 octwords, octwords * MKEY_PAGES_PER_OCTWORD, *entries);
	if (prm_mkc_get_translations_octword_size(mkc) < octwords)
		return fw_refuse(c, FW_SYN_SIZE,
				 "mkc.translations_octword_size %u is less than the %" PRIu64
				 " octwords given",
				 prm_mkc_get_translations_octword_size(mkc), octwords);
	return fw_list_fits(c, PRM_CREATE_MKEY_IN_BYTES, octwords * (OCTWORD / 8), "klm_pas_mtt");
}

/*
 * Returns the number of entries to reserve. [I] It may exceed what the command asks for: mlx5_ib's
 * UMR rounds up.
 */
static uint64_t fw_mkey_room(const struct fw_cmd *c, const void *mkc, uint64_t n)
{
	const uint64_t octwords = prm_mkc_get_translations_octword_size(mkc);
	const uint64_t room = (octwords + UMR_OCTWORDS - 1) & ~(uint64_t)(UMR_OCTWORDS - 1);

	return fw_mkey_is_filled_later(c, mkc) ? room * MKEY_PAGES_PER_OCTWORD : n;
}

static int fw_mkey_take_list(struct fw_cmd *c, const void *mkc, struct mkey *m)
{
	const uint8_t *pas = (const uint8_t *)c->in + PRM_CREATE_MKEY_IN_BYTES;
	uint64_t mask = (1ull << m->log_entity) - 1, n = 0, room, present = 0;

	if (list_length(c, mkc, &n))
		return -1;
	room = fw_mkey_room(c, mkc, n);
	m->entries = room <= UINT32_MAX ? calloc((size_t)room + 1, sizeof(*m->entries)) : NULL;
	if (!m->entries)
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for %" PRIu64 " page addresses",
				 room);
	m->nentries = (uint32_t)room;
	for (size_t i = 0; i < n; i++) {
		uint64_t entry = prm_load64(pas, i * 8);

		if (entry & mask & ~MKEY_PAGE_FLAGS)
			return fw_refuse(c, FW_SYN_PAGE_ADDRESS,
					 "klm_pas_mtt[%zu] 0x%" PRIx64
					 " is not aligned to its page of 2^%u bytes",
					 i, entry, m->log_entity);
		m->entries[i] = entry & ~mask;
		present |= entry & MKEY_PAGE_FLAGS;
	}
	m->on_demand = prm_create_mkey_in_get_pg_access(c->in) && n && !present;
	return 0;
}

/* Takes the list of an indirect mkey, which may also come later, by UMR. */
static int take_klms(struct fw_cmd *c, const void *mkc, struct mkey *m)
{
	const uint8_t *klms = (const uint8_t *)c->in + PRM_CREATE_MKEY_IN_BYTES;
	uint32_t n = prm_create_mkey_in_get_translations_octword_actual_size(c->in);
	uint32_t room = prm_mkc_get_translations_octword_size(mkc);

	if (prm_create_mkey_in_get_mkey_umem_valid(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "mkey_umem_valid is set: a list of mkeys can't lie in a umem");
	if (n > room || room > 1u << KLM_LOG_MOST)
		return fw_refuse(c, FW_SYN_SIZE,
				 "mkc.translations_octword_size %u is less than the %u octwords "
				 "given, or more than cap.log_max_klm_list_size allows",
				 room, n);
	if (fw_list_fits(c, PRM_CREATE_MKEY_IN_BYTES, (uint64_t)n * (OCTWORD / 8), "klm_pas_mtt"))
		return -1;
	m->list = klm_list_new(room);
	if (!m->list)
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for a list of %u entries", room);
	if (n && klm_list_write(m->list, 0, klms, n))
		return fw_refuse(c, FW_SYN_SIZE,
				 "klm_pas_mtt[]: the entries of the interleaved list do not make "
				 "the bytes of its cycle");
	return 0;
}

/*
 * Takes a range of ICM. start_addr is its beginning in the device's memory; users of the key count
 * from 0, as libmlx5 does. [I] A umem is ignored.
 */
static int take_icm(struct fw_cmd *c, struct mkey *m)
{
	struct sw_icm *s = icm_find(c->vhca, m->start, m->len);

	if (!s || (c->uid && s->o.uid != c->uid))
		return fw_refuse(c, FW_SYN_RANGE,
				 "mkc.start_addr 0x%" PRIx64 " and len 0x%" PRIx64
				 " are not within one object of steering memory",
				 m->start, m->len);
	m->icm = s;
	m->icm_addr = m->start;
	m->start = 0;
	obj_get(&s->o);
	return 0;
}

static uint8_t rights_of(const void *mkc)
{
	return (uint8_t)((prm_mkc_get_lr(mkc) ? MKEY_LR : 0) | (prm_mkc_get_lw(mkc) ? MKEY_LW : 0) |
			 (prm_mkc_get_rr(mkc) ? MKEY_RR : 0) | (prm_mkc_get_rw(mkc) ? MKEY_RW : 0) |
			 (prm_mkc_get_a(mkc) ? MKEY_ATOMIC : 0) |
			 (prm_mkc_get_umr_en(mkc) ? MKEY_UMR : 0));
}

static void fw_mkey_fill(struct mkey *m, const void *mkc, struct obj *pd)
{
	m->low = (uint8_t)prm_mkc_get_mkey_7_0(mkc);
	m->mode = (uint8_t)mode_of(mkc);
	m->rights = rights_of(mkc);
	m->free = prm_mkc_get_free(mkc);
	m->start = prm_mkc_get_start_addr(mkc);
	m->len = prm_mkc_get_len(mkc);
	m->log_entity = (uint8_t)prm_mkc_get_log_page_size(mkc);
	m->en_rinval = prm_mkc_get_en_rinval(mkc);
	m->relaxed = hostile() && prm_mkc_get_relaxed_ordering_write(mkc);
	m->qpn = prm_mkc_get_qpn(mkc);
	m->pdn = pd->id;
	m->pd = pd;
	obj_get(pd);
	memcpy(m->mkc, mkc, sizeof(m->mkc));
}

/* Finds the mkey by its index, as the kernel's own UMR names it. */
int fw_mkey_umr(struct vhca *v, uint32_t index, uint32_t pdn, const void *mkc)
{
	struct mkey *m = obj_find(v, OBJ_MKEY, index);
	struct obj *pd = obj_find(v, OBJ_PD, pdn);

	if (!m || !pd)
		return -ENOENT;
	m->rights = rights_of(mkc);
	mkey_move(m, pd);
	return 0;
}

void fw_mkey_prefetch(struct vhca *v, uint32_t index, uint64_t va, uint64_t len)
{
	struct mkey *m = obj_find(v, OBJ_MKEY, index);

	if (m && m->on_demand)
		mkey_fault_in(m, va, len);
}

/*
 * Takes a range of MEMIC, like take_icm(). [I] Only the kernel may create such mkeys, because
 * firmware does not know the owner of a page.
 */
static int take_memic(struct fw_cmd *c, struct mkey *m)
{
	if (c->uid)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "mkc.access_mode 5 (MEMIC) is the kernel's to use, uid is 0x%x",
				 c->uid);
	if (!memic_holds(c->vhca, m->start, m->len ? m->len : 1))
		return fw_refuse(c, FW_SYN_RANGE,
				 "mkc.start_addr 0x%" PRIx64 " and len 0x%" PRIx64
				 " are not within allocated device memory",
				 m->start, m->len);
	m->memic = true;
	m->icm_addr = m->start;
	m->start = 0;
	return 0;
}

/*
 * Makes an mkey of bus addresses. [I] With length64 it covers all of them: start_addr and len are
 * ignored.
 */
static int take_physical(struct fw_cmd *c, const void *mkc, struct mkey *m)
{
	if (prm_create_mkey_in_get_mkey_umem_valid(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "mkey_umem_valid is set: an mkey of mode PA has no umem");
	if (fw_nothing_after(c, PRM_CREATE_MKEY_IN_BYTES))
		return -1;
	if (prm_mkc_get_length64(mkc)) {
		m->start = 0;
		m->len = UINT64_MAX;
	}
	m->physical = true;
	return 0;
}

static int take_translation(struct fw_cmd *c, const void *mkc, struct mkey *m)
{
	if (m->mode == PRM_MKC_ACCESS_MODE_PA)
		return take_physical(c, mkc, m);
	if (m->mode == PRM_MKC_ACCESS_MODE_SW_ICM)
		return take_icm(c, m);
	if (m->mode == PRM_MKC_ACCESS_MODE_MEMIC)
		return take_memic(c, m);
	if (mkey_is_indirect(mkc))
		return take_klms(c, mkc, m);
	return prm_create_mkey_in_get_mkey_umem_valid(c->in) ? take_umem(c, mkc, m)
							     : fw_mkey_take_list(c, mkc, m);
}

static int take_bsf(struct fw_cmd *c, const void *mkc, struct mkey *m)
{
	if (!prm_mkc_get_bsf_octword_size(mkc))
		return 0;
	m->sig = calloc(1, sizeof(*m->sig));
	if (!m->sig)
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for a signature description");
	m->sig->room = (uint8_t)prm_mkc_get_bsf_octword_size(mkc);
	m->sig->crypt.on = prm_mkc_get_crypto_en(mkc);
	m->sig->on = prm_mkc_get_bsf_en(mkc);
	m->sig->expected = (uint8_t)prm_mkc_get_expected_sigerr_count(mkc);
	return 0;
}

int fw_create_mkey(struct fw_cmd *c)
{
	const void *mkc = prm_create_mkey_in_cat_memory_key_mkey_entry(c->in);
	struct obj *pd;
	struct mkey *m;

	if (check_mode(c, mkc) || fw_mkey_check_features(c, mkc) || fw_mkey_check_range(c, mkc))
		return -1;
	pd = fw_find(c, OBJ_PD, prm_mkc_get_pd(mkc), "mkc.pd");
	if (!pd)
		return -1;
	m = fw_new(c, OBJ_MKEY, sizeof(*m));
	if (!m)
		return -1;
	fw_mkey_fill(m, mkc, pd);
	if (fw_made(c, &m->o, take_translation(c, mkc, m) || take_bsf(c, mkc, m)))
		return -1;
	mkey_place(m);
	return 0;
}

void fw_mkey_free(struct obj *o)
{
	struct mkey *m = (struct mkey *)o;

	obj_put(m->umem);
	obj_put(m->icm);
	obj_put(m->pd);
	mkey_present_free(m);
	free(m->entries);
	klm_list_free(m->list);
	free(m->sig);
	obj_free(o);
}

/* Writes the fields that an UMR may have changed. */
static void show_mkc(void *mkc, const struct mkey *m)
{
	prm_mkc_set_free(mkc, m->free);
	prm_mkc_set_pd(mkc, m->pdn);
	prm_mkc_set_lr(mkc, !!(m->rights & MKEY_LR));
	prm_mkc_set_lw(mkc, !!(m->rights & MKEY_LW));
	prm_mkc_set_rr(mkc, !!(m->rights & MKEY_RR));
	prm_mkc_set_rw(mkc, !!(m->rights & MKEY_RW));
	prm_mkc_set_a(mkc, !!(m->rights & MKEY_ATOMIC));
	prm_mkc_set_qpn(mkc, m->qpn);
	prm_mkc_set_mkey_7_0(mkc, m->low);
	prm_mkc_set_en_rinval(mkc, m->en_rinval);
	if (m->sig) {
		prm_mkc_set_bsf_en(mkc, m->sig->on);
		prm_mkc_set_expected_sigerr_count(mkc, m->sig->expected);
	}
	if (m->list || m->entries) {
		prm_mkc_set_start_addr(mkc, m->start);
		prm_mkc_set_len(mkc, m->len);
		prm_mkc_set_log_page_size(mkc, m->log_entity);
	}
}

int fw_query_mkey(struct fw_cmd *c)
{
	const struct mkey *m = c->obj;
	void *mkc = prm_query_mkey_out_at_memory_key_mkey_entry(c->out);

	memcpy(mkc, m->mkc, sizeof(m->mkc));
	show_mkc(mkc, m);
	return 0;
}
