/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/test.h"
#include <errno.h>
#include <unistd.h>
#include "queue_rig.h"
#include "base/log.h"
#include "chip/chip.h"
#include "host/uar.h"
#include "kernel/core/file.h"
#include "kernel/kernel.h"
#include "obj/alias.h"

#define FUNCTIONS 4u
#define LEN	  5000u

static const struct function_row rows[FUNCTIONS] = {
	{"host", FUNCTION_PF},
	{"dpu", FUNCTION_ECPF},
	{"vf0", FUNCTION_VF},
	{"sf0", FUNCTION_SF},
};

static struct profile four(void)
{
	struct profile p = profile_bluefield2;

	p.functions = rows;
	p.nfunctions = FUNCTIONS;
	return p;
}

static void assert_apart(const struct vhca *a, const struct vhca *b)
{
	assert_int_not_equal(a->id, b->id);
	assert_int_not_equal(a->guid, b->guid);
	assert_memory_not_equal(a->mac, b->mac, sizeof(a->mac));
	for (unsigned int i = 0; i < VHCA_OWN_GIDS; i++)
		for (unsigned int j = 0; j < VHCA_OWN_GIDS; j++)
			assert_memory_not_equal(a->gids[i].gid, b->gids[j].gid, 16);
}

/* Each function has its own kind, name, vhca_id, GUID, MAC and GIDs, and is found by them. */
TEST(none, test_identity)
{
	const struct profile p = four();
	unsigned int index;
	struct rig r;

	rig_open_as(&r, &p);
	assert_int_equal(r.dev.nfunctions, FUNCTIONS);
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		struct vhca *v = &r.dev.vhca[i];

		assert_string_equal(v->name, rows[i].name);
		assert_int_equal(v->kind, rows[i].kind);
		assert_ptr_equal(device_vhca_by_id(&r.dev, v->id), v);
		assert_ptr_equal(device_vhca_by_gid(&r.dev, 0, v->gids[3].gid, &index), v);
		assert_ptr_equal(device_first(&r.dev, rows[i].kind), v);
		for (unsigned int j = 0; j < i; j++)
			assert_apart(v, &r.dev.vhca[j]);
	}
	rig_close(&r);
}

/*
 * VFs of a setting come behind the chip's other functions, with vports from 1 and an id of theirs,
 * then SFs.
 */
TEST(none, test_vfs)
{
	struct profile p = profile_bluefield2;
	char names[FUNCTION_NAMES];
	struct rig r;

	p.vfs = 2;
	p.sfs = 1;
	assert_int_equal(profile_function(&p, "vf1", names), 3);
	assert_int_equal(profile_function(&p, "sf0", names), 4);
	assert_int_equal(profile_function(&p, "vf2", names), -1);
	assert_string_equal(names, "host or dpu or vf0 to vf1 or sf0");
	rig_open_as(&r, &p);
	assert_int_equal(r.dev.nfunctions, 5);
	for (unsigned int i = 0; i < 5; i++)
		for (unsigned int j = 0; j < i; j++)
			assert_apart(&r.dev.vhca[i], &r.dev.vhca[j]);
	assert_ptr_equal(device_vhca_by_vport(&r.dev, 1), device_vhca_by_name(&r.dev, "vf0"));
	assert_ptr_equal(device_vhca_by_vport(&r.dev, 2), device_vhca_by_name(&r.dev, "vf1"));
	assert_ptr_equal(device_vhca_by_vport(&r.dev, VPORT_SF),
			 device_vhca_by_name(&r.dev, "sf0"));
	assert_int_equal(vhca_pci_device(&r.dev.vhca[3]), 0x101e);
	assert_int_equal(vhca_pci_device(&r.dev.vhca[4]), p.pci_device);
	assert_int_equal(vhca_pci_device(&r.dev.vhca[1]), p.pci_device);
	assert_ptr_equal(r.dev.manager, &r.dev.vhca[1]);
	rig_close(&r);
}

/* A doorbell names a UAR, not a function, so no two functions share a UAR number. */
TEST(none, test_uars)
{
	const struct profile p = four();
	unsigned int each = 0;
	uint32_t least = 0;
	struct obj *o;
	struct rig r;

	rig_open_as(&r, &p);
	assert_int_equal(device_log_uars(&r.dev), 14);
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		struct obj *last = NULL;

		for (each = 0; (o = obj_new(&r.dev.vhca[i], OBJ_UAR, 0, sizeof(*o))); each++) {
			assert_true(o->id > least && o->id < 1u << VHCA_LOG_MAX_UAR);
			least = o->id;
			last = o;
		}
		assert_non_null(last);
		assert_int_equal(each, (1u << 14) - 1);
	}
	for (unsigned int i = 0; i < FUNCTIONS; i++)
		while ((o = obj_next(&r.dev.vhca[i], OBJ_UAR, 0)))
			obj_free(o);
	rig_close(&r);
}

