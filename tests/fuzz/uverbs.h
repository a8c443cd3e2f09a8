/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of the random programs of uverbs.c, and the objects that they use. */
#ifndef TESTS_FUZZ_UVERBS_H
#define TESTS_FUZZ_UVERBS_H

#include "kernel/flow/objects.h"
#include "kernel/devx/devx.h"
#include "kernel/verbs/qp.h"
#include "fuzz.h"
#include "tests/kernel/kernel_fixture.h"

#define FUZZ_HANDLES 140u

/* In the client's memory; the first three as kernel_fixture.c has them. */
#define CQ_DB	0x40u
#define QP_DB	0x48u
#define QP_AT	0x20000u
#define SQ_AT	0x60000u
#define DATA_AT 0x80000u

/* The file in it changes from step to step. */
extern struct fx *f;
extern uint32_t lkeys[1024]; /* by PD */

/* A living object of this class, or NULL. */
struct uobj *pick(const struct uobj_class *class);
/* Its handle; now and then any number at all. */
uint32_t handle(const struct uobj_class *class);

/* Queues. */
void make_qp(void);
void make_srq(void);
void make_wq(void);
void make_table(void);
void make_rss(void);
void modify_qp(void);
void modify_wq(void);

/* Flows. */
void make_matcher(void);
void make_flow(void);
void make_verbs_flow(void);
void make_counters(void);
void make_action(void);
void make_anchor(void);

/* DevX. */
void make_devx_counter(void);
void make_devx_tir(void);
void make_devx_flow_table(void);

/* DevX, on umems (uverbs_devx.c). */
void make_umem(void);
void make_devx_number(void);
void make_devx_tis(void);
void make_devx_mkey(void);
void make_devx_cq(void);
void make_devx_queue(void);
void make_devx_qp(void);
void modify_devx(void);
void make_dm_mr(void);

/* Any method at all (uverbs_any.c). */
void any_request(void);
void any_fill(struct request *);
/* Runs the request and frees it: whatever it ends in. */
void run_request(struct request *);

/* Memory and channels. */
void make_pd(void);
void make_cq(void);
void make_dm(void);
void make_channel(void);

#endif
