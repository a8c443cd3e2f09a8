/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses through an mkey with block signatures or encryption (crypt.c). A range is in bytes of
 * the wire: what a queue sends or receives. Data moves block by block, and a signature is made or
 * checked when its block is whole. Anything else that it needs is read from memory again, so
 * sending a packet twice needs no state.
 */
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/wqe.h>
#include "priv.h"
#include "base/log.h"
#include "obj/mkey.h"
#include "sig_access.h"

/* --- memory ------------------------------------------------------------------------------------
 */

/* Accesses memory from pos on. Returns false if access is refused or the memory is unmapped. */
static bool sig_memory(struct sig_access *a, uint64_t pos, size_t len, uint8_t *bytes, bool write)
{
	struct host *h = host_of(&a->q->o);
	struct dma_seg seg[MKEY_SEGS];
	uint64_t part;
	int n;

	for (; len; len -= part, pos += part, bytes += part) {
		part = len;
		n = mkey_memory(a->q->o.vhca, a->key, a->pdn, a->q->o.id, a->start + pos, &part,
				write ? a->right : 0, seg, MKEY_SEGS);
		if (n < 0)
			return false;
		if (write ? dma_scatter(h, seg, (unsigned int)n, bytes)
			  : dma_gather(h, seg, (unsigned int)n, bytes)) {
			queue_unmapped(a->q, "memory behind a signed key");
			return false;
		}
	}
	return true;
}

/* Like sig_memory(), as the signatures see the bytes. */
static bool sig_move(struct sig_access *a, uint64_t pos, size_t len, uint8_t *bytes, bool write)
{
	return crypt_move(a, CRYPT_MEMORY, sig_memory, pos, len, bytes, write);
}

/* Accesses data bytes from d on: whole or partial blocks in memory. */
static bool sig_data(struct sig_access *a, uint64_t d, size_t len, uint8_t *bytes, bool write)
{
	const struct sig_side *s = &a->sig->memory;
	size_t n;

	for (; len; len -= n, d += n, bytes += n) {
		n = s->size ? (size_t)(s->block - d % s->block) : len;
		n = n < len ? n : len;
		if (!sig_move(a, sig_pos(s, d), n, bytes, write))
			return false;
	}
	return true;
}

static bool sig_move_data(struct sig_access *a, uint64_t d, size_t len, uint8_t *bytes, bool write)
{
	return crypt_move(a, CRYPT_MEMORY_RAW, sig_data, d, len, bytes, write);
}

static uint64_t sig_where(const struct sig_side *s, uint64_t block)
{
	return block * ((uint64_t)s->block + s->size) + s->block;
}

static bool sig_made(struct sig_access *a, const struct sig_side *s, uint64_t block,
		     uint64_t *value)
{
	uint8_t data[SIG_BLOCK_MOST];

	if (!sig_move_data(a, block * s->block, s->block, data, false))
		return false;
	*value = sig_make(s, block, data);
	return true;
}

static bool sig_found(struct sig_access *a, uint64_t block, uint64_t *value)
{
	const struct sig_side *s = &a->sig->memory;
	uint8_t bytes[SIG_BYTES_MOST];

	if (!sig_move(a, sig_where(s, block), s->size, bytes, false))
		return false;
	*value = sig_load(s, bytes);
	return true;
}

/* --- errors ------------------------------------------------------------------------------------
 */

/* Returns the CQ of the queue, or NULL: a target of XRC has none when its SRQ is gone. */
static struct cq *sig_cq(const struct sig_access *a)
{
	const struct queue *q = a->q;

	return a->requester || !q->rq ? q->sq->cq : q->rq->cq;
}

/*
 * Reports a signature error; the transfer goes on. An mkey reports one until a UMR expects the next
 * (mkc.expected_sigerr_count). [I] The send CQ gets it if the queue asked for the access, else its
 * receive CQ; expected is the data's signature, actual is computed (mlx5dv_mkey_check(3)).
 */
