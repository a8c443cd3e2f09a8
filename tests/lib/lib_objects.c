/* SPDX-License-Identifier: BSD-2-Clause */
/* Control calls: devices by name, commands and their failures, attributes, lifetimes. */
#include "tests/test.h"
#include <sys/mman.h>
#include <infiniband/mlx5dv.h>
#include <unistd.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include "lib_rig.h"

/* Opens by name, by GUID in three spellings, adopted; unknown names are reported. */
TEST(rig, open_by)
{
	struct dvx_dev_info *list, found;
	struct dvx_dev *dev = NULL;
	char guid[32];
	size_t n;

	OK(dvx_dev_list(&list, &n));
	assert_int_equal(n, 1);
	assert_string_equal(list->name, dvx_dev_name(r->dev));
	OK(dvx_dev_open(list->name, &dev));
	OK(dvx_dev_close(dev));
	snprintf(guid, sizeof(guid), "0x%016llx", (unsigned long long)list->guid);
	OK(dvx_dev_open(guid, &dev));
	OK(dvx_dev_close(dev));
	OK(dvx_dev_find(guid, &found));
	assert_string_equal(found.name, list->name);
	OK(dvx_dev_open(guid + 2, &dev));
	OK(dvx_dev_close(dev));
	if (list->pci[0]) {
		OK(dvx_dev_open(list->pci, &dev));
		OK(dvx_dev_close(dev));
	}
	dev = NULL;
	refused(dvx_dev_open("mlx5_99", &dev), -ENODEV, "mlx5_99", "");
	refused(dvx_dev_find("mlx5_99", &found), -ENODEV, "mlx5_99", "");
	OK(dvx_dev_adopt(dvx_dev_ibv(r->dev), &dev));
	OK(dvx_dev_close(dev));
	dvx_dev_list_free(list);
}

static bool lib_objects_switchdev;

/* Replaces libmlx5's: dvx-sim has no e-switch. */
int _mlx5dv_query_port(struct ibv_context *ctx, uint32_t port, struct mlx5dv_port *info, size_t len)
{
	assert_non_null(ctx);
	assert_int_equal(port, 1);
	assert_int_equal(len, sizeof(*info));
	info->flags = lib_objects_switchdev ? MLX5DV_QUERY_PORT_VPORT : 0;
	return 0;
}

TEST(rig, switchdev_mode)
{
	struct dvx_dev *dev;

	assert_false(dvx_dev_caps(r->dev)->switchdev);
	lib_objects_switchdev = true;
	OK(dvx_dev_open(NULL, &dev));
	assert_true(dvx_dev_caps(dev)->switchdev);
	OK(dvx_dev_close(dev));
	lib_objects_switchdev = false;
}

/* The few capabilities in the struct and the raw page agree. */
TEST(rig, caps)
{
	const struct dvx_caps *c = dvx_dev_caps(r->dev);
	const void *page, *again;

	OK(dvx_dev_cap_page(r->dev, 0, &page));
	OK(dvx_dev_cap_page(r->dev, 0, &again));
	assert_ptr_equal(page, again);
	assert_int_equal(prm_load16(page, 6), c->vhca_id); /* bits 0x30..0x3f */
	assert_int_equal(c->max_wqe_bytes, prm_cmd_hca_cap_get_max_wqe_sz_sq(page));
	assert_in_range(c->max_wqe_bytes, 64, 1024);
	assert_true(c->roce);
	assert_true(c->dma_mmo);
	assert_true(c->mkey_export);
	assert_true(c->mkey_import);
	assert_true(c->dma_mmo_max >= 1 << 20);
	assert_true(dvx_dev_cap_page(r->dev, 0x7fff, &page) < 0);
	assert_int_equal(dvx_last_error()->opcode, PRM_OPCODE_QUERY_HCA_CAP);
	assert_int_equal(dvx_dev_cap_page(r->dev, 0x8000, &page), -EINVAL);
}

