/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FW_CMD_H
#define SIM_FW_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <dvx/prm/admin.h>
#include <dvx/prm/alias.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cq.h>
#include <dvx/prm/dct.h>
#include <dvx/prm/eq.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/misc.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/qp.h>
#include <dvx/prm/object.h>
#include <dvx/prm/query.h>
#include <dvx/prm/vport.h>
#include <dvx/prm/rq.h>
#include "fw.h"
#include "obj/obj.h"
#include "obj/vhca.h"

/* A command during its execution. Its lengths are checked before the handler runs. */
struct fw_cmd {
	struct vhca *vhca;
	const void *in;
	size_t in_len;
	void *out;
	size_t out_len;
	uint16_t opcode, op_mod;
	uint16_t uid;
	const char *name;
	void *obj; /* the object that the command names, if its row has the type */
};

/* Executes a command, one row of commands.def. Returns 0, or the result of fw_refuse(). */
typedef int fw_handler(struct fw_cmd *);

enum {
	FW_KERNEL = 1 << 0, /* uid 0 only */
	FW_TAIL = 1 << 1,   /* a list follows the fixed part; the handler checks its length */
	FW_OP_MOD = 1 << 2, /* op_mod has a meaning; the handler checks it */
	/*
	 * [I] The reply is cut at the mailbox's end: rdma-core's own tests have room for 2 KiB of a
	 * capability page, libmlx5 44 for 120 bytes of QUERY_ESW_FUNCTIONS.
	 */
	FW_CUT = 1 << 3,
};

struct fw_row {
	uint16_t opcode;
	uint16_t flags;
	uint32_t in_bytes, out_bytes; /* minimum lengths */
	const char *name;	      /* name of the opcode */
	fw_handler *handler;
	uint32_t (*id)(const void *in); /* of c->obj; NULL: none */
	enum obj_type type;
	const char *field;
};

/* Offset of QUERY_HCA_CAP's page in the reply. */
#define FW_CAP_AT 16u

/* Bulk sizes of ALLOC_FLOW_COUNTER: bit n stands for 128 << n counters. */
#define FW_COUNTER_BULKS 0xffu

#define FW_SYNDROME_BASE 0xdf000000u
enum fw_syndrome {
#define FW_SYNDROME(number, name, status, text) FW_SYN_##name = FW_SYNDROME_BASE | (number),
#include "syndromes.def"
#undef FW_SYNDROME
};
const char *fw_syndrome_text(uint32_t syndrome);

/*
 * Writes the syndrome, and the status that usually goes with it, into the reply, and a sentence
 * ("field value: why") into the log. Returns -1.
 */
