/* SPDX-License-Identifier: BSD-2-Clause */
/* A preload for verify.sh: dvx-verify meets a device that answers otherwise, as $PLANT names. */
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <dvx/dvx.h>
#include <infiniband/mlx5dv.h>

static bool planted(const char *kind)
{
	const char *is = getenv("PLANT");

	return is && !strcmp(is, kind);
}

/* The function of this name that the preload stands before. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void dvx_cqe_error(const void *cqe, struct dvx_cqe_failure *out)
{
	NEXT(dvx_cqe_error)(cqe, out);
	if (planted("errors"))
		out->syndrome ^= 0x40;
}

/* Commands are refused with another status. */
const struct dvx_error *dvx_last_error(void)
{
	static struct dvx_error e;

	e = *NEXT(dvx_last_error)();
	if (planted("errors") && e.status)
		e.status ^= 0x40;
	return &e;
}

int dvx_cmd(struct dvx_dev *dev, const void *in, size_t in_len, void *out, size_t out_len)
{
	int err = NEXT(dvx_cmd)(dev, in, in_len, out, out_len);

	return planted("accepts") ? 0 : err;
}

int dvx_obj_create(struct dvx_dev *dev, const void *in, size_t in_len, void *out, size_t out_len,
		   struct dvx_obj **obj)
{
	int err = NEXT(dvx_obj_create)(dev, in, in_len, out, out_len, obj);

	return planted("accepts") ? 0 : err;
}

int dvx_obj_query(struct dvx_obj *obj, const void *in, size_t in_len, void *out, size_t out_len)
{
	int err = NEXT(dvx_obj_query)(obj, in, in_len, out, out_len);

	return planted("accepts") ? 0 : err;
}

int dvx_obj_modify(struct dvx_obj *obj, const void *in, size_t in_len, void *out, size_t out_len)
{
	int err = NEXT(dvx_obj_modify)(obj, in, in_len, out, out_len);

	return planted("accepts") ? 0 : err;
}

int dvx_dev_cap_page(struct dvx_dev *dev, uint16_t type, const void **page)
{
	static uint8_t other[4096];
	int err = NEXT(dvx_dev_cap_page)(dev, type, page);

	for (size_t i = 0; !err && planted("caps") && i < sizeof(other); i++)
		other[i] = (uint8_t) ~((const uint8_t *)*page)[i];
	if (!err && planted("caps"))
		*page = other;
	return err;
}

/* ---- values: what completions say, and the data that they are about ---- */

static struct dvx_cq *cqs[16];
static const uint8_t *seen[16]; /* the CQE of each that was changed last */
static size_t cq_count;
static struct dvx_mem *data;

int dvx_cq_create(struct dvx_dev *dev, const struct dvx_cq_attr *attr, struct dvx_cq **out)
{
	int err = NEXT(dvx_cq_create)(dev, attr, out);

	if (!err && cq_count < 16)
		cqs[cq_count++] = *out;
	return err;
}

int dvx_mem_alloc(size_t len, const struct dvx_place *place, struct dvx_mem **out)
{
	int err = NEXT(dvx_mem_alloc)(len, place, out);

	if (!err && len == 1u << 20)
		data = *out;
	return err;
}

static void flip(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] ^= 0x11;
}

/* Changes a CQE that has come but for its owner, opcode and index. */
static void change(size_t i)
{
	const uint8_t *cqe = dvx_cq_peek(cqs[i]);

	if (!cqe || cqe == seen[i])
		return;
	seen[i] = cqe;
	flip((uint8_t *)(uintptr_t)cqe, DVX_CQE_BYTES - 4);
	if (data)
		flip(dvx_mem_addr(data), 8192);
}

/* Called between the arrival of a completion and its use. */
int clock_gettime(clockid_t clock, struct timespec *to)
{
	for (size_t i = 0; planted("values") && i < cq_count; i++)
		change(i);
	return NEXT(clock_gettime)(clock, to);
}

/* ---- numbers, owner bits, memory ---- */

uint32_t dvx_qp_number(const struct dvx_qp *qp)
{
	return planted("numbers") ? 5 : NEXT(dvx_qp_number)(qp);
}

uint32_t dvx_dct_number(const struct dvx_dct *dct)
{
	return planted("numbers") ? 5 : NEXT(dvx_dct_number)(dct);
}

/* Called after the arrival of a completion in a collapsed CQ. */
int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	if (planted("owner") && cq_count)
		((uint8_t *)(uintptr_t)cqs[0]->first)[DVX_CQE_BYTES - 1] ^= 1;
	return NEXT(nanosleep)(wanted, left);
}

#undef ibv_reg_mr
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t len, int access)
{
	if (planted("pinned"))
		access &= ~IBV_ACCESS_ON_DEMAND;
	return NEXT(ibv_reg_mr)(pd, addr, len, access);
}

void *mlx5dv_dm_map_op_addr(struct ibv_dm *dm, uint8_t op)
{
	static uint8_t plain[64];

	return planted("values") ? plain : NEXT(mlx5dv_dm_map_op_addr)(dm, op);
}

int dvx_pd_alloc(struct dvx_dev *dev, struct dvx_pd **out)
{
	if (planted("crash"))
		raise(SIGSEGV);
	while (planted("hang"))
		pause();
	return NEXT(dvx_pd_alloc)(dev, out);
}

/* The time limit passes at once. */
int poll(struct pollfd *p, nfds_t n, int ms)
{
	return NEXT(poll)(p, n, planted("hang") && ms > 1000 ? 300 : ms);
}