/* A command that the firmware refuses: status and syndrome are kept, and explained. */
TEST(rig, command_fails)
{
	uint8_t in[16] = {0}, out[16];
	const struct dvx_error *e = dvx_last_error();

	prm_store16(in, 0, PRM_OPCODE_QUERY_HCA_CAP);
	prm_store16(in, 6, 0x7fff << 1); /* op_mod: an unknown type */
	assert_true(dvx_cmd(r->dev, in, sizeof(in), out, sizeof(out)) < 0);
	assert_int_equal(e->opcode, 0x100);
	assert_non_null(strstr(dvx_strerror(e->err), "QUERY_HCA_CAP (0x100)"));
	assert_int_equal(e->op_mod, 0xfffe);
	if (e->status) {
		assert_non_null(strstr(dvx_strerror(e->err), "syndrome 0x"));
		assert_int_not_equal(e->syndrome, 0);
	}
	assert_int_equal(dvx_cmd(r->dev, in, 15, out, sizeof(out)), -EINVAL);
	assert_int_equal(e->opcode, 0);
	assert_int_equal(dvx_cmd(r->dev, in, sizeof(in), out, 8), -EINVAL);
	assert_int_equal(dvx_cmd(r->dev, in, sizeof(in), NULL, 0), -EINVAL);
	prm_store16(in, 0, 0xffff);
	assert_true(dvx_cmd(r->dev, in, sizeof(in), out, sizeof(out)) < 0);
}

/* Each wrong attribute is refused by its name, and *out stays as it was. */
TEST(rig, bad_attributes)
{
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = 64, .uar = r->uar};
	struct dvx_qp_attr good = rig_qp_attr(r), a;
	struct dvx_mkey_attr ma = {.size = sizeof(ma), .pd = r->pd, .addr = r->buf, .len = 64};
	struct dvx_mkey *mkey = NULL;
	struct dvx_umem *umem;
	struct dvx_qp *qp = NULL;
	struct dvx_cq *cq, *none = NULL;

	OK(dvx_cq_create(r->dev, &cqa, &cq));
	good.send_cq = cq;
