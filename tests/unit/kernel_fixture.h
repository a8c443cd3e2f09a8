/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_UNIT_KERNEL_FIXTURE_H
#define TESTS_UNIT_KERNEL_FIXTURE_H

#include "tests/test.h"
#include <errno.h>
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
#include "obj/device.h"

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
	struct uverbs_file *guest; /* it makes the requests; NULL: f does */
	uint8_t *mem; /* FX_MEM bytes of client memory, page aligned */
	int log;
	uint32_t objects; /* of the function, before the file was opened */
};
#define FX_MEM (1u << 20)

int fx_setup(void **state);
int fx_teardown(void **state);
#define TEST_FX(name) TEST_ON(name, struct fx *f, {fx_setup, fx_teardown})
/* The last line of the log holds this text. */
bool fx_logged(struct fx *, const char *text);
#define FX_REFUSES(f, call, err, text)           \
	do {                                     \
		assert_int_equal(call, err);     \
		assert_true(fx_logged(f, text)); \
	} while (0)
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
uint32_t rq_new(struct request *); /* the handle that a creation has as its first attribute */
int rq_run(struct fx *, struct request *);
/* With mlx5's own part behind. */
int rq_run_with(struct fx *, struct request *, const void *u, size_t len);
void rq_done(struct request *);

/* A request in one piece: outputs go to where its attributes say, also when it is refused. */
struct rq_arg {
	enum { RQ_END, RQ_NONE, RQ_IN, RQ_VALUE, RQ_OUT, RQ_HANDLE, RQ_NEW } kind;
	uint16_t id;
	uint64_t value;
	const void *in;
	void *out;
	size_t len;
};
#define A_NONE		 ((struct rq_arg){.kind = RQ_NONE})
#define A_IN(i, p, n)	 ((struct rq_arg){.kind = RQ_IN, .id = i, .in = p, .len = n})
#define A_VALUE(i, v, n) ((struct rq_arg){.kind = RQ_VALUE, .id = i, .value = v, .len = n})
#define A_OUT(i, p, n)	 ((struct rq_arg){.kind = RQ_OUT, .id = i, .out = p, .len = n})
#define A_HANDLE(i, h)	 ((struct rq_arg){.kind = RQ_HANDLE, .id = i, .value = h})
#define A_NEW(i, handle) ((struct rq_arg){.kind = RQ_NEW, .id = i, .out = handle})
#define RQ_ARGS(...)	 ((const struct rq_arg[16]){__VA_ARGS__})
void rq_make(struct request *, uint16_t object, uint16_t method, const struct rq_arg *);
void rq_take(struct request *, const struct rq_arg *);
int fx_call(struct fx *, uint16_t object, uint16_t method, const struct rq_arg *);
#define FX_CALL(f, object, method, ...) fx_call(f, object, method, RQ_ARGS(__VA_ARGS__))
/* One that makes a FD; it does not block. */
int fx_fd(struct fx *, uint16_t object, uint16_t method, const struct rq_arg *);

/* A write command through INVOKE_WRITE. */
int fx_write(struct fx *, uint32_t cmd, const void *in, size_t in_len, void *out, size_t out_len);
#define FX_WRITE(f, cmd, in, out) fx_write(f, cmd, &(in), sizeof(in), &(out), sizeof(out))

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
#define FX_SRQ_RECORD (FX_MEM - 4096u) /* where its doorbell record is, in the client's memory */
#define FX_SRQ_HANDLE 0x5afe
void fx_fill_srq(struct fx *, struct request *, struct mlx5_ib_create_srq *, uint32_t pd);
void fx_fill_wq(struct fx *, struct request *, struct mlx5_ib_create_wq *, uint32_t pd, uint32_t cq);
/*
 * Creations are refused when one thing is spoiled: a field of mlx5's part (flip: these of its bits
 * are turned), or the value of an attribute. Each row has its errno and sentence.
 */
struct fx_spoil {
	const char *name;
	size_t at, len; /* len 0: of the attribute with this number */
	bool flip;
	uint64_t value;
	int err;
	const char *text;
};
#define FX_AT(type, field)    #field, offsetof(struct type, field), sizeof(((struct type *)0)->field)
#define FX_FIELD(type, field) FX_AT(type, field), false
#define FX_BITS(type, field)  FX_AT(type, field), true
#define FX_ATTR(id)	      #id, id, 0, false
typedef void fx_fill_fn(struct fx *, struct request *, void *u);
void fx_spoils(struct fx *, fx_fill_fn *, size_t u_len, const struct fx_spoil *, size_t n);
#define FX_SPOILS(f, fill, type, rows) \
	fx_spoils(f, fill, sizeof(struct type), rows, sizeof(rows) / sizeof((rows)[0]))

uint32_t fx_cq(struct fx *, uint32_t *cqn);
uint32_t fx_wq(struct fx *, uint32_t pd, uint32_t cq, uint32_t *rqn);
uint32_t fx_qp(struct fx *, uint32_t pd, uint32_t cq, uint32_t *qpn);
struct rq_args {
	struct rq_arg a[4];
};
struct rq_args fx_destroy_args(uint16_t object, uint32_t handle);
int fx_destroy(struct fx *, uint16_t object, uint16_t method, uint32_t handle);
#define FX_DESTROY(f, kind, handle) \
	fx_destroy(f, UVERBS_OBJECT_##kind, UVERBS_METHOD_##kind##_DESTROY, handle)

/* By DevX: a mailbox, which makes an object, asks it or goes alone; and a umem. */
int fx_devx_create(struct fx *, const void *in, size_t in_len, void *out, size_t out_len,
		   uint32_t *handle);
int fx_devx_query(struct fx *, uint32_t handle, const void *in, size_t in_len, void *out,
		  size_t out_len);
int fx_devx_other(struct fx *, const void *in, size_t in_len, void *out, size_t out_len);
int fx_devx_destroy(struct fx *, uint32_t handle);
struct fx_umem {
	const void *at;
	uint64_t len, access, sizes; /* sizes 0: no bitmap of them */
};
int fx_umem(struct fx *, struct fx_umem, uint32_t *handle, uint32_t *id);
uint32_t fx_pdn(struct fx *, uint32_t pd);

/* Inode of an open FD, as the preload passes it. */
uint64_t fx_inode(int fd);
/* Takes the FD that a request made out of it. */
int rq_take_fd(struct request *);

#endif
