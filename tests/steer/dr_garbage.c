/* SPDX-License-Identifier: BSD-2-Clause */
/* A program writes garbage into its own steering memory, and packets walk it: the device drops them
 * with a sentence, goes on, and works for the next program. */
#include "tests/test.h"
#include "tests/verbs/raw_end.h"
#include "tests/verbs/verbs_qp.h"

#include <infiniband/mlx5dv.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/ste1.h>

#define ICM_BYTES (256u << 10)
#define ENTRIES	  (ICM_BYTES / 64)
#define NEAR	  64u /* entries that point at each other, to make walks long */
#define ROUNDS	  60u
#define FRAMES	  16u
#define FRAME	  64u

static struct {
	struct end end;
	struct ibv_qp *rc; /* connected to itself */
	struct ibv_dm *dm;
	struct ibv_mr *icm, *mem;
	uint64_t icm_addr;
	uint8_t *bytes; /* memory of the entries */
	struct mlx5dv_devx_obj *table;
	struct mlx5dv_flow_matcher *matcher;
	struct ibv_flow *flow;
} t;

static void open_rc(void)
{
	struct ibv_qp_init_attr init = {.send_cq = t.end.scq,
					.recv_cq = t.end.scq,
					.qp_type = IBV_QPT_RC,
					.cap = {.max_send_wr = 16, .max_send_sge = 1}};

	t.rc = ibv_create_qp(t.end.pd, &init);
	assert_non_null(t.rc);
	assert_int_equal(verbs_qp_connect_self(t.rc, 1), 0);
}

static void open_icm(void)
{
	struct ibv_alloc_dm_attr attr = {.length = ICM_BYTES};
	struct mlx5dv_alloc_dm_attr dv = {.type = MLX5DV_DM_TYPE_STEERING_SW_ICM};
	struct mlx5dv_dm out = {.comp_mask = MLX5DV_DM_MASK_REMOTE_VA};
	struct mlx5dv_obj obj = {.dm = {.out = &out}};

	t.dm = mlx5dv_alloc_dm(t.end.ctx, &attr, &dv);
	assert_non_null(t.dm);
	obj.dm.in = t.dm;
	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_DM), 0);
	t.icm_addr = out.remote_va;
	t.icm = ibv_reg_dm_mr(t.end.pd, t.dm, 0, ICM_BYTES,
			      IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE |
				      IBV_ACCESS_REMOTE_WRITE);
	assert_non_null(t.icm);
}

/* Makes a table whose root is the first entry, and a root rule that sends all packets there. */
static void open_table(void)
{
	uint8_t in[PRM_CREATE_FLOW_TABLE_IN_BYTES] = {0},
		out[PRM_CREATE_FLOW_TABLE_OUT_BYTES] = {0};
	void *ctx = prm_create_flow_table_in_at_flow_table_context(in);
	struct {
		struct mlx5dv_flow_match_parameters head;
		uint64_t none[8];
	} all = {.head = {.match_sz = 64}};
	struct mlx5dv_flow_matcher_attr attr = {.type = IBV_FLOW_ATTR_NORMAL,
						.match_mask = &all.head};
	struct mlx5dv_flow_action_attr to = {.type = MLX5DV_FLOW_ACTION_DEST_DEVX};

	prm_create_flow_table_in_set_opcode(in, PRM_OPCODE_CREATE_FLOW_TABLE);
	prm_create_flow_table_in_set_table_type(in, PRM_FLOW_TABLE_TYPE_NIC_RX);
	prm_flow_table_context_set_sw_owner(ctx, 1);
	prm_flow_table_context_set_level(ctx, 63);
	prm_flow_table_context_set_sw_owner_icm_root_0(ctx, t.icm_addr);
	t.table = mlx5dv_devx_obj_create(t.end.ctx, in, sizeof(in), out, sizeof(out));
	assert_non_null(t.table);
	t.matcher = mlx5dv_create_flow_matcher(t.end.ctx, &attr);
	assert_non_null(t.matcher);
	to.obj = t.table;
	t.flow = mlx5dv_create_flow(t.matcher, &all.head, 1, &to);
	assert_non_null(t.flow);
}

