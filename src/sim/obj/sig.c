/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Block signatures of mkeys: their description, their places among data, and their values. [I] CRCs
 * are complemented at their end and stored with their lowest byte first, T10-DIF with its highest
 * byte first; all blocks are counted from the mkey's start.
 */
#include <inttypes.h>
#include <string.h>
#include <dvx/prm/wqe.h>
#include "mkey.h"
#include "sig.h"
#include "base/crc.h"
#include "base/crc32.h"
#include "base/log.h"

#define BFS_KIND    0xf0u
#define BFS_CRC32   0x20u
#define BFS_CRC32C  0x40u
#define BFS_CRC64   0x50u
#define BFS_REPEAT  0x02u
#define BFS_SEED_0  0x01u
#define APP_SHIFT   32
#define GUARD_SHIFT 48
#define CRC32_SHIFT 32
#define APP_ESCAPE  0xffffu
#define REF_ESCAPE  0xffffffffu
#define ALL_OF_IT   0xffffffffu

/* --- the description ------------------------------------------------------------------------- */

static uint64_t mask_bits(uint32_t bytes)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < 8; i++)
		if (bytes & 1u << i)
			bits |= 0xffull << 8 * i;
	return bits;
}

static const char *side_read_crc(struct sig_side *s, uint32_t bfs)
{
	static const uint8_t kind[16] = {[BFS_CRC32 >> 4] = SIG_CRC32,
					 [BFS_CRC32C >> 4] = SIG_CRC32C,
					 [BFS_CRC64 >> 4] = SIG_CRC64};

	s->kind = kind[bfs >> 4];
	s->size = s->kind == SIG_CRC64 ? 8 : 4;
	s->ones = !(bfs & BFS_SEED_0);
	if (!s->kind || bfs & ~(BFS_KIND | BFS_REPEAT | BFS_SEED_0))
		return "bsf.w_bfs or m_bfs is of no known kind";
	return bfs & BFS_REPEAT ? NULL : "bsf.w_bfs or m_bfs is not repeated for each block";
}

static const char *side_read_dif(struct sig_side *s, const void *inl)
{
	uint32_t type = prm_bsf_inl_get_sig_type(inl);

	s->kind = type == PRM_SIG_TYPE_DIF_CRC ? SIG_DIF_CRC : SIG_DIF_CSUM;
	s->size = 8;
	s->ones = prm_bsf_inl_get_seed(inl);
	s->grows = prm_bsf_inl_get_inc_reftag(inl);
	s->app_escape = prm_bsf_inl_get_apptag_escape(inl);
	s->app_ref_escape = prm_bsf_inl_get_appref_escape(inl);
	s->app = (uint16_t)prm_bsf_inl_get_dif_apptag(inl);
	s->app_mask = (uint16_t)prm_bsf_inl_get_dif_app_bitmask_check(inl);
	s->ref = prm_bsf_inl_get_dif_reftag(inl);
	if (type != PRM_SIG_TYPE_DIF_CRC && type != PRM_SIG_TYPE_DIF_IPCS)
		return "bsf_inl.sig_type is neither 1 (CRC) nor 2 (IP checksum)";
	if (!prm_bsf_inl_get_refresh(inl) || !prm_bsf_inl_get_repeat_block(inl))
		return "bsf_inl.refresh or repeat_block is clear: only signatures of each block "
		       "are implemented";
	return NULL;
}

static const char *side_read(struct sig_side *s, uint32_t bfs, uint32_t psv, const void *inl,
			     uint32_t selector)
{
	const char *why = NULL;

	*s = (struct sig_side){.psv = psv};
	if (bfs)
		why = side_read_crc(s, bfs);
	else if (prm_bsf_inl_get_valid(inl))
		why = side_read_dif(s, inl);
	else
		return psv ? "bsf names a PSV for a side without signatures" : NULL;
	s->block = bsf_block_size(selector);
	if (!why && !s->block)
		why = "bsf's block size is none of 1 (512), 2 (520), 3 (4096), 4 (4160), 6 (4048)";
	return why;
}

