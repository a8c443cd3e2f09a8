/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections: the local values, the choice of a GID, blobs and their errors. */
#include <dvx/prm/cmd.h>
#include <dvx/prm/qp.h>
#include "lib_rig.h"

/* A queue, and the device's context of it. */
struct lone {
	struct dvx_cq *cq;
	struct dvx_qp *qp;
};

static void lone_make(struct rig *r, struct lone *l, uint8_t type)
{
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = 128, .uar = r->uar};
	struct dvx_qp_attr qpa = rig_qp_attr(r);

	OK(dvx_cq_create(r->dev, &cqa, &l->cq));
	qpa.send_cq = l->cq;
	qpa.type = type;
	qpa.flags = 0;
	OK(dvx_qp_create(r->dev, &qpa, &l->qp));
}

static void lone_free(struct lone *l)
{
	OK(dvx_qp_destroy(l->qp));
	OK(dvx_cq_destroy(l->cq));
}

/* Every value is the one that the header promises, and none is left open. */
TEST(rig, own_side)
{
	struct dvx_qp_local a, b;
	struct dvx_port port;

	OK(dvx_dev_port(r->dev, 1, &port));
	OK(dvx_qp_local_init(r->dev, 1, &a));
	OK(dvx_qp_local_init(r->dev, 1, &b));
	assert_int_equal(a.size, sizeof(a));
	assert_int_equal(1u << a.mtu_log, port.mtu);
	assert_int_equal(a.port, 1);
	assert_int_equal(a.access, 0);
	assert_int_equal(a.retry_count, 7);
	assert_int_equal(a.rnr_retry, 7);
	assert_int_equal(a.ack_timeout, 14);
	assert_int_equal(a.min_rnr_timer, 12);
	assert_int_equal(a.hop_limit, 64);
	assert_int_equal(a.max_rd_atomic, 16);
	assert_int_equal(a.psn >> 24, 0);
	/* three equal PSNs are not random */
	if (a.psn == b.psn)
		OK(dvx_qp_local_init(r->dev, 1, &b));
	assert_int_not_equal(a.psn, b.psn);
	assert_true(dvx_qp_local_init(r->dev, 9, &b) < 0);
}

/* A struct of an older program is filled up to its size, and not a byte beyond. */
TEST(rig, older_program)
{
	union {
		struct dvx_qp_local local;
		uint8_t bytes[sizeof(struct dvx_qp_local)];
	} u;
	const size_t old = offsetof(struct dvx_qp_local, user);
	struct lone l;

	memset(&u, 0xee, sizeof(u));
	OK(dvx_qp_local_init_sized(r->dev, 1, &u.local, old));
	assert_int_equal(u.local.size, old);
	for (size_t i = old; i < sizeof(u); i++)
		assert_int_equal(u.bytes[i], 0xee);
	lone_make(r, &l, DVX_QP_RC);
	OK(dvx_qp_to_init(l.qp, &u.local));
	lone_free(&l);
}

/* With both versions, link-local and IPv4, v2 of IPv4 is chosen; the sentence names the others. */
TEST(rig, gid_choice)
{
	struct dvx_qp_peer peer = {.size = sizeof(peer), .gid_type = DVX_GID_ROCE_V2};
	struct dvx_gid_choice c;

	OK(dvx_gid_choose(r->dev, 1, NULL, &c));
	assert_int_equal(c.gid.type, DVX_GID_ROCE_V2);
	assert_int_equal(c.gid.index, 3);
	assert_non_null(strstr(c.why,
			       "GID 3 of port 1, RoCE v2 of IPv4 (192.168.215.1): before 1 of "
			       "RoCE v2 of IPv6 link-local, 1 of RoCE v1, 1 of RoCE v1 of "
			       "IPv6 link-local"));
	peer.gid[0] = 0xfe;
	peer.gid[1] = 0x80;
	OK(dvx_gid_choose(r->dev, 1, &peer, &c));
	assert_int_equal(c.gid.index, 1);
	assert_non_null(strstr(c.why, "which the peer's needs"));
	peer.gid_type = DVX_GID_ROCE_V1;
	OK(dvx_gid_choose(r->dev, 1, &peer, &c));
	assert_int_equal(c.gid.index, 2);
	peer.gid_type = 9;
	refused(dvx_gid_choose(r->dev, 1, &peer, &c), -ENOENT, "port 1", "reach the peer's");
	refused(dvx_gid_choose(r->dev, 2, NULL, &c), -ENOENT, "port 2", "address");
}