static void sig_report(struct sig_access *a, enum sig_fault fault, bool wire, uint64_t block,
		       uint64_t found, uint64_t made)
{
	const struct sig_side *s = wire ? &a->sig->wire : &a->sig->memory;
	struct queue *q = a->q;
	struct cq *cq = sig_cq(a);
	uint8_t *cqe;

	sim_note("mkey 0x%x: block %llu has a wrong signature on its %s side", a->key,
		 (unsigned long long)block, wire ? "wire" : "memory");
	if (a->sig->count == a->sig->expected)
		return;
	a->sig->count ^= 1;
	cqe = cq ? cq_next(cq) : NULL;
	if (!cqe)
		return;
	prm_sig_err_cqe_set_expected_trans_sig(cqe, (uint32_t)(found >> 32));
	prm_sig_err_cqe_set_expected_reftag(cqe, (uint32_t)found);
	prm_sig_err_cqe_set_actual_trans_sig(cqe, (uint32_t)(made >> 32));
	prm_sig_err_cqe_set_actual_reftag(cqe, (uint32_t)made);
	prm_sig_err_cqe_set_sig_guard(cqe, fault == SIG_BAD_GUARD);
	prm_sig_err_cqe_set_sig_apptag(cqe, fault == SIG_BAD_APP);
	prm_sig_err_cqe_set_sig_reftag(cqe, fault == SIG_BAD_REF);
	prm_sig_err_cqe_set_domain(cqe, wire ? PRM_SIG_DOMAIN_WIRE : PRM_SIG_DOMAIN_MEMORY);
	prm_sig_err_cqe_set_mkey(cqe, a->key);
	prm_sig_err_cqe_set_err_offset(cqe, block * ((uint64_t)s->block + s->size));
	prm_sig_err_cqe_set_qpn(cqe, q->o.id);
	prm_sig_err_cqe_set_opcode(cqe, PRM_CQE_OPCODE_SIG_ERR);
	cq_filled(cq, false);
	if (a->requester && q->drain_sigerr)
		queue_stop_sends(q);
}

static void sig_check(struct sig_access *a, bool wire, uint64_t block, uint64_t found,
		      uint64_t made)
{
	const struct sig_side *s = wire ? &a->sig->wire : &a->sig->memory;
	const enum sig_fault fault = sig_compare(a->sig, s, found, made);

	if (fault)
		sig_report(a, fault, wire, block, found, made);
}

/* --- from memory to the wire -------------------------------------------------------------------
 */

/* Checks the block of memory that ends at d once all of it was read. [I] Whole blocks only. */
static bool sig_left_memory(struct sig_access *a, uint64_t d)
{
	const struct sig_side *s = &a->sig->memory;
	uint64_t block, found, made;

	if (!s->size || d % s->block || !a->sig->check)
		return true;
	block = d / s->block - 1;
	if (!sig_found(a, block, &found) || !sig_made(a, s, block, &made))
		return false;
	sig_check(a, false, block, found, made);
	return true;
}