static void send_between(struct rig *r, unsigned int from, unsigned int to)
{
	static uint8_t src[LEN], dst[LEN];
	struct mkey *ms = rig_mkey(r, from, src, LEN, MKEY_LR);
	struct mkey *md = rig_mkey(r, to, dst, LEN, MKEY_RW);
	struct rig_cq ca, cb;
	struct rig_qp a, b;

	memset(src, (int)(0x10 * from + to + 1), sizeof(src));
	memset(dst, 0, sizeof(dst));
	rig_cq_open(r, &ca, from, 4, false);
	rig_cq_open(r, &cb, to, 4, false);
	rig_qp_open(r, &a, from, &ca, &ca, 4, 3);
	rig_qp_open(r, &b, to, &cb, &cb, 4, 3);
	rig_connect(&a, &b);
	rig_rdma(&a, PRM_WQE_OPCODE_RDMA_WRITE, SIGNALED, dst, md, src, LEN, ms);
	rig_run(&a);
	rig_sent(&ca, 0);
	assert_memory_equal(src, dst, LEN);
	rig_qp_close(&a);
	rig_qp_close(&b);
	rig_cq_close(&ca);
	rig_cq_close(&cb);
	rig_mkey_close(ms);
	rig_mkey_close(md);
}

/* RC queue pairs of any two functions reach each other, and the packets count at both. */
TEST(none, test_traffic)
{
	const struct profile p = four();
	struct rig r;

	rig_open_as(&r, &p);
	for (unsigned int from = 0; from < FUNCTIONS; from++)
		for (unsigned int to = 0; to < FUNCTIONS; to++) {
			uint64_t before[FUNCTIONS];

			for (unsigned int i = 0; i < FUNCTIONS; i++)
				before[i] = r.dev.vhca[i].stats->rcv_packets;
			send_between(&r, from, to);
			for (unsigned int i = 0; i < FUNCTIONS; i++)
				if (i != from && i != to)
					assert_int_equal(r.dev.vhca[i].stats->rcv_packets,
							 before[i]);
		}
	rig_close(&r);
}

/* A grant is for one function's mkey: the same index of another function has none. */
TEST(none, test_grants)
{
	const uint8_t key[32] = "whoever knows this may alias it";
	const struct profile p = four();
	struct mkey *m[FUNCTIONS];
	struct rig r;

	rig_open_as(&r, &p);
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		m[i] = rig_mkey(&r, i, NULL, 0, MKEY_RW);
		assert_int_equal(m[i]->o.id, m[0]->o.id);
	}
	assert_int_equal(grant_set(&m[2]->o, key), 0);
	for (unsigned int i = 0; i < FUNCTIONS; i++)
		assert_ptr_equal(grant_check(m[i]->o.vhca, OBJ_MKEY, m[i]->o.id, key),
				 i == 2 ? m[i] : NULL);
	for (unsigned int i = 0; i < FUNCTIONS; i++)
		rig_mkey_close(m[i]);
	rig_close(&r);
}

/* A program opens each function of a whole chip, and none beyond. */
TEST(none, test_open)
{
	const struct profile p = four();
	struct chip *chip = chip_new(&p, NULL);
	struct mm *mm;

	assert_non_null(chip);
	mm = mm_open(chip_host(chip), getpid(), -1);
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		struct uverbs_file *f = kernel_open(chip_kernel(chip), mm, i);

		assert_non_null(f);
		assert_ptr_equal(f->vhca, &chip_device(chip)->vhca[i]);
		kernel_close(f);
	}
	assert_null(kernel_open(chip_kernel(chip), mm, FUNCTIONS));
	mm_close(mm);
	chip_free(chip);
}

/* A chip with too many functions for its UARs and addresses is refused. */
TEST(none, test_too_many)
{
	struct function_row *many = calloc(DEVICE_MAX_FUNCTIONS + 1, sizeof(*many));
	struct profile p = profile_bluefield2;
	struct device dev;

	sim_log_to(-1);
	p.functions = many;
	p.nfunctions = DEVICE_MAX_FUNCTIONS;
	assert_int_equal(device_init(&dev, NULL, &clock_monotonic, &p), 0);
	assert_int_equal(device_log_uars(&dev), 9);
	for (unsigned int i = 0; i < DEVICE_MAX_FUNCTIONS; i++)
		for (unsigned int j = 0; j < i; j++)
			assert_apart(&dev.vhca[i], &dev.vhca[j]);
	device_fini(&dev);
	p.nfunctions++;
	assert_int_equal(device_init(&dev, NULL, &clock_monotonic, &p), -EINVAL);
	p.nfunctions = 0;
	assert_int_equal(device_init(&dev, NULL, &clock_monotonic, &p), -EINVAL);
	free(many);
}
