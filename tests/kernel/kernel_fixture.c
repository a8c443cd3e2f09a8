/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "kernel_fixture.h"
#include "base/log.h"
#include "host/client.h"

#define CQ_AT 0x10000u /* offsets in the client's memory */
#define QP_AT 0x20000u
#define DB_AT 0x40u

static uint64_t fx_now(struct clock *c)
{
	return ((struct fx *)((char *)c - offsetof(struct fx, clock)))->now;
}

/* A profile without RLIMIT_MEMLOCK, so that tests pass for users with a low limit. */
static struct profile unlimited;

static int fx_open(void **state, unsigned int function, bool switchdev)
{
	struct fx *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->log = memfd_create("log", 0);
	sim_log_to(f->log);
	f->clock.now = fx_now;
	f->clock.utc = fx_now;
	f->now = 1;
	unlimited = profile_bluefield2;
	unlimited.memlock = false;
	unlimited.switchdev = switchdev;
	f->chip = chip_new(&unlimited, &f->clock);
	assert_non_null(f->chip);
	f->k = chip_kernel(f->chip);
	f->dev = chip_device(f->chip);
	f->v = &f->dev->vhca[function];
	f->objects = fx_objects(f);
	f->mm = mm_open(chip_host(f->chip), getpid(), (int)syscall(SYS_pidfd_open, getpid(), 0));
	f->mem = mmap(NULL, FX_MEM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(f->mem, MAP_FAILED);
	f->f = kernel_open(f->k, f->mm, function);
	assert_non_null(f->f);
	assert_int_equal(fx_context(f, f->f, true), 0);
	*state = f;
	return 0;
}

int fx_setup(void **state)
{
	return fx_open(state, BLUEFIELD2_HOST, false);
}

int fx_setup_switchdev(void **state)
{
	return fx_open(state, BLUEFIELD2_DPU, true);
}

/* Asserts that close() leaves no objects of the test in the function. */
int fx_teardown(void **state)
{
	struct fx *f = *state;

	if (f->f)
		kernel_close(f->f);
	assert_int_equal(fx_objects(f), f->objects);
	mm_close(f->mm);
	chip_free(f->chip);
	munmap(f->mem, FX_MEM);
	sim_log_to(2);
	close(f->log);
	free(f);
	return 0;
}

uint32_t fx_objects(const struct fx *f)
{
	uint32_t n = 0;

	for (unsigned int t = 0; t < OBJ_NTYPES; t++)
		n += obj_count(f->v, (enum obj_type)t);
	return n;
}

/* --- requests -------------------------------------------------------------------------------- */

void rq_init(struct request *r, uint16_t object, uint16_t method)
{
	memset(r, 0, sizeof(*r));
	r->req.object = object;
	r->req.method = method;
	r->req.spec = method_find(object, method);
	r->req.driver = RDMA_DRIVER_MLX5;
	r->req.attrs = r->attrs;
}

static void *hold(struct request *r, size_t len)
{
	void *p = malloc(len ? len : 1);

	assert_non_null(p);
	r->held[r->nheld++] = p;
	return p;
}

static struct uverbs_attr *add(struct request *r, uint16_t id, size_t len)
{
	struct uverbs_attr *a = &r->attrs[r->req.nattrs++];

	a->id = id;
	a->flags = UVERBS_ATTR_F_MANDATORY;
	a->len = (uint32_t)len;
	a->in = (const uint8_t *)&a->data;
	return a;
}

struct uverbs_attr *rq_in(struct request *r, uint16_t id, const void *p, size_t len)
{
	struct uverbs_attr *a = add(r, id, len);

	if (len <= sizeof(a->data)) {
		memcpy(&a->data, p, len);
	} else {
		void *copy = hold(r, len);

		memcpy(copy, p, len);
		a->in = copy;
	}
	return a;
}

struct uverbs_attr *rq_value(struct request *r, uint16_t id, uint64_t value, size_t len)
{
	struct uverbs_attr *a = add(r, id, len);

	a->data = value;
	return a;
}

struct uverbs_attr *rq_out(struct request *r, uint16_t id, size_t len)
{
	struct uverbs_attr *a = add(r, id, len);

	a->out = hold(r, len);
	memset(a->out, 0xa5, len);
	return a;
}

struct uverbs_attr *rq_handle(struct request *r, uint16_t id, uint64_t handle)
{
	struct uverbs_attr *a = add(r, id, 0);

	a->data = handle;
	return a;
}

struct uverbs_attr *rq_attr(struct request *r, uint16_t id)
{
	for (unsigned int i = 0; i < r->req.nattrs; i++) {
		if (r->attrs[i].id == id)
			return &r->attrs[i];
	}
	fail_msg("attribute 0x%x is not in the request", id);
	return NULL;
}

uint32_t rq_u32(struct request *r, uint16_t id)
{
	uint32_t v;

	memcpy(&v, rq_attr(r, id)->out, sizeof(v));
	return v;
}

int rq_run(struct fx *f, struct request *r)
{
	return f->guest ? kernel_ioctl_guest(f->guest, &r->req) : kernel_ioctl(f->f, &r->req);
}

int rq_run_with(struct fx *f, struct request *r, const void *u, size_t len)
{
	rq_in(r, UVERBS_ATTR_UHW_IN, u, len);
	return rq_run(f, r);
}

uint32_t rq_new(struct request *r)
{
	return (uint32_t)r->attrs[0].data;
}

uint32_t rq_create(struct fx *f, struct request *r, const void *u, size_t len, uint16_t id,
		   uint32_t *number)
{
	uint32_t handle;

	assert_int_equal(rq_run_with(f, r, u, len), 0);
	handle = rq_new(r);
	if (number)
		*number = rq_u32(r, id);
	rq_done(r);
	return handle;
}

void rq_done(struct request *r)
{
	for (unsigned int i = 0; i < r->nheld; i++)
		free(r->held[i]);
	for (unsigned int i = 0; i < r->req.nfds; i++)
		close(r->req.fds[i].fd);
}

void rq_make(struct request *r, uint16_t object, uint16_t method, const struct rq_arg *a)
{
	rq_init(r, object, method);
	for (; a->kind != RQ_END; a++) {
		if (a->kind == RQ_IN)
			rq_in(r, a->id, a->in, a->len);
		else if (a->kind == RQ_OUT)
			rq_out(r, a->id, a->len);
		else if (a->kind != RQ_NONE)
			rq_value(r, a->id, a->value, a->len);
	}
}

void rq_take(struct request *r, const struct rq_arg *a)
{
	for (; a->kind != RQ_END; a++) {
		if (a->kind == RQ_OUT && a->out)
			memcpy(a->out, rq_attr(r, a->id)->out, a->len);
		else if (a->kind == RQ_NEW && a->out)
			*(uint32_t *)a->out = (uint32_t)rq_attr(r, a->id)->data;
	}
	rq_done(r);
}

int fx_call(struct fx *f, uint16_t object, uint16_t method, const struct rq_arg *a)
{
	struct request r;
	int err;

	rq_make(&r, object, method, a);
	err = rq_run(f, &r);
	rq_take(&r, a);
	return err;
}

int fx_fd(struct fx *f, uint16_t object, uint16_t method, const struct rq_arg *a)
{
	struct request r;
	int fd;

	rq_make(&r, object, method, a);
	assert_int_equal(rq_run(f, &r), 0);
	fd = rq_take_fd(&r);
	rq_take(&r, a);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return fd;
}

int fx_async_fd(struct fx *f)
{
	return fx_fd(f, UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC,
		     RQ_ARGS(A_NEW(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, NULL)));
}

int rq_take_fd(struct request *r)
{
	assert_int_equal(r->req.nfds, 1);
	r->req.nfds = 0;
	return r->req.fds[0].fd;
}

uint64_t fx_inode(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_ino;
}

int fx_write(struct fx *f, uint32_t cmd, const void *in, size_t in_len, void *out, size_t out_len)
{
	return FX_CALL(f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE,
		       A_VALUE(UVERBS_ATTR_WRITE_CMD, cmd, 8),
		       A_IN(UVERBS_ATTR_CORE_IN, in, in_len),
		       out_len ? A_OUT(UVERBS_ATTR_CORE_OUT, out, out_len) : A_NONE,
		       A_OUT(UVERBS_ATTR_UHW_OUT, NULL, 64));
}

/* --- objects --------------------------------------------------------------------------------- */

int fx_context(struct fx *f, struct uverbs_file *file, bool devx)
{
	struct mlx5_ib_alloc_ucontext_req_v2 in = {
		.total_num_bfregs = 16,
		.num_low_latency_bfregs = 4,
		.flags = devx ? MLX5_IB_ALLOC_UCTX_DEVX : 0,
		.max_cqe_version = 1,
		.lib_caps = MLX5_LIB_CAP_4K_UAR | MLX5_LIB_CAP_DYN_UAR,
	};
	struct uverbs_file *mine = f->f;
	int err;

	f->f = file;
	err = FX_CALL(f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT,
		      A_OUT(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, NULL, 4),
		      A_OUT(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, NULL, 8),
		      A_IN(UVERBS_ATTR_UHW_IN, &in, sizeof(in)),
		      A_OUT(UVERBS_ATTR_UHW_OUT, NULL, sizeof(struct mlx5_ib_alloc_ucontext_resp)));
	f->f = mine;
	return err;
}

uint32_t fx_pd(struct fx *f)
{
	const struct ib_uverbs_alloc_pd in = {0};
	struct ib_uverbs_alloc_pd_resp out;

	assert_int_equal(FX_WRITE(f, IB_USER_VERBS_CMD_ALLOC_PD, in, out), 0);
	return out.pd_handle;
}

uint32_t fx_pdn(struct fx *f, uint32_t pd)
{
	uint32_t pdn;

	assert_int_equal(FX_CALL(f, UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY,
				 A_HANDLE(MLX5_IB_ATTR_QUERY_PD_HANDLE, pd),
				 A_OUT(MLX5_IB_ATTR_QUERY_PD_RESP_PDN, &pdn, 4)),
			 0);
	return pdn;
}

uint32_t fx_uar(struct fx *f)
{
	uint32_t number;

	assert_int_equal(
		FX_CALL(f, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC,
			A_NEW(MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, NULL),
			A_VALUE(MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF, 8),
			A_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, NULL, 8),
			A_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, NULL, 4),
			A_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &number, 4)),
		0);
	return number;
}