#define REFUSED(field, value, err)                                     \
	do {                                                           \
		a = good;                                              \
		a.field = value;                                       \
		assert_int_equal(dvx_qp_create(r->dev, &a, &qp), err); \
		assert_null(qp);                                       \
		assert_non_null(strstr(dvx_strerror(err), #field));    \
	} while (0)
	REFUSED(size, 0, -EINVAL);
	REFUSED(flags, 0x80, -EINVAL);
	REFUSED(pd, NULL, -EINVAL);
	REFUSED(uar, NULL, -EINVAL);
	REFUSED(send_cq, NULL, -EINVAL);
	REFUSED(sq_blocks, 0, -EINVAL);
	REFUSED(sq_blocks, 1u << 20, -EINVAL);
	REFUSED(rq_entries, 1u << 20, -EINVAL);
	REFUSED(rq_sge, 1000, -EINVAL);
	REFUSED(user_index, 0xffffff, -EINVAL);
	REFUSED(place.flags, 0x80, -EINVAL);
	a = good;
	a.place.flags = DVX_PLACE_NODE;
	a.place.node = 900;
	assert_int_equal(dvx_qp_create(r->dev, &a, &qp), -EINVAL);
	a.place = (struct dvx_place){.buf = r->buf, .buf_len = 64};
	refused(dvx_qp_create(r->dev, &a, &qp), -EINVAL, "buf_len", "");
	a.place.buf = r->buf + 1;
	assert_int_equal(dvx_qp_create(r->dev, &a, &qp), -EINVAL);
	cqa.entries = 0;
	assert_int_equal(dvx_cq_create(r->dev, &cqa, &none), -EINVAL);
	cqa.entries = 64;
	cqa.vector = 10000;
	assert_int_equal(dvx_cq_create(r->dev, &cqa, &none), -EINVAL);
	cqa.vector = 0;
	cqa.uar = NULL;
	assert_int_equal(dvx_cq_create(r->dev, &cqa, &none), -EINVAL);
	assert_null(none);
	ma.access = DVX_REMOTE_WRITE;
	assert_int_equal(dvx_mkey_create(r->dev, &ma, &mkey), -EINVAL);
	ma.access = 0x40;
	assert_int_equal(dvx_mkey_create(r->dev, &ma, &mkey), -EINVAL);
	ma.access = 0;
	ma.len = 0;
	assert_int_equal(dvx_mkey_create(r->dev, &ma, &mkey), -EINVAL);
	OK(dvx_umem_reg(r->dev, r->buf, 8192, 0, &umem));
	ma.umem = umem;
	ma.umem_offset = 4096;
	ma.len = 4097;
	assert_int_equal(dvx_mkey_create(r->dev, &ma, &mkey), -EINVAL);
	ma.umem_offset = UINT64_MAX;
	assert_int_equal(dvx_mkey_create(r->dev, &ma, &mkey), -EINVAL);
	ma.umem_offset = 1;
	ma.len = 1;
	ma.iova = 0x10000;
	refused(dvx_mkey_create(r->dev, &ma, &mkey), -EINVAL, "iova", "");
	OK(dvx_umem_dereg(umem));
	assert_null(mkey);
	assert_int_equal(dvx_umem_reg(r->dev, NULL, 4096, 0, &umem), -EINVAL);
	/* dvx-verify's report, which has no addresses, may have this sentence. */
	refused(dvx_umem_reg(r->dev, (void *)4096, 4096, 0, &umem), -EFAULT, "4096 bytes", "");
	assert_null(strstr(dvx_strerror(-EFAULT), "0x"));
	assert_int_equal(dvx_uar_alloc(r->dev, (enum dvx_uar_type)7, &r->uar), -EINVAL);
	OK(dvx_cq_destroy(cq));
}

/* Objects of another open of the device, on its context or on another, are refused by name. */
TEST(rig, another_device)
{
	struct rig other = {0};
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = 64};
	struct dvx_srq_attr srqa = {.size = sizeof(srqa), .entries = 8};
	struct dvx_txq_attr txa = {.size = sizeof(txa), .sq_blocks = 16};
	struct dvx_rxq_attr rxa = {.size = sizeof(rxa), .entries = 16};
	struct dvx_qp_attr good, a;
	struct dvx_qp *qp = NULL;
	struct dvx_txq *txq = NULL;
	struct dvx_rxq *rxq = NULL;
	struct dvx_srq *srq = NULL;
	struct dvx_cq *cq, *theirs, *none = NULL;
	struct ibv_cq *ibcq;

	OK(dvx_dev_open(dvx_dev_name(r->dev), &other.dev));
	OK(dvx_pd_alloc(other.dev, &other.pd));
	OK(dvx_uar_alloc(other.dev, DVX_UAR_ANY, &other.uar));
	cqa.uar = other.uar;
	refused(dvx_cq_create(r->dev, &cqa, &none), -EINVAL, "attr.uar", "device");
	OK(dvx_cq_create(other.dev, &cqa, &theirs));
	cqa.uar = r->uar;
	OK(dvx_cq_create(r->dev, &cqa, &cq));
	good = rig_qp_attr(r);
	good.send_cq = cq;
	REFUSED(pd, other.pd, -EINVAL);
	REFUSED(uar, other.uar, -EINVAL);
	REFUSED(send_cq, theirs, -EINVAL);
	REFUSED(recv_cq, theirs, -EINVAL);
	srqa.pd = other.pd;
	refused(dvx_srq_create(r->dev, &srqa, &srq), -EINVAL, "attr.pd", "device");
	OK(dvx_srq_create(other.dev, &srqa, &srq));
	REFUSED(srq, srq, -EINVAL);
	txa.pd = rxa.pd = other.pd;
	txa.uar = r->uar;
	txa.cq = rxa.cq = cq;
	refused(dvx_txq_create(r->dev, &txa, &txq), -EINVAL, "attr.pd", "device");
	refused(dvx_rxq_create(r->dev, &rxa, &rxq), -EINVAL, "attr.pd", "device");
	txa.pd = rxa.pd = r->pd;
	txa.uar = other.uar;
	refused(dvx_txq_create(r->dev, &txa, &txq), -EINVAL, "attr.uar", "device");
	txa.uar = r->uar;
	txa.cq = rxa.cq = theirs;
	refused(dvx_txq_create(r->dev, &txa, &txq), -EINVAL, "attr.cq", "device");
	refused(dvx_rxq_create(r->dev, &rxa, &rxq), -EINVAL, "attr.cq", "device");
	ibcq = ibv_create_cq(dvx_dev_ibv(other.dev), 16, NULL, NULL, 0);
	assert_non_null(ibcq);
	refused(dvx_cq_adopt(r->dev, ibcq, &none), -EINVAL, "ibv_cq", "context");
	assert_int_equal(ibv_destroy_cq(ibcq), 0);
	OK(dvx_srq_destroy(srq));
	OK(dvx_cq_destroy(cq));
	OK(dvx_cq_destroy(theirs));
	OK(dvx_uar_free(other.uar));
	OK(dvx_pd_free(other.pd));
	OK(dvx_dev_close(other.dev));
}

