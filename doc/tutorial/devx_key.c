/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An mkey without ibv_reg_mr(): a umem pins the pages, a CREATE_MKEY command that this program
 * writes makes the key, and a verbs queue pair uses it. What libmlx5 keeps of the verbs objects,
 * mlx5dv_init_obj() shows.
 *
 *	dvx-sim run -- ./devx_key [LOG_PAGE_SIZE]
 */
#include <infiniband/mlx5dv.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/mkey.h>
#include "tutorial.h"

enum { BYTES = 8192, OCTWORDS = 1 /* two addresses */, TAG = 0x5a };

/* From the middle of an 8 KiB page on: so these are two pages of 4 KiB, and can't be one of 8 KiB. */
static char around[2 * BYTES] __attribute__((aligned(BYTES)));
static char *const memory = around + BYTES / 2;

static uint32_t pd_number(struct ibv_pd *pd)
{
	struct mlx5dv_pd own = {0};
	struct mlx5dv_obj obj = {.pd = {.in = pd, .out = &own}};

	must(errno = mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD), "look into the PD");
	return own.pdn;
}

static void show_ring(struct ibv_qp *qp)
{
	struct mlx5dv_qp own = {0};
	struct mlx5dv_obj obj = {.qp = {.in = qp, .out = &own}};

	must(errno = mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), "look into the QP");
	printf("libmlx5's send ring: %u blocks of %u bytes, doorbell register of %u bytes\n",
	       own.sq.wqe_cnt, own.sq.stride, own.bf.size);
}

static struct mlx5dv_devx_obj *create_mkey(struct tutorial *t, uint32_t umem, uint32_t log_page,
					   uint32_t *key)
{
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES] = {0}, out[PRM_CREATE_MKEY_OUT_BYTES] = {0};
	void *mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);
	struct mlx5dv_devx_obj *made;

	prm_create_mkey_in_set_opcode(in, PRM_OPCODE_CREATE_MKEY);
	prm_create_mkey_in_set_mkey_umem_valid(in, 1);
	prm_create_mkey_in_set_mkey_umem_id(in, umem);
	prm_create_mkey_in_set_translations_octword_actual_size(in, OCTWORDS);
	prm_mkc_set_access_mode_1_0(mkc, PRM_MKC_ACCESS_MODE_1_0_MTT);
	prm_mkc_set_lr(mkc, 1);
	prm_mkc_set_lw(mkc, 1);
	prm_mkc_set_rw(mkc, 1);
	prm_mkc_set_qpn(mkc, 0xffffff); /* all queues of the PD */
	prm_mkc_set_mkey_7_0(mkc, TAG);
	prm_mkc_set_pd(mkc, pd_number(t->pd));
	prm_mkc_set_start_addr(mkc, (uintptr_t)memory);
	prm_mkc_set_len(mkc, BYTES);
	prm_mkc_set_log_page_size(mkc, log_page);
	prm_mkc_set_translations_octword_size(mkc, OCTWORDS);
	made = mlx5dv_devx_obj_create(t->device, in, sizeof(in), out, sizeof(out));
	if (!made)
		printf("refused: status 0x%x, syndrome 0x%x\n", prm_create_mkey_out_get_status(out),
		       prm_create_mkey_out_get_syndrome(out));
	must(!made, "CREATE_MKEY");
	*key = prm_create_mkey_out_get_mkey_index(out) << 8 | TAG;
	return made;
}

static void write_by(struct ibv_qp *qp, struct ibv_cq *cq, uint32_t key)
{
	struct ibv_sge from = {(uintptr_t)memory, 22, key};
	struct ibv_send_wr wr = {.sg_list = &from,
				 .num_sge = 1,
				 .opcode = IBV_WR_RDMA_WRITE,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.rdma = {(uintptr_t)memory + 4096, key}},
			   *bad;

	must(errno = ibv_post_send(qp, &wr, &bad), "post");
	printf("RDMA WRITE: %s, \"%s\"\n", ibv_wc_status_str(tutorial_next(cq).status),
	       memory + 4096);
}

int main(int argc, char **argv)
{
	uint32_t log_page = argc > 1 ? (uint32_t)atoi(argv[1]) : 12;
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_obj *mkey;
	struct tutorial t;
	struct ibv_cq *cq;
	struct ibv_qp *qp, *peer;
	uint32_t key;

	strcpy(memory, "by a key of one's own");
	tutorial_start(&t);
	if (!mlx5dv_is_supported(t.device->device)) {
		fprintf(stderr, "this page needs an mlx5 device\n");
		return 1;
	}
	umem = mlx5dv_devx_umem_reg(t.device, memory, BYTES, IBV_ACCESS_LOCAL_WRITE);
	must(!umem, "umem (dvx-info why-not devx)");
	mkey = create_mkey(&t, umem->umem_id, log_page, &key);
	printf("umem, and an mkey over it whose low byte is 0x%x\n", key & 0xff);

	cq = tutorial_cq(&t);
	qp = tutorial_qp(&t, IBV_QPT_RC, cq);
	peer = tutorial_qp(&t, IBV_QPT_RC, cq);
	tutorial_join(&t, qp, peer, &tutorial_usual);
	show_ring(qp);
	write_by(qp, cq, key);

	must(errno = mlx5dv_devx_obj_destroy(mkey), "destroy the mkey");
	must(errno = mlx5dv_devx_umem_dereg(umem), "free the umem");
	write_by(qp, cq, key);
	must((errno = ibv_destroy_qp(qp)) || (errno = ibv_destroy_qp(peer)), "destroy the QPs");
	must(errno = ibv_destroy_cq(cq), "destroy the CQ");
	tutorial_close(&t);
	return 0;
}
