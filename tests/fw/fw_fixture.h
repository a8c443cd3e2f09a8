/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_FW_FIXTURE_H
#define TESTS_FW_FIXTURE_H

#include "tests/test.h"
#include <dvx/prm/alias.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cq.h>
#include <dvx/prm/dct.h>
#include <dvx/prm/eq.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/misc.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/qp.h>
#include <dvx/prm/query.h>
#include <dvx/prm/rq.h>
#include "fw/fw.h"
#include "host/client.h"
#include "obj/mkey.h"
#include "obj/device.h"
#include "prm/reflect.h"

/*
 * A chip without a loop, whose only client is the test. Commands use mailboxes of exactly their
 * length on the heap, so that AddressSanitizer notices any access past them.
 */
struct fx {
	struct host *host;
	struct mm *mm;
	struct profile profile; /* a copy: tests vary it */
	struct device dev;
	struct vhca *v; /* the host's function */
	struct vhca *dpu;
	struct vhca *vf;
	uint8_t *mem;	   /* client memory for rings and records: FX_MEM bytes, page aligned */
	int log;	   /* a memfd with the log's lines */
	uint32_t syndrome; /* of the last command */
	uint8_t out[4112]; /* its reply */
};
#define FX_MEM (1u << 20)
#define FX_UID 7

int fx_setup(void **state);
/* Sets up as fx_setup() does, on a chip with this many SFs. */
int fx_setup_sfs(void **state, uint8_t sfs);
int fx_teardown(void **state);
#define FIXTURE_fx(name) FIXTURE(name, struct fx *f, fx_setup, fx_teardown)

/* Executes a command, with opcode and uid written into its header, and returns its status. */
uint8_t fx_exec(struct fx *, struct vhca *, uint16_t opcode, uint16_t uid, void *in, size_t in_len,
		size_t out_len);
/* Executes a command of the host's function and FX_UID, with a short reply. */
#define FX_EXEC(f, op, in, len) fx_exec(f, (f)->v, PRM_OPCODE_##op, FX_UID, in, len, 16)
#define FX_REFUSES(f, op, in, len, status, reason)                 \
	do {                                                       \
		assert_int_equal(FX_EXEC(f, op, in, len), status); \
		assert_int_equal((f)->syndrome, reason);           \
	} while (0)

/*
 * A command of its structure's length, given as fields by their paths in the reflection rows. The
 * reply has its structure's length, too. FX(f, ALLOC_PD, {"op_mod", 1}).
 */
struct fx_field {
	const char *path; /* NULL: the end */
	uint64_t value;
};
#define FX_FIELDS(...) ((const struct fx_field[24]){__VA_ARGS__})
uint8_t fx_cmd(struct fx *, struct vhca *, uint16_t opcode, uint16_t uid, const struct fx_field *);
#define FX(f, op, ...) fx_cmd(f, (f)->v, PRM_OPCODE_##op, FX_UID, FX_FIELDS(__VA_ARGS__))
/* Executes a command on a general object of this structure, with a mailbox of in_len bytes. */
uint8_t fx_general(struct fx *, struct vhca *, uint16_t opcode, const char *structure, size_t in_len,
		   const struct fx_field *);
