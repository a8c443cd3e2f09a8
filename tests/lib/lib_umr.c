/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that a key made of pieces by a request shows these, in order, until it is changed. */
#include "tests/test.h"
#include "lib_rig.h"

#define ALL (DVX_REMOTE_WRITE | DVX_REMOTE_READ)

static uint32_t list_make(struct rig *r, struct dvx_mkey **list)
{
	OK(dvx_mkey_create_list(r->dev, r->pd, 4, list));
	return dvx_mkey_key(*list);
}

/* Sets three pieces, out of order, of 5, 300 and 7 bytes. */
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

/* A local key of pieces is one piece of a WRITE, which waits for the request that makes it. */
TEST(pair, gathered, ALL)
{
	struct dvx_sge pieces[3], whole = {0, 312, 0};
	struct dvx_mkey *list;

	three_pieces(r, pieces);
	whole.lkey = list_make(r, &list);
	OK(dvx_post_umr_list(p->sq, whole.lkey, 0, pieces, 3, 1, 0));
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf + 0x8000, r->key, &whole, 1, 2,
			  DVX_SIGNALED | DVX_SMALL_FENCE));
	ring_done(p, 2);
	is_them(r->buf + 0x8000, r);
	OK(dvx_mkey_destroy(list));
}

/* A peer's key of pieces is read as one range, only within its bounds and rights. */
TEST(pair, remote, ALL)
{
	struct dvx_sge pieces[3], to = {(uintptr_t)r->buf + 0x8000, 312, r->key};
	struct dvx_mkey *list;
	uint32_t key;

	three_pieces(r, pieces);
	key = list_make(r, &list);
	OK(dvx_post_umr_list(p->sq, key, DVX_REMOTE_READ, pieces, 3, 1, 0));
	OK(dvx_post_read(p->sq, 0, key, &to, 1, 2, DVX_SIGNALED | DVX_SMALL_FENCE));
	ring_done(p, 2);
	is_them(r->buf + 0x8000, r);
	OK(dvx_post_write_inline(p->sq, 0, key, "x", 1, 3, DVX_SIGNALED));
	ring_failed(p, 3, PRM_SYNDROME_REMOTE_ACCESS_ERR);
	OK(dvx_mkey_destroy(list));
}

/* Made again it shows the new pieces, also after an invalidation; invalidated it shows none. */
TEST(pair, again_and_invalid, ALL)
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
		ring_done(p, 2);
		assert_memory_equal(r->buf + 0x8000, (void *)(uintptr_t)pieces[i].addr, to.length);
	}
	OK(dvx_post_local_inval(p->sq, key, 3, DVX_SIGNALED | DVX_FENCE));
	OK(dvx_post_umr_list(p->sq, key, DVX_REMOTE_READ, pieces, 1, 1, DVX_SMALL_FENCE));
	to.length = 5;
	OK(dvx_post_read(p->sq, 0, key, &to, 1, 2, DVX_SIGNALED | DVX_SMALL_FENCE));
	ring_done(p, 3);
	done(p->cq[0], p->sq, 2);
	OK(dvx_post_local_inval(p->sq, key, 3, DVX_SIGNALED | DVX_FENCE));
	OK(dvx_post_read(p->sq, 0, key, &to, 1, 4, DVX_SIGNALED | DVX_SMALL_FENCE));
	ring_done(p, 3);
	failed(p->cq[0], p->sq, 4, PRM_SYNDROME_REMOTE_ACCESS_ERR);
	OK(dvx_mkey_destroy(list));
}

/* A fresh list shows no memory. */
TEST(pair, not_yet, ALL)
{
	struct dvx_sge whole = {0, 8, 0};
	struct dvx_mkey *list;

	whole.lkey = list_make(r, &list);
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf, r->key, &whole, 1, 1, DVX_SIGNALED));
	ring_failed(p, 1, PRM_SYNDROME_LOCAL_PROT_ERR);
	OK(dvx_mkey_destroy(list));
}

/* The device refuses more pieces than the key has room for; libdvx none, or too many for a WQE. */
TEST(pair, bounds, ALL)
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

/* A key of pieces without a work request: with any lengths, and with equal ones. */
TEST(pair, made_of, ALL)
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

/* The null mkey reads as zeros, and drops what is written. */
TEST(pair, null_key, ALL)
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