static int setup(UNUSED void **state)
{
	end_open(&t.end, 0);
	t.bytes = aligned_alloc(4096, ICM_BYTES);
	t.mem = ibv_reg_mr(t.end.pd, t.bytes, ICM_BYTES, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(t.mem);
	open_rc();
	open_icm();
	open_table();
	return 0;
}

static int teardown(UNUSED void **state)
{
	assert_int_equal(ibv_destroy_flow(t.flow), 0);
	assert_int_equal(mlx5dv_destroy_flow_matcher(t.matcher), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(t.table), 0);
	assert_int_equal(ibv_dereg_mr(t.icm), 0);
	assert_int_equal(ibv_free_dm(t.dm), 0);
	assert_int_equal(ibv_destroy_qp(t.rc), 0);
	assert_int_equal(ibv_dereg_mr(t.mem), 0);
	end_close(&t.end);
	free(t.bytes);
	return 0;
}

static void write_icm(void)
{
	struct ibv_sge sge = {.addr = (uintptr_t)t.bytes, .length = ICM_BYTES, .lkey = t.mem->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_RDMA_WRITE,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.rdma = {.remote_addr = 0, .rkey = t.icm->rkey}},
			   *bad;
	struct ibv_wc wc;

	assert_int_equal(ibv_post_send(t.rc, &wr, &bad), 0);
	poll_ok(t.end.scq, 0, &wc);
}

static void set_base(uint8_t *ste, uint64_t addr, uint64_t n)
{
	uint64_t base = addr >> 5 | n;

	prm_ste_match_bwc_v1_set_next_table_base_39_32_size(ste, (uint32_t)(base >> 27));
	prm_ste_match_bwc_v1_set_next_table_base_31_5_size(ste, base & 0x7ffffff);
}

/* Makes an entry that can usually be walked: known lookup types, near next entries. */
static void make_entry(uint8_t *ste)
{
	uint64_t miss = t.icm_addr + 64u * ((unsigned int)rand() % NEAR);

	for (unsigned int i = 0; i < 64; i++)
		ste[i] = (uint8_t)(rand() % 4 ? 0 : rand());
	if (rand() % 8 == 0)
		return;
	ste[0] = (uint8_t)(rand() % 16 ? rand() % 2 : 4);
	ste[6] = (uint8_t)(rand() % 0x18);
	prm_ste_match_bwc_v1_set_miss_address_39_32(ste, (uint32_t)(miss >> 32));
	prm_ste_match_bwc_v1_set_miss_address_31_6(ste, (uint32_t)miss >> 6);
	set_base(ste, t.icm_addr + 64u * ((unsigned int)rand() % NEAR), 1u << rand() % 4);
	prm_ste_match_bwc_v1_set_hash_type(ste, 0);
	if (rand() % 2)
		memset(ste + 24, 0, 40);
}

static void send_frames(void)
{
	static const uint8_t head[] = {0x02, 0xd7, 0,	 0, 0, 1,  2, 0, 0, 0, 0,  9,
				       8,    0,	   0x45, 0, 0, 50, 0, 0, 0, 0, 64, 17};
	struct ibv_wc wc;

	for (unsigned int i = 0; i < FRAMES; i++) {
		uint8_t *frame = slot_out(&t.end, i);

		for (unsigned int j = 0; j < FRAME; j++)
			frame[j] = (uint8_t)rand();
		memcpy(frame, head, sizeof(head));
		post_send(&t.end, i, FRAME, 0);
	}
	for (unsigned int i = 0; i < FRAMES; i++)
		poll_ok(t.end.scq, i, &wc);
}

TEST(none, garbage)
{
	srand(1);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int i = 0; i < ENTRIES; i++)
			make_entry(t.bytes + 64 * i);
		write_icm();
		send_frames();
	}
}

/* Tables jump in a circle, and memory is freed while packets come. */
TEST(none, circles)
{
	memset(t.bytes, 0, ICM_BYTES);
	for (unsigned int i = 0; i < 2; i++) {
		t.bytes[64 * i] = 4; /* an entry that only acts */
		t.bytes[64 * i + 6] = 0x0f;
		set_base(t.bytes + 64 * i, t.icm_addr + 64u * (1 - i), 1);
	}
	write_icm();
	send_frames();
	/* removing a key on it leaves the entries in place */
	assert_int_equal(ibv_dereg_mr(t.icm), 0);
	send_frames();
	t.icm = ibv_reg_dm_mr(t.end.pd, t.dm, 0, 64, IBV_ACCESS_ZERO_BASED);
	assert_non_null(t.icm);
}

TEST_GROUP(setup, teardown)