/* A written blob reads back the same, with fields where the header documents them. */
TEST(rig, blob_layout)
{
	struct dvx_qp_local local = rig_local(r, 0);
	uint8_t blob[DVX_QP_BLOB_BYTES];
	struct dvx_qp_peer peer;
	struct lone l;

	lone_make(r, &l, DVX_QP_RC);
	local.psn = 0x123456;
	local.max_rd_atomic = 4;
	memcpy(local.user, "0123456789abcdef", sizeof(local.user));
	OK(dvx_qp_blob_write(l.qp, &local, blob));
	assert_memory_equal(blob, "DVXC\0\1\0\x40\0", 9);
	assert_int_equal(blob[9] << 16 | blob[10] << 8 | blob[11], dvx_qp_number(l.qp));
	assert_memory_equal(blob + 12, "\0\x12\x34\x56", 4);
	assert_memory_equal(blob + 34,
			    "\0\2\x0c\4\0\0"
			    "0123456789abcdef\0\0\0",
			    26);
	OK(dvx_qp_blob_read(l.qp, blob, sizeof(blob), &peer));
	assert_int_equal(peer.size, sizeof(peer));
	assert_int_equal(peer.qpn, dvx_qp_number(l.qp));
	assert_int_equal(peer.psn, 0x123456);
	assert_memory_equal(peer.gid, blob + 16, 16);
	assert_int_equal(peer.gid_type, DVX_GID_ROCE_V2);
	assert_int_equal(peer.mtu_log, 12);
	assert_int_equal(peer.max_rd_atomic, 4);
	assert_memory_equal(peer.user, local.user, sizeof(local.user));
	lone_free(&l);
}

