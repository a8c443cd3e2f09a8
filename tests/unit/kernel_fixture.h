/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_KERNEL_FIXTURE_H
#define TESTS_UNIT_KERNEL_FIXTURE_H

#include "tests/test.h"
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include "base/clock.h"
#include "chip/chip.h"
#include "kernel/kernel.h"
#include "obj/vhca.h"

/* A whole chip whose one client is the test itself, with an open file that has a DevX context. */
struct fx {
	struct clock clock; /* stands still unless a test moves it */
	uint64_t now;
	struct chip *chip;
	struct kernel *k;
	struct device *dev;
	struct vhca *v;
	struct mm *mm;
	struct uverbs_file *f;
	uint8_t *mem; /* FX_MEM bytes of client memory, page aligned */
	int log;
	uint32_t objects; /* of the function, before the file was opened */
};
#define FX_MEM (1u << 20)

int fx_setup(void **state);
int fx_teardown(void **state);
/* The last line of the log holds this text. */
bool fx_logged(struct fx *, const char *text);
/* Firmware objects of the function, all kinds. */
uint32_t fx_objects(const struct fx *);

/* A request under construction: buffers of exactly their length, so that ASan sees any excess. */
struct request {
	struct uverbs_request req;
	struct uverbs_attr attrs[24];
	void *held[48];
	unsigned int nheld;
};
void rq_init(struct request *, uint16_t object, uint16_t method);
struct uverbs_attr *rq_in(struct request *, uint16_t id, const void *, size_t len);
struct uverbs_attr *rq_value(struct request *, uint16_t id, uint64_t value, size_t len);
struct uverbs_attr *rq_out(struct request *, uint16_t id, size_t len);
struct uverbs_attr *rq_handle(struct request *, uint16_t id,
			uint64_t handle); /* or an inode, or room for one */
struct uverbs_attr *rq_attr(struct request *, uint16_t id);
uint32_t rq_u32(struct request *, uint16_t id); /* the first word of an output */
int rq_run(struct fx *, struct request *);
void rq_done(struct request *);
/* A write command through INVOKE_WRITE. */
int fx_write(struct fx *, uint32_t cmd, const void *in, size_t in_len, void *out, size_t out_len);

/* What most tests need. All assert success. */
int fx_context(struct fx *, struct uverbs_file *, bool devx);
uint32_t fx_pd(struct fx *);
uint32_t fx_uar(struct fx *); /* its number */
int fx_reg_mr(struct fx *, uint32_t pd, const void *at, uint64_t len, uint32_t access,
	      uint32_t *handle);
/* Good requests, to be spoiled or run. */
#define FX_CQ_HANDLE 0xc0ffee
void fx_fill_cq(struct fx *, struct request *, struct mlx5_ib_create_cq *, uint32_t cqe);
void fx_fill_qp(struct fx *, struct request *, struct mlx5_ib_create_qp *, uint32_t pd, uint32_t cq);
void fx_fill_wq(struct fx *, struct request *, struct mlx5_ib_create_wq *, uint32_t pd, uint32_t cq);
uint32_t fx_cq(struct fx *, uint32_t *cqn);
uint32_t fx_qp(struct fx *, uint32_t pd, uint32_t cq, uint32_t *qpn);
int fx_destroy(struct fx *, uint16_t object, uint16_t method, uint32_t handle);
uint32_t fx_pdn(struct fx *, uint32_t pd);

/* Inode of an open FD, as the preload passes it. */
uint64_t fx_inode(int fd);
/* Takes the FD that a request made out of it. */
int rq_take_fd(struct request *);

#endif