/* Rows of a table: two columns of 3 and 5 bytes, 4 rows of 64 bytes and of 16. */
TEST(pair, strides, ALL)
{
	struct dvx_sge whole = {0, 32, 0};
	struct dvx_stride columns[2] = {{(uintptr_t)r->buf + 0x101, r->key, 3, 64},
					{(uintptr_t)r->buf + 0x2002, r->key, 5, 16}};
	struct dvx_mkey *list;

	for (uint32_t i = 0; i < 0x4000; i++)
		r->buf[i] = (uint8_t)(i * 7 + (i >> 8));
	whole.lkey = list_make(r, &list);
	OK(dvx_post_umr_strides(p->sq, whole.lkey, DVX_REMOTE_READ, 4, columns, 2, 1, 0));
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf + 0x8000, r->key, &whole, 1, 2,
			  DVX_SIGNALED | DVX_SMALL_FENCE));
	ring_done(p, 2);
	for (uint32_t row = 0; row < 4; row++) {
		assert_memory_equal(r->buf + 0x8000 + row * 8, r->buf + 0x101 + row * 64, 3);
		assert_memory_equal(r->buf + 0x8003 + row * 8, r->buf + 0x2002 + row * 16, 5);
	}
	assert_int_equal(dvx_post_umr_strides(p->sq, whole.lkey, 0, 0, columns, 2, 1, 0),
			 -EMSGSIZE);
	columns[1].length = 0;
	assert_int_equal(dvx_post_umr_strides(p->sq, whole.lkey, 0, 1, columns, 2, 1, 0),
			 -EMSGSIZE);
	assert_int_equal(dvx_post_umr_strides(p->sq, whole.lkey, 0, 1, columns, 0, 1, 0),
			 -EMSGSIZE);
	whole = (struct dvx_sge){32, 1, whole.lkey}; /* behind the last row */
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf, r->key, &whole, 1, 3, DVX_SIGNALED));
	ring_failed(p, 3, PRM_SYNDROME_LOCAL_PROT_ERR);
	OK(dvx_mkey_destroy(list));
}

/* A list that is made again under another number works only with that one. */
TEST(pair, renewed, ALL)
{
	struct dvx_sge pieces[3], to = {(uintptr_t)r->buf + 0x8000, 5, r->key};
	struct dvx_mkey *list;
	uint32_t key = list_make(r, &list), next = dvx_key_next(key);

	three_pieces(r, pieces);
	OK(dvx_post_umr_renew(p->sq, key, next, DVX_REMOTE_READ, pieces, 1, 1, 0));
	OK(dvx_post_read(p->sq, 0, next, &to, 1, 2, DVX_SIGNALED | DVX_SMALL_FENCE));
	ring_done(p, 2);
	assert_memory_equal(r->buf + 0x8000, r->buf + 0x3001, 5);
	OK(dvx_post_read(p->sq, 0, key, &to, 1, 3, DVX_SIGNALED));
	ring_failed(p, 3, PRM_SYNDROME_REMOTE_ACCESS_ERR);
	OK(dvx_mkey_destroy(list));
}