static const char *sig_read_sides(struct sig *s, const uint8_t *bsf)
{
	const bool same = prm_bsf_get_sbs(bsf);
	const uint32_t m = prm_bsf_get_m_bs_selector(bsf);
	const char *why = side_read(&s->memory, prm_bsf_get_m_bfs(bsf), prm_bsf_get_m_psv(bsf),
				    prm_bsf_cat_m_inl(bsf), m);

	if (!why)
		why = side_read(&s->wire, prm_bsf_get_w_bfs(bsf), prm_bsf_get_w_psv(bsf),
				prm_bsf_cat_w_inl(bsf), same ? m : prm_bsf_get_w_bs_selector(bsf));
	if (!why && same && (!s->memory.size || s->memory.size != s->wire.size))
		why = "bsf.sbs is set, but signatures of both sides have not the same size";
	return why;
}

static const char *sig_read_alone(struct sig *s, const uint8_t *bsf, unsigned int size)
{
	const char *why;

	if (prm_bsf_get_bsf_size(bsf) != size)
		return "bsf.bsf_size is neither 2 (with inline parts) nor 3 (and encryption behind "
		       "it)";
	if (prm_bsf_get_w_tfs_psv(bsf) || prm_bsf_get_m_tfs_psv(bsf) ||
	    prm_bsf_get_t_init_gen_pro_size(bsf) || prm_bsf_get_rsvd_epi_size(bsf))
		return "bsf.ext is not 0: signatures of whole transactions are not implemented";
	why = sig_read_sides(s, bsf);
	if (why)
		return why;
	s->check = mask_bits(prm_bsf_get_check_byte_mask(bsf));
	s->copy = prm_bsf_get_sbs(bsf) ? mask_bits(prm_bsf_get_copy_byte_mask(bsf)) : 0;
	s->data = prm_bsf_get_raw_data_size(bsf);
	if (s->data == ALL_OF_IT)
		s->data = UINT64_MAX;
	return NULL;
}

static const char *sig_read_crypt(struct sig *s, const uint8_t *bsf, unsigned int size)
{
	const char *why = crypt_read(&s->crypt, bsf, size);

	if (!why)
		why = crypt_fits(&s->crypt, s->memory.block, s->wire.block);
	if (s->crypt.data < s->data)
		s->data = s->crypt.data;
	return why;
}

/* Reads a description, which replaces the former one as a whole. */
const char *sig_read(struct sig *s, const uint8_t *bsf, unsigned int octowords)
{
	const bool both = octowords == 2 * SIG_BSF;
	struct sig is = {.room = s->room,
			 .on = s->on,
			 .count = s->count,
			 .expected = s->expected,
			 .data = UINT64_MAX,
			 .crypt.on = s->crypt.on,
			 .described = true};
	const char *why = NULL;

	if (both)
		why = sig_read_alone(&is, bsf, PRM_BSF_SIZE_SIG_AND_CRYPTO);
	else if (!prm_crypto_bsf_get_bsf_type(bsf))
		why = sig_read_alone(&is, bsf, PRM_BSF_SIZE_WITH_INLINE);
	else
		why = sig_read_crypt(&is, bsf, PRM_BSF_SIZE_WITH_INLINE);
	if (!why && both)
		why = sig_read_crypt(&is, bsf + PRM_BSF_BYTES, PRM_BSF_SIZE_SIG_AND_CRYPTO);
	if (!why)
		*s = is;
	return why;
}

/* --- PSVs ------------------------------------------------------------------------------------- */

static uint64_t seed(const struct sig_side *s)
{
	const uint64_t ones = s->ones ? UINT64_MAX : 0;

	switch (s->kind) {
	case SIG_CRC64:
		return ones;
	case SIG_DIF_CRC:
	case SIG_DIF_CSUM:
		return ones << GUARD_SHIFT | (uint64_t)s->app << APP_SHIFT | s->ref;
	default:
		return ones << CRC32_SHIFT;
	}
}

static bool psv_ready(const struct mkey *m, uint32_t key, const struct sig_side *s)
{
	const struct psv *psv = obj_find(m->o.vhca, OBJ_PSV, s->psv);
	const char *why = NULL;

	if (!s->size)
		return true;
	if (!psv)
		why = "does not exist";
	else if (psv->pd->id != m->pdn)
		why = "is of another PD";
	else if (!psv->set)
		why = "was not set by a SET_PSV WQE";
	else if (psv->transient != seed(s))
		/* [I] which of them hardware would compare */
		why = "has not the seed and tags of the BSF";
	if (why)
		sim_refuse_to(m->o.uid, "mkey 0x%x: its PSV 0x%x %s", key, s->psv, why);
	return !why;
}