/* An mkey over a part of a umem, with its own addresses. */
TEST(rig, mkey_of_umem)
{
	struct dvx_mkey_attr ma = {.size = sizeof(ma),
				   .access = RIG_ALL,
				   .pd = r->pd,
				   .len = 1000,
				   .umem_offset = 5000,
				   .iova = 0x100000000000 + 5000 % 4096};
	struct dvx_umem *umem;
	struct dvx_mkey *mkey;
	struct pair p;

	OK(dvx_umem_reg(r->dev, r->buf, 65536, DVX_LOCAL_WRITE, &umem));
	ma.umem = umem;
	OK(dvx_mkey_create(r->dev, &ma, &mkey));
	assert_int_equal(dvx_umem_dereg(umem), -EBUSY);
	assert_true(dvx_mkey_addr(mkey) == ma.iova);
	assert_int_equal(dvx_mkey_len(mkey), 1000);
	pair_make(r, &p, DVX_REMOTE_WRITE);
	memset(r->buf, 0, 65536);
	dvx_post_write_inline(p.sq, ma.iova + 10, dvx_mkey_key(mkey), "here", 4, 1, DVX_SIGNALED);
	ring_done(&p, 1);
	assert_memory_equal(r->buf + 5010, "here", 4);
	dvx_post_write_inline(p.sq, ma.iova + 997, dvx_mkey_key(mkey), "over", 4, 2, 0);
	ring_failed(&p, 2, 0x13);
	pair_free(&p);
	OK(dvx_mkey_destroy(mkey));
	OK(dvx_umem_dereg(umem));
}

/*
 * Keys use the largest pages that the ends of memory, and its alignment, allow; the bytes are the
 * same.
 */
TEST(rig, mkey_pages)
{
	static const struct {
		size_t at, len;
		uint64_t moved; /* offset of the iova */
		uint32_t log_page;
	} row[] = {
		{0, 4u << 20, 0, 21},	    {0, 4u << 20, 1u << 16, 16}, {0, 4u << 20, 4096, 12},
		{0, 3u << 16, 0, 16},	    {1u << 16, 1u << 16, 0, 16}, {4096, 1u << 20, 0, 12},
		{0, (2u << 20) - 1, 0, 12},
	};
	struct dvx_mkey_attr ma = {.size = sizeof(ma), .access = RIG_ALL, .pd = r->pd};
	uint8_t *buf = aligned_alloc(2u << 20, 4u << 20);
	struct dvx_umem *umem;
	struct dvx_mkey *mkey;
	struct pair p;

	assert_non_null(buf);
	pair_make(r, &p, DVX_REMOTE_WRITE);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		ma.addr = buf + row[i].at;
		ma.len = row[i].len;
		ma.iova = row[i].moved ? (uintptr_t)ma.addr + row[i].moved : 0;
		OK(dvx_mkey_create(r->dev, &ma, &mkey));
		assert_int_equal(dvx_mkey_log_page(mkey), row[i].log_page);
		memset(buf, 0, 4u << 20);
		dvx_post_write_inline(p.sq, dvx_mkey_addr(mkey), dvx_mkey_key(mkey), "ab", 2, 1, 0);
		dvx_post_write_inline(p.sq, dvx_mkey_addr(mkey) + ma.len - 2, dvx_mkey_key(mkey),
				      "yz", 2, 2, DVX_SIGNALED);
		ring_done(&p, 2);
		assert_memory_equal(ma.addr, "ab", 2);
		assert_memory_equal((uint8_t *)ma.addr + ma.len - 2, "yz", 2);
		OK(dvx_mkey_destroy(mkey));
	}
	OK(dvx_umem_reg(r->dev, buf, 4u << 20, DVX_LOCAL_WRITE, &umem));
	assert_int_equal(dvx_umem_log_page(umem), 21);
	ma = (struct dvx_mkey_attr){.size = sizeof(ma),
				    .access = RIG_ALL,
				    .pd = r->pd,
				    .umem = umem,
				    .umem_offset = (1u << 20) + 7,
				    .len = 2u << 20};
	OK(dvx_mkey_create(r->dev, &ma, &mkey));
	assert_int_equal(dvx_mkey_log_page(mkey), 21);
	dvx_post_write_inline(p.sq, (uintptr_t)buf + (3u << 20), dvx_mkey_key(mkey), "here", 4, 3,
			      DVX_SIGNALED);
	ring_done(&p, 3);
	assert_memory_equal(buf + (3u << 20), "here", 4);
	OK(dvx_mkey_destroy(mkey));
	OK(dvx_umem_dereg(umem));
	pair_free(&p);
	free(buf);
}

