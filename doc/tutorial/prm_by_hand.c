/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One firmware command by hand: QUERY_HCA_CAP. The same fields are written and read twice, with
 * shifts and masks that are counted out on paper, and with the accessors that dvx generates.
 *
 *	dvx-sim run -- ./prm_by_hand
 */
#include <endian.h>
#include <infiniband/mlx5dv.h>
#include <dvx/prm/cap.h>
#include "tutorial.h"

enum { QUERY_HCA_CAP = 0x100, GENERAL = 0, CURRENT = 1 };

/* `bits` wide, `offset` bits behind the structure's begin: bit 0 is the top of the first byte. */
static uint32_t field_read(const void *structure, unsigned int offset, unsigned int bits)
{
	const uint32_t *word = (const uint32_t *)structure + offset / 32;
	unsigned int shift = 32 - offset % 32 - bits;

	return be32toh(*word) >> shift & (uint32_t)((1ull << bits) - 1);
}

static void field_write(void *structure, unsigned int offset, unsigned int bits, uint32_t value)
{
	uint32_t *word = (uint32_t *)structure + offset / 32;
	unsigned int shift = 32 - offset % 32 - bits;
	uint32_t mask = (uint32_t)((1ull << bits) - 1) << shift;

	*word = htobe32((be32toh(*word) & ~mask) | (value << shift & mask));
}

static void print_bytes(const char *what, const uint8_t *bytes, unsigned int n)
{
	printf("%s:", what);
	for (unsigned int i = 0; i < n; i++)
		printf("%s%02x", i % 4 ? "" : " ", bytes[i]);
	printf("\n");
}

static struct ibv_context *devx_open(void)
{
	struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);
	struct ibv_context *device;

	if (!list || !n || !mlx5dv_is_supported(list[0])) {
		fprintf(stderr, "no mlx5 device here; without a NIC: dvx-sim run -- PROGRAM\n");
		exit(1);
	}
	device = mlx5dv_open_device(list[0], &attr);
	must(!device, "open the device for DevX");
	ibv_free_device_list(list);
	return device;
}

int main(void)
{
	struct ibv_context *device = devx_open();
	uint32_t in[PRM_QUERY_HCA_CAP_IN_BYTES / 4] = {0},
						 same[PRM_QUERY_HCA_CAP_IN_BYTES / 4] = {0};
	static uint32_t out[PRM_QUERY_HCA_CAP_OUT_BYTES / 4];
	const void *cap = (const uint8_t *)out + 0x10;

	field_write(in, 0x00, 16, QUERY_HCA_CAP);
	field_write(in, 0x30, 16, GENERAL << 1 | CURRENT);
	print_bytes("by hand", (const uint8_t *)in, sizeof(in));

	prm_query_hca_cap_in_set_opcode(same, QUERY_HCA_CAP);
	prm_query_hca_cap_in_set_op_mod(same, PRM_HCA_CAP_TYPE_GENERAL << 1 | CURRENT);
	printf("the accessors write %s\n",
	       memcmp(in, same, sizeof(in)) ? "other bytes" : "the same");

	errno = mlx5dv_devx_general_cmd(device, in, sizeof(in), out, sizeof(out));
	printf("status 0x%x, syndrome 0x%x\n", field_read(out, 0x00, 8), field_read(out, 0x20, 32));
	must(errno, "QUERY_HCA_CAP");
	print_bytes("the word at 0x10 of the answer's capabilities", (const uint8_t *)cap + 0x10,
		    4);
	printf("QPs: 2^%u, WQEs in one: 2^%u\n", field_read(cap, 0x9b, 5),
	       field_read(cap, 0x88, 8));
	printf("by accessors: 2^%u, 2^%u\n", prm_cmd_hca_cap_get_log_max_qp(cap),
	       prm_cmd_hca_cap_get_log_max_qp_sz(cap));

	field_write(in, 0x30, 16, 0x7e << 1 | CURRENT); /* there is no such kind */
	errno = mlx5dv_devx_general_cmd(device, in, sizeof(in), out, sizeof(out));
	printf("an unknown kind: %s; status 0x%x\n", strerror(errno), field_read(out, 0x00, 8));
	must(errno = ibv_close_device(device), "close");
	return 0;
}
