/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that a key made of pieces by a work request is those pieces, in order, until it is not. */
#include "tests/test.h"
#include "lib_rig.h"

#define ALL (DVX_REMOTE_WRITE | DVX_REMOTE_READ)

static uint32_t list_make(struct rig *r, struct dvx_mkey **list)
{
	OK(dvx_mkey_create_list(r->dev, r->pd, 4, list));
	return dvx_mkey_key(*list);
}

/* Three pieces, out of order, of 5, 300 and 7 bytes. */
static void three_pieces(struct rig *r, struct dvx_sge sge[3])
{
	for (uint32_t i = 0; i < 0x4000; i++)
		r->buf[i] = (uint8_t)(i * 7 + (i >> 8));
	sge[0] = (struct dvx_sge){(uintptr_t)r->buf + 0x3001, 5, r->key};
	sge[1] = (struct dvx_sge){(uintptr_t)r->buf + 0x0ff0, 300, r->key};
	sge[2] = (struct dvx_sge){(uintptr_t)r->buf + 0x2000, 7, r->key};
}

static void is_them(const uint8_t *got, const struct rig *r)
{
	assert_memory_equal(got, r->buf + 0x3001, 5);
	assert_memory_equal(got + 5, r->buf + 0x0ff0, 300);
	assert_memory_equal(got + 305, r->buf + 0x2000, 7);
}

/* As a local key: one piece of a WRITE, which waits for the request that makes it. */
TEST_PAIR(gathered, ALL)
{
	struct dvx_sge pieces[3], whole = {0, 312, 0};
	struct dvx_mkey *list;

	three_pieces(r, pieces);
	whole.lkey = list_make(r, &list);
	OK(dvx_post_umr_list(p->sq, whole.lkey, 0, pieces, 3, 1, 0));
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf + 0x8000, r->key, &whole, 1, 2,
			  DVX_SIGNALED | DVX_SMALL_FENCE));
	dvx_sq_ring(p->sq);
	done(p->cq[0], p->sq, 2);
	is_them(r->buf + 0x8000, r);
	OK(dvx_mkey_destroy(list));
}

