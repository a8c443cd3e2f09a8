/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects that the tests of raw packets share: one of each kind, created by commands. */
#ifndef TESTS_FW_RAW_RIG_H
#define TESTS_FW_RAW_RIG_H

#include <errno.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/rq.h>
#include <dvx/prm/wqe.h>
#include "fw_fixture.h"

struct parts {
	struct fx_queue q;
	uint32_t td, tis, sq, rq;
};

uint32_t make(struct fx *f, uint16_t opcode, void *in, size_t len);
/* Fills a TIR like fx_fill_tir(), or with a table and a hash. */
size_t fill_tir(void *in, const struct parts *p, uint32_t rqt);
/* Creates a queue's memory and CQ, TIS, SQ and RQ, both in RST. */
struct parts parts(struct fx *f);
uint8_t modify_sq(struct fx *f, uint32_t sqn, unsigned int from, unsigned int to);
uint8_t modify_rq(struct fx *f, uint32_t rqn, unsigned int from, unsigned int to, uint64_t mask);

#endif