int fx_reg_mr(struct fx *f, uint32_t pd, const void *at, uint64_t len, uint32_t access,
	      uint32_t *handle)
{
	const struct ib_uverbs_reg_mr in = {.start = (uintptr_t)at,
					    .length = len,
					    .hca_va = (uintptr_t)at,
					    .pd_handle = pd,
					    .access_flags = access};
	struct ib_uverbs_reg_mr_resp out;
	int err = FX_WRITE(f, IB_USER_VERBS_CMD_REG_MR, in, out);

	if (!err && handle)
		*handle = out.mr_handle;
	return err;
}

void fx_fill_cq(struct fx *f, struct request *r, struct mlx5_ib_create_cq *u, uint32_t cqe)
{
	*u = (struct mlx5_ib_create_cq){.buf_addr = (uintptr_t)f->mem + CQ_AT,
					.db_addr = (uintptr_t)f->mem + DB_AT,
					.cqe_size = 64,
					.flags = MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX,
					.uar_page_index = (uint16_t)fx_uar(f)};
	rq_init(r, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	rq_handle(r, UVERBS_ATTR_CREATE_CQ_HANDLE, 0);
	rq_value(r, UVERBS_ATTR_CREATE_CQ_CQE, cqe, 4);
	rq_value(r, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, FX_CQ_HANDLE, 8);
	rq_value(r, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 0, 4);
	rq_out(r, UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4);
	rq_out(r, UVERBS_ATTR_UHW_OUT, sizeof(struct mlx5_ib_create_cq_resp));
}

uint32_t fx_cq(struct fx *f, uint32_t *cqn)
{
	struct mlx5_ib_create_cq u;
	struct request r;
	uint32_t handle;

	fx_fill_cq(f, &r, &u, 127);
	assert_int_equal(rq_run_with(f, &r, &u, sizeof(u)), 0);
	assert_int_equal(rq_u32(&r, UVERBS_ATTR_CREATE_CQ_RESP_CQE), 127);
	handle = rq_new(&r);
	if (cqn)
		*cqn = rq_u32(&r, UVERBS_ATTR_UHW_OUT);
	rq_done(&r);
	return handle;
}

void fx_fill_qp(struct fx *f, struct request *r, struct mlx5_ib_create_qp *u, uint32_t pd, uint32_t cq)
{
	const struct ib_uverbs_qp_cap cap = {64, 64, 4, 4, 0};

	*u = (struct mlx5_ib_create_qp){.buf_addr = (uintptr_t)f->mem + QP_AT,
					.db_addr = (uintptr_t)f->mem + DB_AT + 8,
					.sq_wqe_count = 64,
					.rq_wqe_count = 64,
					.rq_wqe_shift = 6,
					.flags = MLX5_QP_FLAG_SCATTER_CQE |
						 MLX5_QP_FLAG_UAR_PAGE_INDEX,
					.bfreg_index = fx_uar(f)};
	rq_init(r, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	rq_handle(r, UVERBS_ATTR_CREATE_QP_HANDLE, 0);
	rq_handle(r, UVERBS_ATTR_CREATE_QP_PD_HANDLE, pd);
	rq_handle(r, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, cq);
	rq_handle(r, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, cq);
	rq_value(r, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 0xbeef, 8);
	rq_in(r, UVERBS_ATTR_CREATE_QP_CAP, &cap, sizeof(cap));
	rq_value(r, UVERBS_ATTR_CREATE_QP_TYPE, IB_UVERBS_QPT_RC, 8);
	rq_out(r, UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(cap));
	rq_out(r, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4);
	rq_out(r, UVERBS_ATTR_UHW_OUT, sizeof(struct mlx5_ib_create_qp_resp));
}

#define SRQ_AT (FX_MEM - 131072u)

/* Fills in libmlx5's request for 15 receives with up to 3 SGEs. */
void fx_fill_srq(struct fx *f, struct request *r, struct mlx5_ib_create_srq *u, uint32_t pd)
{
	*u = (struct mlx5_ib_create_srq){.buf_addr = (uintptr_t)f->mem + SRQ_AT,
					 .db_addr = (uintptr_t)f->mem + FX_SRQ_RECORD};
	rq_init(r, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE);
	rq_handle(r, UVERBS_ATTR_CREATE_SRQ_HANDLE, 0);
	rq_handle(r, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, pd);
	rq_value(r, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, FX_SRQ_HANDLE, 8);
	rq_value(r, UVERBS_ATTR_CREATE_SRQ_MAX_WR, 15, 4);
	rq_value(r, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 3, 4);
	rq_value(r, UVERBS_ATTR_CREATE_SRQ_LIMIT, 9, 4);
	rq_value(r, UVERBS_ATTR_CREATE_SRQ_TYPE, IB_UVERBS_SRQT_BASIC, 4);
	rq_out(r, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 4);
	rq_out(r, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 4);
	rq_out(r, UVERBS_ATTR_UHW_OUT, sizeof(struct mlx5_ib_create_srq_resp));
}

#define WQ_AT (FX_MEM - 131072u)
#define WQ_DB (FX_MEM - 135168u)

void fx_fill_wq(struct fx *f, struct request *r, struct mlx5_ib_create_wq *u, uint32_t pd, uint32_t cq)
{
	*u = (struct mlx5_ib_create_wq){
		.buf_addr = (uintptr_t)f->mem + WQ_AT,
		.db_addr = (uintptr_t)f->mem + WQ_DB,
		.rq_wqe_count = 16,
		.rq_wqe_shift = 5,
		.user_index = 5,
	};
	rq_init(r, UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_CREATE);
	rq_handle(r, UVERBS_ATTR_CREATE_WQ_HANDLE, 0);
	rq_handle(r, UVERBS_ATTR_CREATE_WQ_PD_HANDLE, pd);
	rq_handle(r, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, cq);
	rq_value(r, UVERBS_ATTR_CREATE_WQ_USER_HANDLE, 0xbeef, 8);
	rq_value(r, UVERBS_ATTR_CREATE_WQ_TYPE, IB_UVERBS_WQT_RQ, 8);
	rq_value(r, UVERBS_ATTR_CREATE_WQ_MAX_WR, 16, 4);
	rq_value(r, UVERBS_ATTR_CREATE_WQ_MAX_SGE, 2, 4);
	rq_value(r, UVERBS_ATTR_CREATE_WQ_FLAGS, 0, 8);
	rq_out(r, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, 4);
	rq_out(r, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, 4);
	rq_out(r, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, 4);
	rq_out(r, UVERBS_ATTR_UHW_OUT, sizeof(struct mlx5_ib_create_wq_resp));
}

uint32_t fx_qp(struct fx *f, uint32_t pd, uint32_t cq, uint32_t *qpn)
{
	struct mlx5_ib_create_qp u;
	struct request r;

	fx_fill_qp(f, &r, &u, pd, cq);
	return rq_create(f, &r, &u, sizeof(u), UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, qpn);
}

uint32_t fx_wq(struct fx *f, uint32_t pd, uint32_t cq, uint32_t *rqn)
{
	struct mlx5_ib_create_wq u;
	struct request r;
	uint32_t handle;

	fx_fill_wq(f, &r, &u, pd, cq);
	assert_int_equal(rq_run_with(f, &r, &u, sizeof(u)), 0);
	assert_int_equal(rq_u32(&r, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE), 2);
	handle = rq_new(&r);
	if (rqn)
		*rqn = rq_u32(&r, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM);
	rq_done(&r);
	return handle;
}

static void fx_spoil(struct request *r, uint8_t *u, const struct fx_spoil *s)
{
	uint64_t old = 0;

	if (s->len) {
		memcpy(&old, u + s->at, s->len);
		old = s->flip ? old ^ s->value : s->value;
		memcpy(u + s->at, &old, s->len);
		return;
	}
	for (unsigned int i = 0; i < r->req.nattrs; i++)
		if (r->attrs[i].id == s->at) {
			r->attrs[i].data = s->value;
			return;
		}
	rq_value(r, (uint16_t)s->at, s->value, 8);
}

void fx_spoils(struct fx *f, fx_fill_fn *fill, size_t u_len, const struct fx_spoil *s, size_t n)
{
	for (const struct fx_spoil *end = s + n; s < end; s++) {
		uint64_t u[32];
		uint32_t before;
		struct request r;
		int err;

		assert_true(u_len <= sizeof(u));
		fill(f, &r, u);
		before = fx_objects(f);
		fx_spoil(&r, (uint8_t *)u, s);
		err = rq_run_with(f, &r, u, u_len);
		if (err != s->err || !test_logged(f->log, s->text))
			print_message("%s 0x%llx: %d, not %d (%s)\n", s->name,
				      (unsigned long long)s->value, err, s->err, s->text);
		assert_int_equal(err, s->err);
		assert_true(test_logged(f->log, s->text));
		assert_int_equal(fx_objects(f), before);
		rq_done(&r);
	}
}

/* Builds the request of a destroy method: attribute 0 of its name space is the handle. */
struct rq_args fx_destroy_args(uint16_t object, uint32_t handle)
{
	struct rq_args args = {{A_HANDLE(object & UVERBS_ID_NS_MASK, handle)}};

	if (object == UVERBS_OBJECT_CQ)
		args.a[1] = A_OUT(UVERBS_ATTR_DESTROY_CQ_RESP, NULL,
				  sizeof(struct ib_uverbs_destroy_cq_resp));
	else if (object == UVERBS_OBJECT_QP)
		args.a[1] = A_OUT(UVERBS_ATTR_DESTROY_QP_RESP, NULL, 4);
	else if (object == UVERBS_OBJECT_WQ)
		args.a[1] = A_OUT(UVERBS_ATTR_DESTROY_WQ_RESP, NULL, 4);
	else if (object == UVERBS_OBJECT_SRQ)
		args.a[1] = A_OUT(UVERBS_ATTR_DESTROY_SRQ_RESP, NULL, 4);
	return args;
}

int fx_destroy(struct fx *f, uint16_t object, uint16_t method, uint32_t handle)
{
	return fx_call(f, object, method, fx_destroy_args(object, handle).a);
}

/* --- DevX ------------------------------------------------------------------------------------ */

int fx_devx_create(struct fx *f, const void *in, size_t in_len, void *out, size_t out_len,
		   uint32_t *handle)
{
	return FX_CALL(f, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE,
		       A_NEW(MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, handle),
		       A_IN(MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, in, in_len),
		       A_OUT(MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, out, out_len));
}

int fx_devx_query(struct fx *f, uint32_t handle, const void *in, size_t in_len, void *out,
		  size_t out_len)
{
	return FX_CALL(f, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_QUERY,
		       A_HANDLE(MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE, handle),
		       A_IN(MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN, in, in_len),
		       A_OUT(MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT, out, out_len));
}

int fx_devx_other(struct fx *f, const void *in, size_t in_len, void *out, size_t out_len)
{
	return FX_CALL(f, MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER,
		       A_IN(MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, in, in_len),
		       A_OUT(MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, out, out_len));
}

int fx_devx_destroy(struct fx *f, uint32_t handle)
{
	return fx_destroy(f, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, handle);
}

int fx_umem(struct fx *f, struct fx_umem u, uint32_t *handle, uint32_t *id)
{
	return FX_CALL(f, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG,
		       A_NEW(MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, handle),
		       A_VALUE(MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, (uintptr_t)u.at, 8),
		       A_VALUE(MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, u.len, 8),
		       A_VALUE(MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, u.access, 4),
		       u.sizes ? A_VALUE(MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, u.sizes, 8)
			       : A_NONE,
		       A_OUT(MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, id, 4));
}