/* As a peer's key: read as one range, within its bounds and rights only. */
TEST_PAIR(remote, ALL)
{
	struct dvx_sge pieces[3], to = {(uintptr_t)r->buf + 0x8000, 312, r->key};
	struct dvx_mkey *list;
	uint32_t key;

	three_pieces(r, pieces);
	key = list_make(r, &list);
	OK(dvx_post_umr_list(p->sq, key, DVX_REMOTE_READ, pieces, 3, 1, 0));
	OK(dvx_post_read(p->sq, 0, key, &to, 1, 2, DVX_SIGNALED | DVX_SMALL_FENCE));
	dvx_sq_ring(p->sq);
	done(p->cq[0], p->sq, 2);
	is_them(r->buf + 0x8000, r);
	OK(dvx_post_write_inline(p->sq, 0, key, "x", 1, 3, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
	failed(p->cq[0], p->sq, 3, PRM_SYNDROME_REMOTE_ACCESS_ERR);
	OK(dvx_mkey_destroy(list));
}

/* Made anew it is the new pieces, after an invalidation, too; invalidated it is nothing. */
TEST_PAIR(again_and_invalid, ALL)
{
	struct dvx_sge pieces[3], to = {(uintptr_t)r->buf + 0x8000, 7, r->key};
	struct dvx_mkey *list;
	uint32_t key;

	three_pieces(r, pieces);
	key = list_make(r, &list);
	for (int i = 0; i < 3; i += 2) {
		OK(dvx_post_umr_list(p->sq, key, DVX_REMOTE_READ, &pieces[i], 1, 1, 0));
		to.length = pieces[i].length;
		OK(dvx_post_read(p->sq, 0, key, &to, 1, 2, DVX_SIGNALED | DVX_SMALL_FENCE));
		dvx_sq_ring(p->sq);
		done(p->cq[0], p->sq, 2);
		assert_memory_equal(r->buf + 0x8000, (void *)(uintptr_t)pieces[i].addr, to.length);
	}
	OK(dvx_post_local_inval(p->sq, key, 3, DVX_SIGNALED | DVX_FENCE));
	OK(dvx_post_umr_list(p->sq, key, DVX_REMOTE_READ, pieces, 1, 1, DVX_SMALL_FENCE));
	to.length = 5;
	OK(dvx_post_read(p->sq, 0, key, &to, 1, 2, DVX_SIGNALED | DVX_SMALL_FENCE));
	dvx_sq_ring(p->sq);
	done(p->cq[0], p->sq, 3);
	done(p->cq[0], p->sq, 2);
	OK(dvx_post_local_inval(p->sq, key, 3, DVX_SIGNALED | DVX_FENCE));
	OK(dvx_post_read(p->sq, 0, key, &to, 1, 4, DVX_SIGNALED | DVX_SMALL_FENCE));
	dvx_sq_ring(p->sq);
	done(p->cq[0], p->sq, 3);
	failed(p->cq[0], p->sq, 4, PRM_SYNDROME_REMOTE_ACCESS_ERR);
	OK(dvx_mkey_destroy(list));
}

/* A fresh list is nothing yet. */
TEST_PAIR(not_yet, ALL)
{
	struct dvx_sge whole = {0, 8, 0};
	struct dvx_mkey *list;

	whole.lkey = list_make(r, &list);
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf, r->key, &whole, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
	failed(p->cq[0], p->sq, 1, PRM_SYNDROME_LOCAL_PROT_ERR);
	OK(dvx_mkey_destroy(list));
}

/* More pieces than the key has room for are the device's refusal; none, or too many for a WQE,
 * ours. */
TEST_PAIR(bounds, ALL)
{
	struct dvx_sge many[64];
	struct dvx_mkey *list;
	uint32_t key = list_make(r, &list);

	for (int i = 0; i < 64; i++)
		many[i] = (struct dvx_sge){(uintptr_t)r->buf, 1, r->key};
	assert_int_equal(dvx_post_umr_list(p->sq, key, 0, many, 0, 1, 0), -EMSGSIZE);
	assert_int_equal(dvx_post_umr_list(p->sq, key, 0, many, 64, 1, 0), -EMSGSIZE);
	assert_int_equal(dvx_post_umr_list(p->sq, key, 0, many, 1, 1, 2), -EBADR);
	OK(dvx_post_umr_list(p->sq, key, 0, many, 5, 1, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
	assert_true(dvx_cqe_is_error(wait_cqe(p->cq[0])));
	OK(dvx_mkey_destroy(list));
	refused(dvx_mkey_create_list(r->dev, r->pd, 0, &list), -EINVAL, "max_pieces", "0");
	refused(dvx_mkey_create_list(r->dev, NULL, 4, &list), -EINVAL, "pd", "NULL");
}

/* A key of pieces without a work request: of any lengths, and of equal ones. */
TEST_PAIR(made_of, ALL)
{
	struct dvx_sge pieces[5], whole = {0x7000, 312, 0};
	struct dvx_mkey_list_attr la = {
		.size = sizeof(la), .pd = r->pd, .pieces = pieces, .n = 3, .iova = 0x7000};
	struct dvx_mkey *list;

	three_pieces(r, pieces);
	OK(dvx_mkey_create_of(r->dev, &la, &list));
	assert_int_equal(dvx_mkey_len(list), 312);
	whole.lkey = dvx_mkey_key(list);
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf + 0x8000, r->key, &whole, 1, 1, DVX_SIGNALED));
	ring_done(p, 1);
	is_them(r->buf + 0x8000, r);
	OK(dvx_mkey_destroy(list));

	for (uint32_t i = 0; i < 5; i++)
		pieces[i] = (struct dvx_sge){(uintptr_t)r->buf + (7 - i) * 0x800, 0x400, r->key};
	la.n = 5;
	la.log_entity = 10;
	la.access = DVX_REMOTE_READ;
	OK(dvx_mkey_create_of(r->dev, &la, &list));
	whole = (struct dvx_sge){(uintptr_t)r->buf + 0x8000, 5 * 0x400 - 7, r->key};
	OK(dvx_post_read(p->sq, 0x7007, dvx_mkey_key(list), &whole, 1, 2, DVX_SIGNALED));
	ring_done(p, 2);
	for (uint32_t i = 7; i < 5 * 0x400; i++)
		assert_int_equal(r->buf[0x8000 + i - 7],
				 r->buf[(7 - i / 0x400) * 0x800 + i % 0x400]);
	OK(dvx_post_write_inline(p->sq, 0x7000, dvx_mkey_key(list), "x", 1, 3, DVX_SIGNALED));
	ring_failed(p, 3, PRM_SYNDROME_REMOTE_ACCESS_ERR);
	OK(dvx_mkey_destroy(list));
	pieces[4].length = 0x401;
	refused(dvx_mkey_create_of(r->dev, &la, &list), -EINVAL, "pieces[4]", "log_entity");
	la.n = 0;
	refused(dvx_mkey_create_of(r->dev, &la, &list), -EINVAL, "attr.n", "0");
	la.n = 1;
	la.access = DVX_REMOTE_ATOMIC;
	refused(dvx_mkey_create_of(r->dev, &la, &list), -EINVAL, "access", "local write");
	la.access = 0;
	la.log_entity = 32;
	refused(dvx_mkey_create_of(r->dev, &la, &list), -EINVAL, "log_entity", "31");
}

/* The null mkey: zeros to read, and a hole that takes what is written. */
TEST_PAIR(null_key, ALL)
{
	struct dvx_sge with_hole[3];
	uint32_t none;

	OK(dvx_dev_null_key(r->dev, &none));
	memset(r->buf, 0x77, 0x9000);
	with_hole[0] = (struct dvx_sge){0, 64, none};
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf, r->key, with_hole, 1, 1, DVX_SIGNALED));
	ring_done(p, 1);
	for (int i = 0; i < 65; i++)
		assert_int_equal(r->buf[i], i < 64 ? 0 : 0x77);
	for (int i = 0; i < 64; i++)
		r->buf[i] = (uint8_t)i;
	with_hole[0] = (struct dvx_sge){(uintptr_t)r->buf + 0x8000, 8, r->key};
	with_hole[1] = (struct dvx_sge){0, 48, none};
	with_hole[2] = (struct dvx_sge){(uintptr_t)r->buf + 0x8008, 8, r->key};
	OK(dvx_post_read(p->sq, (uintptr_t)r->buf, r->key, with_hole, 3, 2, DVX_SIGNALED));
	ring_done(p, 2);
	for (int i = 0; i < 17; i++)
		assert_int_equal(r->buf[0x8000 + i], i < 8 ? i : i < 16 ? i + 48 : 0x77);
}

TEST_GROUP(rig_open, rig_close)