int fw_refuse(struct fw_cmd *, enum fw_syndrome, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Refuses with another status. */
int fw_refuse_as(struct fw_cmd *, uint8_t status, enum fw_syndrome, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* A field of an absent feature, which must be zero, and why. */
struct fw_absent {
	uint32_t value;
	const char *field, *why;
};
/* The row of a context's field; the variable has the structure's name. */
#define FW_ABSENT(ctx, field, why)                                 \
	{                                                          \
		prm_##ctx##_get_##field(ctx), #ctx "." #field, why \
	}
/* Returns 0 if all are zero; otherwise refuses the first one that is not. */
int fw_check_absent(struct fw_cmd *, const struct fw_absent *, size_t n);
#define FW_CHECK_ABSENT(c, rows) fw_check_absent(c, rows, sizeof(rows) / sizeof((rows)[0]))

/* Returns the name of a capability page's structure by QUERY_HCA_CAP's op_mod; NULL if unknown. */
const char *fw_cap_struct(uint16_t op_mod);

/*
 * Returns the object with this id if the command's uid may use it; otherwise refuses, naming
 * `field`, and returns NULL.
 */
void *fw_find(struct fw_cmd *, enum obj_type, uint32_t id, const char *field);
/* Like fw_find(), and returns aliases of other functions' objects (obj/alias.h), too, which fw_find() refuses. */
void *fw_find_or_alias(struct fw_cmd *, enum obj_type, uint32_t id, const char *field);
/* Returns what an object stands for; refuses an alias whose object is gone, and returns NULL. */
void *fw_alias_follow(struct fw_cmd *, void *obj, const char *field);
/* Returns a new object of the command's uid; NULL after a refusal. */
void *fw_new(struct fw_cmd *, enum obj_type, size_t size);
/*
 * Ends a CREATE: writes the object's number into the reply; if taking what the object needs failed,
 * frees it. Returns 0 or -1.
 */
int fw_made(struct fw_cmd *, struct obj *, int failed);
/* Frees an object; refuses if others refer to it. */
int fw_destroy(struct fw_cmd *, struct obj *);
/* Refuses a reply mailbox of less than this many bytes. */
int fw_reply_fits(struct fw_cmd *, size_t bytes);
/* Replies to a query of c->obj, a general object, with these bytes of it. */
int fw_general_reply(struct fw_cmd *, const void *bytes, size_t len);
/* Returns 0 if the mailbox has exactly `head` bytes and n entries of 8 bytes; otherwise refuses. */
int fw_list_fits(struct fw_cmd *, size_t head, uint64_t n, const char *list);
/*
 * Refuses a set bit that belongs to no field of the structure at this offset. With NULL nothing is
 * checked.
 */
struct prm_struct;
int fw_check_reserved(struct fw_cmd *, const struct prm_struct *, size_t at);
/* Refuses a mailbox that has a nonzero byte at or behind `end`. */
int fw_nothing_after(struct fw_cmd *, size_t end);

/* Calls fw_find() and takes a reference. */
void *fw_take(struct fw_cmd *, enum obj_type, uint32_t id, const char *field);
/* Like fw_take(), for EQs and UARs: every uid may use those of the kernel, too. */
void *fw_take_shared(struct fw_cmd *, enum obj_type, uint32_t id, const char *field);

struct q_counter;
struct qp;
struct queue;
/* Returns the Q counter set that the command's uid may use; NULL after a refusal. */
struct q_counter *fw_q_counter_find(struct fw_cmd *, uint32_t id, const char *field);
/*
 * Replaces the Q counter set at *at by the one with this id and takes a reference; id 0 sets NULL.
 * On refusal *at is unchanged. fw_q_counter_attach() does this for a queue.
 */
int fw_q_counter_take(struct fw_cmd *, uint32_t id, const char *field, struct q_counter **at);
int fw_q_counter_attach(struct fw_cmd *, struct queue *, uint32_t id, const char *field);

void fw_flow_counters_reap(struct vhca *, uint16_t uid);

/* Returns whether rules have meters, first hits and tracked connections: not in STE format 0. */
bool fw_aso_exists(const struct profile *);
/* flow_reformat.c: returns whether entries insert and remove bytes at a header. */
bool fw_moves_headers(const struct profile *);
/* Returns the bits of match_definer_format_supported. */
uint64_t fw_definer_formats(const struct profile *);
/* Refuses a header rewrite (PRM set_add_copy_action_in_auto), the i-th of a list. */
int fw_flow_modify_check_action(struct fw_cmd *, uint32_t i, const void *action);

/* Returns whether objects of other functions can be aliased by this obj_type. */
bool fw_alias_exists(uint32_t obj_type);

struct counter;
struct flow_group;
struct flow_table;
/* Returns 0 if the command names the function's own vport; otherwise refuses. */
int fw_vport_own(struct fw_cmd *, uint32_t other, uint32_t number);
/*
 * Returns the function that a query is about: the command's own, or any if that manages the
 * e-switch; NULL after a refusal.
 */
struct vhca *fw_vport_find(struct fw_cmd *, uint32_t other, uint32_t number);
/*
 * Accepts NIC RX and TX tables, and those of the e-switch if the function manages it; the
 * capabilities of other types are 0.
 */
int fw_flow_table_check_type(struct fw_cmd *, uint32_t type);
/* Returns the table of this type and id if the command's uid may use it; NULL after a refusal. */
struct flow_table *fw_flow_table(struct fw_cmd *, uint32_t type, uint32_t id, const char *field);
/*
 * Returns the table that a command on tables, groups or entries names, whose layouts begin alike;
 * NULL after a refusal.
 */
struct flow_table *fw_flow_named_table(struct fw_cmd *);
/*
 * Returns a table as a destination of another one's packets: every uid may use those of
 * FW_UID_SHARED.
 */
struct flow_table *fw_flow_target(struct fw_cmd *, const struct flow_table *from, uint32_t id,
				  const char *field);
struct flow_group *fw_flow_group(struct fw_cmd *, const struct flow_table *, uint32_t id);
struct counter *fw_flow_counter(struct fw_cmd *, uint32_t id);
/* Returns 0 if packets may go from one table to the other; otherwise refuses. */
int fw_flow_level(struct fw_cmd *, const struct flow_table *from, const struct flow_table *to,
		  const char *field);

struct queue;
/*
 * Scheduling elements of a queue pair; id 0 stands for none. fw_sched_leaf_usable() returns 0 if
 * the command's uid may use the element.
 */
int fw_sched_leaf_usable(struct fw_cmd *, uint32_t id, const char *field);
int fw_sched_attach(struct fw_cmd *, struct queue *, uint32_t requester, uint32_t responder);
void fw_sched_detach(struct queue *);

/*
 * Checks and decodes the clock of a queue's timestamps. `formats` (enum ts_formats) are the clocks
 * of this kind of queue.
 */
int fw_ts_check(struct fw_cmd *, uint32_t format, uint8_t formats, const char *field);
bool fw_ts_is_utc(uint32_t format, uint8_t formats);

struct raw_sq;
/*
 * Returns 0 if the command's uid may name this row of the rate table for a send queue; index 0
 * stands for no row.
 */
int fw_pp_rate_usable(struct fw_cmd *, uint32_t index);
void fw_pp_rate_use(struct raw_sq *, uint32_t index);
void fw_pp_rates_reap(struct vhca *, uint16_t uid);

struct ring;
struct umem;
struct cq;
struct queue;
/* Buffer of a queue, as CREATE_CQ and CREATE_QP describe it. */
struct fw_buffer {
	bool write; /* true for a CQ: the device writes to the buffer */
	bool umem_valid;
	uint32_t umem_id;
	uint64_t umem_offset;
	uint64_t page_offset; /* of the first byte, in 64ths of a page */
	uint32_t log_page;
	const uint8_t *pas; /* without a umem: page addresses of 8 bytes each */
	size_t pas_at;	    /* offset of pas in the mailbox */
};
/* Returns those of the requested enhanced connection options that the device accepts. */
uint32_t fw_ece(uint32_t asked);
/* Refuses a context that asks for a feature whose capability bit is clear. */
int fw_qp_check_context(struct fw_cmd *, const void *qpc);
/* Writes the present state of a context over the values that CREATE_QP gave. */
void fw_qp_show(void *qpc, const struct qp *);
/* Refuses qpc_ext.mmo for a queue that cannot have it; accepts mmo false for any. */
int fw_qp_check_mmo(struct fw_cmd *, const struct queue *, bool mmo);
/* Fills *ring and takes a reference to the umem. */
int fw_ring(struct fw_cmd *, const struct fw_buffer *, uint64_t len, struct ring *);
#define FW_LOG_MAX_WQE 10u /* of VHCA_MAX_WQE */
_Static_assert(1u << FW_LOG_MAX_WQE == VHCA_MAX_WQE, "a receive may have VHCA_MAX_WQE bytes");
/* Limits for a wq structure, by the kind of object that contains it. Other values are refused. */
struct fw_wq_rules {
	uint32_t types; /* bits of enum prm_wq_type */
	bool lwm;
	bool managed;	       /* other queues may enable its WQEs */
	unsigned int log_most; /* of entries */
	unsigned int log_stride_least, log_stride_most;
};
/* Returns log2 of the number of strides in an entry of a striding queue. */
unsigned int fw_wq_log_strides(const void *wq);
/* log2 of the bytes of a stride whose log_wqe_stride_size is 0. */
#define FW_LOG_STRIDE_BYTES 6u
int fw_wq_check(struct fw_cmd *, const void *wq, const struct fw_wq_rules *);
/* Fills *ring, *dbrec and *dbr_umem; the mailbox's page list begins at pas_at. */
int fw_wq_take(struct fw_cmd *, const void *wq, size_t pas_at, struct ring *, uint64_t *dbrec,
	       struct umem **dbr_umem);
/*
 * Sets *bus to the bus address of a doorbell record of 8 bytes. If the record lies in a umem, sets
 * *umem and takes a reference.
 */
int fw_dbrec(struct fw_cmd *, bool umem_valid, uint32_t umem_id, uint64_t addr, uint64_t *bus,
	     struct umem **);

/*
 * Handlers, and destructors for DESTROY and fw_uid_reap(): these drop references and free memory.
 */
#define COMMAND(opcode, fn, flags) fw_handler fw_##fn;
#define OBJECT(verb, type, fn)	   fw_handler fw_##fn;
#define REAP(type, end)		   void end(struct obj *);
#define UNLINK			   REAP
#include "commands.def"

#endif