/* Returns the wire's signature: bytes copied from memory, and bytes computed from the data. */
static bool sig_for_wire(struct sig_access *a, uint64_t block, uint8_t *bytes)
{
	uint64_t value, found = 0;

	if (!sig_made(a, &a->sig->wire, block, &value) ||
	    (a->sig->copy && !sig_found(a, block, &found)))
		return false;
	sig_store(&a->sig->wire, (value & ~a->sig->copy) | (found & a->sig->copy), bytes);
	return true;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Returns how many data bytes can go together: up to the end of a block of either side. */
static size_t sig_straight(const struct sig_access *a, const struct sig_place *at, size_t len)
{
	const struct sig_side *s = &a->sig->memory;

	if (at->left)
		len = least(len, at->left);
	return s->size ? least(len, (size_t)(s->block - at->data % s->block)) : len;
}

static bool sig_gather_part(struct sig_access *a, uint64_t pos, size_t len, uint8_t *to, size_t *n)
{
	const struct sig_place at = sig_place(&a->sig->wire, pos);
	uint8_t bytes[SIG_BYTES_MOST];

	if (!at.is_sig) {
		*n = sig_straight(a, &at, len);
		return crypt_move(a, CRYPT_WIRE_RAW, sig_move_data, at.data, *n, to, false) &&
		       sig_left_memory(a, at.data + *n);
	}
	*n = least(len, (size_t)(a->sig->wire.size - at.in_sig));
	if (!sig_for_wire(a, at.block, bytes))
		return false;
	memcpy(to, bytes + at.in_sig, *n);
	return true;
}

/* --- from the wire to memory -------------------------------------------------------------------
 */

/* Stores a block's signature: computed from the data, or copied from the wire. */
static bool sig_to_memory(struct sig_access *a, uint64_t block, uint64_t copied)
{
	const struct sig_side *s = &a->sig->memory;
	uint8_t bytes[SIG_BYTES_MOST];
	uint64_t value;

	if (!sig_made(a, s, block, &value))
		return false;
	sig_store(s, (value & ~a->sig->copy) | (copied & a->sig->copy), bytes);
	return sig_move(a, sig_where(s, block), s->size, bytes, true);
}

static bool sig_received(struct sig_access *a, uint64_t block)
{
	const uint64_t found = sig_load(&a->sig->wire, a->sig->tail);
	uint64_t made;

	if (!sig_made(a, &a->sig->wire, block, &made))
		return false;
	sig_check(a, true, block, found, made);
	return !a->sig->copy || sig_to_memory(a, block, found);
}

/* Stores data of one block of memory, or of a part of it. */
static bool sig_store_data(struct sig_access *a, uint64_t d, size_t len, uint8_t *bytes, bool write)
{
	const struct sig_side *s = &a->sig->memory;

	if (!sig_move_data(a, d, len, bytes, write))
		return false;
	if (!s->size || a->sig->copy || (d + len) % s->block)
		return true;
	return sig_to_memory(a, (d + len) / s->block - 1, 0);
}

static bool sig_scatter_part(struct sig_access *a, uint64_t pos, size_t len, uint8_t *from,
			     size_t *n)
{
	const struct sig_place at = sig_place(&a->sig->wire, pos);

	if (!at.is_sig) {
		*n = sig_straight(a, &at, len);
		return crypt_move(a, CRYPT_WIRE_RAW, sig_store_data, at.data, *n, from, true);
	}
	*n = least(len, (size_t)(a->sig->wire.size - at.in_sig));
	memcpy(a->sig->tail + at.in_sig, from, *n);
	return at.in_sig + *n < a->sig->wire.size || sig_received(a, at.block);
}

/* --- both ---------------------------------------------------------------------------------------
 */

/* Accesses the bytes on the wire: data and the signatures between them. */
static bool sig_wire(struct sig_access *a, uint64_t pos, size_t len, uint8_t *bytes, bool write)
{
	bool ok = true;
	size_t n = 0;

	for (; ok && len; len -= n, pos += n, bytes += n)
		ok = write ? sig_scatter_part(a, pos, len, bytes, &n)
			   : sig_gather_part(a, pos, len, bytes, &n);
	return ok;
}

static bool sig_pass(struct queue *q, const struct sig_range *r, uint8_t *bytes, bool write)
{
	const struct mkey *m = mkey_described(q->o.vhca, r->key, r->pdn);
	struct sig_access a = {
		.q = q,
		.key = r->key,
		.pdn = r->pdn,
		.right = r->remote ? MKEY_RW : MKEY_LW,
		.requester = r->requester,
		.write = write,
	};

	post_flush(queues_of(&q->o));
	if (!m)
		return false;
	a.sig = m->sig;
	a.start = m->start;
	a.dek = m->sig->crypt.on ? crypt_key(m) : NULL;
	return (a.dek || !m->sig->crypt.on) &&
	       crypt_move(&a, CRYPT_WIRE, sig_wire, r->va - m->start, r->len, bytes, write);
}

bool sig_gather(struct queue *q, const struct sig_range *r, void *to)
{
	return sig_pass(q, r, to, false);
}

/* Nothing is written to `from`: both directions share one function type. */
bool sig_scatter(struct queue *q, const struct sig_range *r, const void *from)
{
	return sig_pass(q, r, (uint8_t *)(uintptr_t)from, true);
}

/* --- PSVs --------------------------------------------------------------------------------------
 */

#define SET_PSV 16u

void set_psv_parse(struct queue *q, struct send_wr *wr)
{
	const uint8_t *seg = wr->wqe + SET_PSV;

	wqe_probe(q, wr, "seg_set_psv", seg);
	if (prm_seg_set_psv_get_syndrome(seg) || prm_seg_set_psv_get_status(seg))
		wqe_refuse(q, wr, VENDOR_UMR, "set_psv.syndrome or status is not 0");
}

int set_psv_step(struct queue *q, struct send_wr *wr)
{
	const uint8_t *seg = wr->wqe + SET_PSV;
	const uint32_t index = prm_seg_set_psv_get_psv_num(seg);
	struct psv *psv = index >> 24 ? NULL : obj_find(q->o.vhca, OBJ_PSV, index);

	if (!psv || psv->pd->id != q->pdn) {
		obj_refuse(&q->o, "SET_PSV WQE %u: PSV 0x%x %s", wr->index, index,
			   psv ? "is of another PD than the queue" : "does not exist");
		wr->vendor = VENDOR_UMR;
		return PRM_SYNDROME_LOCAL_QP_OP_ERR;
	}
	psv->transient = prm_seg_set_psv_get_transient_signature(seg);
	psv->set = true;
	return 0;
}
