/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_KERNEL_FIXTURE_H
#define TESTS_KERNEL_FIXTURE_H

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

/* A chip whose only client is the test, with an open file that has a DevX context. */
struct fx {
	struct clock clock; /* only the test moves it */
	uint64_t now;
	struct chip *chip;
	struct kernel *k;
	struct device *dev;
	struct vhca *v;
	struct mm *mm;
	struct uverbs_file *f;
	struct uverbs_file *guest; /* makes the requests; NULL: f makes them */
	uint8_t *mem; /* FX_MEM bytes of client memory, page aligned */
	int log;
	uint32_t objects; /* the function's objects before the file was opened */
};
#define FX_MEM (1u << 20)

int fx_setup(void **state);
/* Opens the e-switch's manager, in switchdev mode. */
int fx_setup_switchdev(void **state);
int fx_teardown(void **state);
#define FIXTURE_fx(name) FIXTURE(name, struct fx *f, fx_setup, fx_teardown)
#define FIXTURE_switchdev(name) FIXTURE(name, struct fx *f, fx_setup_switchdev, fx_teardown)
#define FX_REFUSES(f, call, err, text)                    \
	do {                                              \
		assert_int_equal(call, err);              \
		assert_true(test_logged((f)->log, text)); \
	} while (0)
/* Counts the firmware objects of the function. */
uint32_t fx_objects(const struct fx *);

/* A request that is being built. Buffers have the exact length, so that ASan finds overruns. */
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
			      uint64_t handle); /* or an inode, or place for a new handle */
struct uverbs_attr *rq_attr(struct request *, uint16_t id);
uint32_t rq_u32(struct request *, uint16_t id); /* returns the first word of an output */
uint32_t rq_new(struct request *);		/* returns the new handle, the first attribute */
int rq_run(struct fx *, struct request *);
/* Runs the request with mlx5's part. */
int rq_run_with(struct fx *, struct request *, const void *u, size_t len);
/* Runs a creation that succeeds, and is done with it; returns the handle, and the first word of an
 * output in *number unless that is NULL. */
uint32_t rq_create(struct fx *, struct request *, const void *u, size_t len, uint16_t id,
		   uint32_t *number);
void rq_done(struct request *);

/* A request as a list. Outputs are stored where its attributes point, also after a refusal. */
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
/* Runs a request that makes a FD, and returns it, nonblocking. */
int fx_fd(struct fx *, uint16_t object, uint16_t method, const struct rq_arg *);
int fx_async_fd(struct fx *);

/* Runs a write command by INVOKE_WRITE. */
int fx_write(struct fx *, uint32_t cmd, const void *in, size_t in_len, void *out, size_t out_len);
#define FX_WRITE(f, cmd, in, out) fx_write(f, cmd, &(in), sizeof(in), &(out), sizeof(out))

/* Make objects that most tests need, and assert success. */
int fx_context(struct fx *, struct uverbs_file *, bool devx);
uint32_t fx_pd(struct fx *);
uint32_t fx_uar(struct fx *); /* returns its number */
int fx_reg_mr(struct fx *, uint32_t pd, const void *at, uint64_t len, uint32_t access,
	      uint32_t *handle);
/* Fill in good requests, to be changed or run. */
#define FX_CQ_HANDLE 0xc0ffee
void fx_fill_cq(struct fx *, struct request *, struct mlx5_ib_create_cq *, uint32_t cqe);
void fx_fill_qp(struct fx *, struct request *, struct mlx5_ib_create_qp *, uint32_t pd, uint32_t cq);
#define FX_SRQ_RECORD (FX_MEM - 4096u) /* its doorbell record in client memory */
#define FX_SRQ_HANDLE 0x5afe
void fx_fill_srq(struct fx *, struct request *, struct mlx5_ib_create_srq *, uint32_t pd);
void fx_fill_wq(struct fx *, struct request *, struct mlx5_ib_create_wq *, uint32_t pd, uint32_t cq);
/*
 * A change that makes a good creation fail, with its errno and sentence: another value of an
 * attribute or of a field of mlx5's part; flip: XORs the field with the value.
 */
struct fx_spoil {
	const char *name;
	size_t at, len; /* len 0: `at` is the attribute's number */
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

/* DevX: commands that make or query an object, or belong to none; and a umem. */
int fx_devx_create(struct fx *, const void *in, size_t in_len, void *out, size_t out_len,
		   uint32_t *handle);
int fx_devx_query(struct fx *, uint32_t handle, const void *in, size_t in_len, void *out,
		  size_t out_len);
int fx_devx_other(struct fx *, const void *in, size_t in_len, void *out, size_t out_len);
int fx_devx_destroy(struct fx *, uint32_t handle);
struct fx_umem {
	const void *at;
	uint64_t len, access, sizes; /* sizes 0: no bitmap */
};
int fx_umem(struct fx *, struct fx_umem, uint32_t *handle, uint32_t *id);
uint32_t fx_pdn(struct fx *, uint32_t pd);

/* Returns the inode of an open FD, which the preload would pass. */
uint64_t fx_inode(int fd);
/* Returns the FD that a request made; the caller owns it. */
int rq_take_fd(struct request *);

#endif