bool sig_ready(const struct mkey *m, uint32_t key)
{
	if (!m->sig->described) {
		sim_refuse_to(m->o.uid, "mkey 0x%x: mkc.bsf_en is set, but no UMR brought its BSF",
			      key);
		return false;
	}
	if (m->sig->crypt.on && !crypt_key(m))
		return false;
	return psv_ready(m, key, &m->sig->memory) && psv_ready(m, key, &m->sig->wire);
}

/* --- places ----------------------------------------------------------------------------------- */

struct sig_place sig_place(const struct sig_side *s, uint64_t pos)
{
	const uint32_t cycle = (uint32_t)s->block + s->size;
	uint32_t off;

	if (!s->size)
		return (struct sig_place){.data = pos};
	off = (uint32_t)(pos % cycle);
	if (off < s->block)
		return (struct sig_place){.block = pos / cycle,
					  .data = pos / cycle * s->block + off,
					  .left = (uint16_t)(s->block - off)};
	return (struct sig_place){.block = pos / cycle,
				  .data = (pos / cycle + 1) * s->block,
				  .in_sig = (uint16_t)(off - s->block),
				  .is_sig = true};
}

uint64_t sig_pos(const struct sig_side *s, uint64_t d)
{
	return s->size ? d + d / s->block * s->size : d;
}

/* --- values ----------------------------------------------------------------------------------- */

/* Computes the Internet checksum; a guard is its complement. */
static uint16_t dif_csum(uint32_t sum, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i + 1 < len; i += 2)
		sum += (uint32_t)p[i] << 8 | p[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static uint64_t dif_make(const struct sig_side *s, uint64_t block, const void *data)
{
	const uint16_t from = s->ones ? 0xffff : 0;
	const uint16_t guard = s->kind == SIG_DIF_CRC ? crc16_add(from, data, s->block)
						      : dif_csum(from, data, s->block);
	const uint32_t ref = s->ref + (s->grows ? (uint32_t)block : 0);

	return (uint64_t)guard << GUARD_SHIFT | (uint64_t)s->app << APP_SHIFT | ref;
}

uint64_t sig_make(const struct sig_side *s, uint64_t block, const void *data)
{
	const uint64_t from = s->ones ? UINT64_MAX : 0;

	switch (s->kind) {
	case SIG_CRC32:
		return (uint64_t)~crc32_add((uint32_t)from, data, s->block) << CRC32_SHIFT;
	case SIG_CRC32C:
		return (uint64_t)~crc32c_add((uint32_t)from, data, s->block) << CRC32_SHIFT;
	case SIG_CRC64:
		return ~crc64_add(from, data, s->block);
	default:
		return dif_make(s, block, data);
	}
}

static bool is_dif(const struct sig_side *s)
{
	return s->kind == SIG_DIF_CRC || s->kind == SIG_DIF_CSUM;
}

/* Returns the position in the number of byte i of a signature. */
static unsigned int byte_shift(const struct sig_side *s, unsigned int i)
{
	if (is_dif(s))
		return 8 * (7 - i);
	return 8 * i + (s->size == 4 ? CRC32_SHIFT : 0);
}

uint64_t sig_load(const struct sig_side *s, const uint8_t *bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < s->size; i++)
		value |= (uint64_t)bytes[i] << byte_shift(s, i);
	return value;
}

void sig_store(const struct sig_side *s, uint64_t value, uint8_t *bytes)
{
	for (unsigned int i = 0; i < s->size; i++)
		bytes[i] = (uint8_t)(value >> byte_shift(s, i));
}

/* Returns true for an escaped block. [I] Nothing of it is checked, as in T10. */
static bool dif_escapes(const struct sig_side *s, uint64_t found)
{
	if ((found >> APP_SHIFT & APP_ESCAPE) != APP_ESCAPE)
		return false;
	return s->app_escape || (s->app_ref_escape && (uint32_t)found == REF_ESCAPE);
}

enum sig_fault sig_compare(const struct sig *g, const struct sig_side *s, uint64_t found,
			   uint64_t made)
{
	uint64_t differ = (found ^ made) & g->check;

	if (!is_dif(s))
		return differ ? SIG_BAD_GUARD : SIG_GOOD;
	if (dif_escapes(s, found))
		return SIG_GOOD;
	if (differ >> GUARD_SHIFT)
		return SIG_BAD_GUARD;
	if (differ >> APP_SHIFT & s->app_mask)
		return SIG_BAD_APP;
	return (uint32_t)differ ? SIG_BAD_REF : SIG_GOOD;
}