/* A file that is no dma-buf, or can't be mapped, is refused with a sentence. */
TEST(rig, umem_of_dmabuf)
{
	int fd = memfd_create("no dma-buf", MFD_CLOEXEC);
	struct dvx_umem *umem = NULL;

	refused(dvx_umem_reg_dmabuf(r->dev, -1, 0, 4096, 0, &umem), -EINVAL, "fd is -1", "");
	refused(dvx_umem_reg_dmabuf(r->dev, 0, 0, 0, 0, &umem), -EINVAL, "len is 0", "");
	refused(dvx_umem_reg_dmabuf(r->dev, fd, 0, 4096, 0, &umem), -EINVAL, "dma-buf",
		"is it one");
	refused(dvx_umem_reg_dmabuf(r->dev, 1023, 0, 4096, 0, &umem), -EBADF, "dma-buf", "1023");
	assert_null(umem);
	close(fd);
}

/* A device with objects refuses to close, and keeps working. */
TEST(rig, close_is_refused)
{
	struct pair p;

	assert_int_equal(dvx_dev_close(r->dev), -EBUSY);
	assert_int_equal(dvx_pd_free(r->pd), -EBUSY);
	pair_make(r, &p, 0);
	assert_int_equal(dvx_uar_free(r->uar), -EBUSY);
	assert_int_equal(dvx_cq_destroy(p.cq[0]), -EBUSY);
	dvx_post_nop(p.sq, 1, DVX_SIGNALED);
	ring_done(&p, 1);
	pair_free(&p);
	OK(dvx_dev_close(NULL));
	OK(dvx_qp_destroy(NULL));
	OK(dvx_cq_destroy(NULL));
	OK(dvx_mkey_destroy(NULL));
	OK(dvx_uar_free(NULL));
	OK(dvx_pd_free(NULL));
	OK(dvx_umem_dereg(NULL));
	OK(dvx_obj_destroy(NULL));
	OK(dvx_channel_close(NULL));
	dvx_mem_free(NULL);
	dvx_dbr_free(NULL);
}

/* Doorbell records don't overlap; pages are allocated and freed. */
TEST(rig, doorbell_records)
{
	enum { N = 300 };
	struct dvx_dbr *dbr[N];
	uint32_t i;

	for (i = 0; i < N; i++) {
		OK(dvx_dbr_alloc(r->dev, &dbr[i]));
		assert_int_equal(dvx_dbr_words(dbr[i])[0], 0);
		assert_int_equal((uintptr_t)dvx_dbr_words(dbr[i]) % 64, 0);
		assert_int_equal(dvx_dbr_offset(dbr[i]) % 64, 0);
		dvx_dbr_words(dbr[i])[0] = i;
		dvx_dbr_words(dbr[i])[1] = ~i;
	}
	for (i = 0; i < N; i++) {
		assert_int_equal(dvx_dbr_words(dbr[i])[0], i);
		assert_int_equal(dvx_dbr_words(dbr[i])[1], ~i);
		dvx_dbr_free(dbr[i]);
	}
}

/* The firmware refuses state changes out of turn, and the QP stays usable. */
TEST(rig, moves_out_of_turn)
{
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = 64, .uar = r->uar};
	struct dvx_qp_local local = rig_local(r, 0);
	struct dvx_qp_attr qpa = rig_qp_attr(r);
	struct dvx_qp_peer peer;
	struct dvx_cq *cq;
	struct dvx_qp *qp;

	OK(dvx_cq_create(r->dev, &cqa, &cq));
	qpa.send_cq = cq;
	OK(dvx_qp_create(r->dev, &qpa, &qp));
	peer = rig_peer(r, dvx_qp_number(qp));
	assert_int_equal(dvx_qp_to_rts(qp, &local, &peer), -EINVAL);
	assert_int_equal(dvx_qp_to_rtr(qp, &local, &peer), -EINVAL);
	OK(dvx_qp_connect_self(qp, 0));
	assert_true(dvx_qp_connect_self(qp, 0) < 0);
	dvx_post_nop(dvx_qp_sq(qp), 1, DVX_SIGNALED);
	dvx_sq_ring(dvx_qp_sq(qp));
	done(cq, dvx_qp_sq(qp), 1);
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(cq));
}

/* Threads with a UAR each do not share a BlueFlame register. */
TEST(rig, uars)
{
	struct dvx_uar *uar[6];

	for (int i = 0; i < 6; i++) {
		OK(dvx_uar_alloc(r->dev, DVX_UAR_BF, &uar[i]));
		for (int j = 0; j < i; j++)
			assert_ptr_not_equal(dvx_uar_reg(uar[i]), dvx_uar_reg(uar[j]));
	}
	for (int i = 0; i < 6; i++)
		OK(dvx_uar_free(uar[i]));
}

TEST_GROUP(rig_open, rig_close)