/* fx_set() sets fields of the structure at p; fx_holds() asserts their values. */
void fx_set(const struct prm_struct *, void *p, const struct fx_field *);
void fx_holds(const struct prm_struct *, const void *p, const struct fx_field *);
#define FX_SET(in, op, ...) fx_set(prm_command_in(PRM_OPCODE_##op), in, FX_FIELDS(__VA_ARGS__))
/* Fills a command with these fields and zeros; returns the structure's length. */
size_t fx_fill(uint16_t opcode, void *in, const struct fx_field *);
#define FX_FILL(in, op, ...) fx_fill(PRM_OPCODE_##op, in, FX_FIELDS(__VA_ARGS__))
/* Asserts that the last reply has these values. */
#define FX_ASSERT_REPLY(f, op, ...) \
	fx_holds(prm_command_out(PRM_OPCODE_##op), (f)->out, FX_FIELDS(__VA_ARGS__))
/* Creates an object, and returns its number: the reply's 24 bits at 0x48. */
#define FX_MAKE(f, op, ...) (assert_int_equal(FX(f, op, __VA_ARGS__), 0), fx_made(f))
uint32_t fx_made(const struct fx *);

/* Create the objects that most commands need, and assert success. */
uint32_t fx_pd(struct fx *, struct vhca *, uint16_t uid);
uint32_t fx_uar(struct fx *, struct vhca *, uint16_t uid);
uint32_t fx_eq(struct fx *, struct vhca *);
uint32_t fx_umem(struct fx *, struct vhca *, uint16_t uid, const void *at, size_t len, bool write);

/* Fill valid commands, of which tests then spoil one field. in has FX_IN bytes. */
#define FX_IN 1024
size_t fx_fill_umem(struct fx *, void *in, const void *at, size_t len, bool write);
size_t fx_fill_mkey(void *in, uint32_t pd, uint32_t umem, const void *at, size_t len);
size_t fx_fill_cq(void *in, uint32_t eq, uint32_t uar, uint32_t umem);
size_t fx_fill_qp(void *in, uint32_t pd, uint32_t cq, uint32_t uar, uint32_t umem);

/* SQ, RQ and RMP (a linked list) of 16 x 64 bytes on a queue's umem and CQ; a TIR of one RQ. */
#define FX_SQ_AT   16384u
#define FX_RQ_AT   20480u
#define FX_SQ_DBR  512u
#define FX_RQ_DBR  1024u
#define FX_RMP_AT  24576u
#define FX_RMP_DBR 2048u
struct fx_queue;
size_t fx_fill_sq(void *in, const struct fx_queue *, uint32_t tis);
size_t fx_fill_rq(void *in, const struct fx_queue *);
size_t fx_fill_rmp(void *in, const struct fx_queue *);
size_t fx_fill_tir(void *in, uint32_t td, uint32_t rq);
size_t fx_fill_rqt(void *in, uint32_t max, uint32_t n, uint32_t rqn);

/* Creates steering memory of 2^log_size bytes and returns the status; its number is obj_id. */
uint8_t fx_sw_icm(struct fx *, uint16_t uid, uint64_t addr, unsigned int log_size);

uint32_t fx_mkey(struct fx *, struct vhca *, uint16_t uid, uint32_t pd, uint32_t umem,
		 const void *at, size_t len);

/* A queue and the objects that it refers to. */
struct fx_queue {
	uint32_t pd, uar, eq, umem, cq, qp;
};
struct fx_queue fx_queue(struct fx *, struct vhca *, uint16_t uid);
uint32_t fx_rmp(struct fx *, const struct fx_queue *);

/* Executes a destroy or query command: opcode and the 24-bit number at bit 0x48. */
uint8_t fx_number(struct fx *, struct vhca *, uint16_t opcode, uint16_t uid, uint32_t number,
		  size_t out_len);
#define FX_NUMBER(f, op, number) fx_number(f, (f)->v, PRM_OPCODE_##op, FX_UID, number, 16)
/* Executes a query with its whole reply. */
#define FX_QUERY(f, op, number)                               \
	fx_number(f, (f)->v, PRM_OPCODE_##op, FX_UID, number, \
		  prm_command_out(PRM_OPCODE_##op)->bytes)

/* Statuses, and a status with its syndrome, as rows of tables have them. */
#define BAD	PRM_STATUS_BAD_PARAM
#define BAD_RES PRM_STATUS_BAD_RES
#define GONE	PRM_STATUS_BAD_RES, FW_SYN_NO_OBJECT
#define BUSY	PRM_STATUS_RES_BUSY

/*
 * Fields of a good command to be spoiled one after the other, and the result that each must have.
 */
struct fx_spoil {
	const char *fields; /* paths separated by spaces; each alone gets the value */
	uint64_t value;
	uint8_t status;
	uint32_t syndrome;
};
void fx_spoils(struct fx *, uint16_t opcode, const uint8_t *good, size_t len,
	       const struct fx_spoil *, size_t n);
#define FX_SPOILS(f, op, good, len, s) fx_spoils(f, op, good, len, s, sizeof(s) / sizeof((s)[0]))

/* Returns the number of a function's objects in all its tables. */
uint32_t fx_objects(const struct vhca *);

#endif