/* Each changed bit is found; the error names it; the peer's struct stays as it was. */
TEST(rig, blob_damaged)
{
	struct dvx_qp_local local = rig_local(r, 0);
	struct dvx_qp_peer peer, before;
	uint8_t blob[DVX_QP_BLOB_BYTES + 1] = {0};
	struct lone l;
	size_t i;
	int want;

	memset(&peer, 0x77, sizeof(peer));
	before = peer;
	lone_make(r, &l, DVX_QP_RC);
	OK(dvx_qp_blob_write(l.qp, &local, blob));
	for (i = 0; i < 8 * DVX_QP_BLOB_BYTES; i++) {
		want = i < 32 ? -EINVAL : i < 48 ? -EPROTONOSUPPORT : i < 64 ? -ERANGE : -EBADMSG;
		blob[i / 8] ^= (uint8_t)(1 << i % 8);
		assert_int_equal(dvx_qp_blob_read(l.qp, blob, DVX_QP_BLOB_BYTES, &peer), want);
		blob[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	for (i = 0; i <= DVX_QP_BLOB_BYTES + 1; i++)
		if (i != DVX_QP_BLOB_BYTES)
			assert_int_equal(dvx_qp_blob_read(l.qp, blob, i, &peer),
					 i < 4 ? -EINVAL : -ERANGE);
	refused(dvx_qp_blob_read(l.qp, blob, 6, &peer), -ERANGE, "blob", "cut short after 6 bytes");
	refused(dvx_qp_blob_read(l.qp, blob, 63, &peer), -ERANGE, "63 bytes", "a blob has 64");
	refused(dvx_qp_blob_read(l.qp, "HTTP", 4, &peer), -EINVAL, "not a blob's", "");
	blob[5] = 2;
	refused(dvx_qp_blob_read(l.qp, blob, 64, &peer), -EPROTONOSUPPORT, "version 2", "reads 1");
	blob[5] = 1;
	blob[50] ^= 1;
	refused(dvx_qp_blob_read(l.qp, blob, 64, &peer), -EBADMSG, "checksum", "damaged");
	assert_memory_equal(&peer, &before, sizeof(peer));
	lone_free(&l);
}

/* RC and UC don't connect to each other; nor do versions of RoCE, nor IPv4 and IPv6. */
TEST(rig, peers_that_do_not_fit)
{
	struct dvx_qp_local local = rig_local(r, 0);
	uint8_t blob[DVX_QP_BLOB_BYTES];
	struct dvx_qp_peer peer;
	struct lone rc, uc;

	lone_make(r, &rc, DVX_QP_RC);
	lone_make(r, &uc, DVX_QP_UC);
	OK(dvx_qp_blob_write(uc.qp, &local, blob));
	refused(dvx_qp_blob_read(rc.qp, blob, sizeof(blob), &peer), -EINVAL, "peer's queue is UC",
		"this one RC");
	OK(dvx_qp_blob_read(uc.qp, blob, sizeof(blob), &peer));
	OK(dvx_qp_to_init(uc.qp, &local));
	local.gid_index = 2;
	refused(dvx_qp_to_rtr(uc.qp, &local, &peer), -EINVAL, "of RoCE v2", "index 2 of RoCE v1");
	local.gid_index = 1;
	refused(dvx_qp_to_rtr(uc.qp, &local, &peer), -EINVAL, "an IPv4 address", "index 1 is not");
	local.gid_index = 77;
	refused(dvx_qp_to_rtr(uc.qp, &local, &peer), -ENOENT, "no GID", "77");
	local.gid_index = 3;
	OK(dvx_qp_to_rtr(uc.qp, &local, &peer));
	lone_free(&uc);
	lone_free(&rc);
}

/* A field that is unset, or has a value that no device takes, is named. */
TEST(rig, refusals)
{
	const struct dvx_qp_local good = rig_local(r, 0);
	struct dvx_qp_local local = {.size = sizeof(local)};
	struct dvx_qp_peer peer;
	struct lone l;

	lone_make(r, &l, DVX_QP_RC);
	peer = rig_peer(r, dvx_qp_number(l.qp));
	refused(dvx_qp_to_init(l.qp, &local), -EINVAL, "local.port is 0", "dvx_qp_local_init()");
#define BAD(member, value, word)                                                       \
	do {                                                                           \
		local = good;                                                          \
		local.member = value;                                                  \
		refused(dvx_qp_connect(l.qp, &local, &peer), -EINVAL, word, "local."); \
	} while (0)
	BAD(port, 2, "port is 2");
	BAD(psn, 1 << 24, "psn");
	BAD(mtu_log, 7, "mtu_log is 7");
	BAD(mtu_log, 13, "mtu_log is 13");
	BAD(retry_count, 8, "retry_count is 8");
	BAD(rnr_retry, 0xff, "rnr_retry 255");
	BAD(ack_timeout, 32, "ack_timeout is 32");
	BAD(min_rnr_timer, 32, "min_rnr_timer 32");
	BAD(access, ~0u, "access is 0xffffffff");
	BAD(max_rd_atomic, 129, "over 128");
	OK(dvx_qp_to_init(l.qp, &good));
	peer.mtu_log = 20;
	refused(dvx_qp_to_rtr(l.qp, &good, &peer), -EINVAL, "peer.mtu_log is 20", "");
	peer.mtu_log = 0;
	peer.qpn = 1 << 24;
	refused(dvx_qp_to_rtr(l.qp, &good, &peer), -EINVAL, "peer.qpn", "24 bits");
	peer.qpn = dvx_qp_number(l.qp);
	peer.max_rd_atomic = 200;
	refused(dvx_qp_to_rtr(l.qp, &good, &peer), -EINVAL, "peer.max_rd_atomic is 200", "128");
	lone_free(&l);
}

/* The smaller MTU and the fewer READs of both ends apply. connect.sh reads the trace of this. */
TEST(rig, smaller_of_both)
{
	struct dvx_qp_local local = rig_local(r, DVX_REMOTE_READ);
	struct dvx_qp_peer peer;
	struct lone l;

	lone_make(r, &l, DVX_QP_RC);
	peer = rig_peer(r, dvx_qp_number(l.qp));
	peer.mtu_log = 9;
	peer.max_rd_atomic = 4;
	local.psn = 0xabcdef;
	local.ack_timeout = 0;
	local.retry_count = 0;
	local.rnr_retry = 3;
	local.min_rnr_timer = 0;
	OK(dvx_qp_connect(l.qp, &local, &peer));
	lone_free(&l);
}

TEST_GROUP(rig_open, rig_close)