/* Reads 4 bytes from `at` on, by the key of a window that the peer bound. */
static void read_window(struct rig *r, struct pair *p, uint64_t at, uint32_t key, uint64_t cookie)
{
	struct dvx_sge to = {(uintptr_t)r->buf + 0x8000, 4, r->key};

	memset(r->buf + 0x8000, 0, 4);
	OK(dvx_post_read(p->sq, at, key, &to, 1, cookie, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
}

static void on_peer(struct pair *p, uint64_t cookie)
{
	dvx_sq_ring(dvx_qp_sq(p->qp[1]));
	done(p->cq[1], dvx_qp_sq(p->qp[1]), cookie);
}

/* A window is a range for the peer of the queue that bound it, until either side ends that. */
TEST(pair, window, ALL)
{
	struct dvx_sge piece = {(uintptr_t)r->buf + 0x300, 16, r->key},
		       room = {(uintptr_t)r->buf, 64, r->key};
	struct dvx_sq *peer = dvx_qp_sq(p->qp[1]);
	struct dvx_mkey *window;
	uint32_t key, bound;

	memcpy(r->buf + 0x300, "abcdefghijklmnop", 16);
	OK(dvx_mkey_create_window(r->dev, r->pd, &window));
	key = dvx_mkey_key(window);
	bound = dvx_key_next(key);
	OK(dvx_post_bind(peer, key, bound, DVX_REMOTE_READ, &piece, piece.addr, 1, DVX_SIGNALED));
	on_peer(p, 1);
	read_window(r, p, piece.addr + 12, bound, 2);
	done(p->cq[0], p->sq, 2);
	assert_memory_equal(r->buf + 0x8000, "mnop", 4);

	/* a bound window can't be bound again, as in verbs */
	OK(dvx_post_unbind(peer, bound, 3, DVX_SIGNALED));
	on_peer(p, 3);
	OK(dvx_post_bind(peer, bound & ~0xffu, bound, DVX_REMOTE_READ, &piece, 0, 4, DVX_SIGNALED));
	on_peer(p, 4);
	read_window(r, p, 4, bound, 5);
	done(p->cq[0], p->sq, 5);
	assert_memory_equal(r->buf + 0x8000, "efgh", 4);

	/* the peer's message invalidates it */
	OK(dvx_rq_post(p->rq, &room, 1, 6));
	dvx_rq_ring(p->rq);
	OK(dvx_post_send_inval_inline(p->sq, bound, "bye", 3, 7, DVX_SIGNALED));
	ring_done(p, 7);
	assert_int_equal(dvx_cqe_imm(wait_cqe(p->cq[1])), bound);
	dvx_cq_pop(p->cq[1]);
	read_window(r, p, 4, bound, 8);
	failed(p->cq[0], p->sq, 8, PRM_SYNDROME_REMOTE_ACCESS_ERR);
	OK(dvx_mkey_destroy(window));
	refused(dvx_mkey_create_window(r->dev, NULL, &window), -EINVAL, "create_window", "pd");
}

/* A bound window can't be bound again; and it belongs to one queue. */
TEST(pair, window_is_one, ALL)
{
	struct dvx_sge piece = {(uintptr_t)r->buf + 0x300, 16, r->key};
	struct dvx_mkey *window;
	struct pair q;
	uint32_t key;

	pair_make(r, &q, ALL);
	OK(dvx_mkey_create_window(r->dev, r->pd, &window));
	key = dvx_mkey_key(window);
	OK(dvx_post_bind(p->sq, key, key, DVX_REMOTE_READ, &piece, 0, 1, DVX_SIGNALED));
	ring_done(p, 1);
	read_window(r, &q, 0, key, 2); /* not the peer of the queue that bound it */
	failed(q.cq[0], q.sq, 2, PRM_SYNDROME_REMOTE_ACCESS_ERR);
	OK(dvx_post_bind(p->sq, key, key, DVX_REMOTE_READ, &piece, 0, 3, DVX_SIGNALED));
	ring_failed(p, 3, PRM_SYNDROME_MW_BIND_ERR);
	piece.length = 0;
	assert_int_equal(dvx_post_bind(p->sq, key, key, 0, &piece, 0, 4, 0), -EMSGSIZE);
	piece.length = 16;
	assert_int_equal(dvx_post_bind(p->sq, key, key, 0, &piece, 0, 4, 1), -EBADR);
	OK(dvx_mkey_destroy(window));
	pair_free(&q);
}

/* A pool's keys are renewed by unsignaled messages; an old number is invalid. */
TEST(pair, pool, ALL)
{
	struct dvx_umr_pool_attr pa = {
		.size = sizeof(pa), .keys = 3, .max_pieces = 4, .pd = r->pd, .sq = p->sq};
	struct dvx_sge pieces[3], whole = {0, 312, 0};
	struct dvx_umr_pool *pool;
	uint32_t old = 0;

	three_pieces(r, pieces);
	OK(dvx_umr_pool_create(r->dev, &pa, &pool));
	for (uint32_t i = 0; i < 20; i++) {
		uint64_t to = (uintptr_t)r->buf + 0x8000;

		memset(r->buf + 0x8000, 0, 312);
		OK(dvx_umr_pool_take(pool, DVX_REMOTE_READ, pieces, 3, 1, 0, &whole.lkey));
		OK(dvx_post_write(p->sq, to, r->key, &whole, 1, 2, DVX_SIGNALED | DVX_SMALL_FENCE));
		ring_done(p, 2);
		is_them(r->buf + 0x8000, r);
		old = whole.lkey;
		OK(dvx_umr_pool_give(pool, old, 3, 0)); /* done with the next WRITE */
	}
	refused(dvx_umr_pool_destroy(pool), -EBUSY, "0 keys are taken", "1 are in flight");
	OK(dvx_umr_pool_take(pool, 0, pieces, 3, 1, 0, &whole.lkey));
	OK(dvx_post_nop(p->sq, 4, DVX_SIGNALED));
	ring_done(p, 4);
	refused(dvx_umr_pool_destroy(pool), -EBUSY, "1 keys are taken", "0 are in flight");
	refused(dvx_umr_pool_give(pool, old, 5, 0), -EINVAL, "0x", "not taken");
	OK(dvx_umr_pool_give(pool, whole.lkey, 6, DVX_SIGNALED));
	ring_done(p, 6);
	whole.lkey = old;
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf, r->key, &whole, 1, 7, DVX_SIGNALED));
	ring_failed(p, 7, PRM_SYNDROME_LOCAL_PROT_ERR);
	OK(dvx_umr_pool_destroy(pool));
}

TEST_GROUP(rig_open, rig_close)
