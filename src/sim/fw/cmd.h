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

/* One command while it is executed. Lengths were checked against its row before the handler runs.
 */
struct fw_cmd {
	struct vhca *vhca;
	const void *in;
	size_t in_len;
	void *out;
	size_t out_len;
	uint16_t opcode, op_mod;
	uint16_t uid;
	const char *name;
};

/* A command: one row of exec.c's table. Handlers return 0, or what fw_refuse() returned. */
typedef int fw_handler(struct fw_cmd *);

enum {
	FW_KERNEL = 1 << 0, /* uid 0 only */
	FW_TAIL = 1 << 1,   /* a list follows the fixed part; the handler checks its length */
	FW_OP_MOD = 1 << 2, /* op_mod means something; the handler checks it */
};

struct fw_row {
	uint16_t opcode;
	uint16_t flags;
	uint32_t in_bytes, out_bytes; /* least lengths */
	const char *name;	      /* the opcode's */
	fw_handler *handler;
};

/* Where QUERY_HCA_CAP's page begins in the reply. */
#define FW_CAP_AT	 16u

/* Sizes of ALLOC_FLOW_COUNTER: bit n is a bulk of 128 << n. */
#define FW_COUNTER_BULKS 0xffu

#define FW_SYNDROME_BASE 0xdf000000u
enum fw_syndrome {
#define FW_SYNDROME(number, name, text) FW_SYN_##name = FW_SYNDROME_BASE | (number),
#include "syndromes.def"
#undef FW_SYNDROME
};
const char *fw_syndrome_text(uint32_t syndrome);

/*
 * Writes status and syndrome into the reply and a sentence ("field value: why") into the log.
 * Returns -1.
 */
int fw_refuse(struct fw_cmd *, uint8_t status, enum fw_syndrome, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* A field of an absent feature, which must be zero, and why. */
struct fw_absent {
	uint32_t value;
	const char *field, *why;
};
/* 0 if all are zero; otherwise the first one is refused. */
int fw_check_absent(struct fw_cmd *, const struct fw_absent *, size_t n);
#define FW_CHECK_ABSENT(c, rows) fw_check_absent(c, rows, sizeof(rows) / sizeof((rows)[0]))

/* --trace: the command and its reply, decoded; access keys are left out. */
void fw_trace(const struct fw_cmd *);
/* Name of the structure of a capability page, by QUERY_HCA_CAP's op_mod; NULL if unknown. */
const char *fw_cap_struct(uint16_t op_mod);
/* Capability pages with a file of their own. */
void fw_fill_flow_table(const struct vhca *, void *cap);

/* The object of this id that the command's uid may use; NULL: refused, naming `field`. */
void *fw_find(struct fw_cmd *, enum obj_type, uint32_t id, const char *field);
/* A new object of the command's uid; NULL: refused. */
void *fw_new(struct fw_cmd *, enum obj_type, size_t size);
/* 0 if no object refers to it; otherwise refused. */
int fw_busy(struct fw_cmd *, const struct obj *);
/* `head` bytes, then n entries of 8 bytes: refused if the mailbox is not just that long. */
int fw_list_fits(struct fw_cmd *, size_t head, uint64_t n, const char *list);
/* 0 if no bit is set that no field of this structure, which begins at this byte, has. NULL: nothing is known. */
struct prm_struct;
int fw_check_reserved(struct fw_cmd *, const struct prm_struct *, size_t at);
/* Bytes after `end` are none or zero. */
int fw_nothing_after(struct fw_cmd *, size_t end);

/* fw_find(), and the caller's reference. */
void *fw_take(struct fw_cmd *, enum obj_type, uint32_t id, const char *field);
/* The same for EQs and UARs: those of the kernel serve every uid. */
void *fw_take_shared(struct fw_cmd *, enum obj_type, uint32_t id, const char *field);

/*
 * The Q counter set of this number, with a reference, in the place of *at's; NULL: number 0. 0, or
 * refused: nothing changes. The second one is that of a queue.
 */
struct q_counter;
struct queue;
int fw_q_counter_take(struct fw_cmd *, uint32_t id, const char *field, struct q_counter **at);
int fw_q_counter_attach(struct fw_cmd *, struct queue *, uint32_t id, const char *field);

/* Destructors, for DESTROY and for fw_uid_reap(): they drop references and free memory. */
void fw_queue_free(struct obj *); /* QP, RQ */
void fw_sq_free(struct obj *);
void fw_srq_free(struct obj *); /* RMP, XRC SRQ */
void fw_dct_free(struct obj *);
void fw_q_counter_free(struct obj *);
void fw_cq_free(struct obj *);
void fw_mkey_free(struct obj *);
void fw_psv_free(struct obj *);
void fw_dek_free(struct obj *);
void fw_umem_free(struct obj *);
void fw_tis_free(struct obj *);
void fw_mcg_leave(struct obj *); /* a QP, out of its groups */
void fw_sw_icm_free(struct obj *);
void fw_sched_elem_clear(struct obj *);
void fw_sched_elem_free(struct obj *);
void fw_rqt_free(struct obj *);
void fw_tir_free(struct obj *);

void fw_flow_table_clear(struct obj *);
void fw_flow_table_free(struct obj *);
void fw_flow_group_free(struct obj *);
void fw_flow_counters_reap(struct vhca *, uint16_t uid);

struct counter;
struct flow_group;
struct flow_table;
/* 0 if the command names the function's own vport, or refuses it. */
int fw_vport_own(struct fw_cmd *, uint32_t other, uint32_t number);
/* The same for commands on tables, groups and entries, which begin alike. */
int fw_flow_own_vport(struct fw_cmd *);
/* The table of this type and id that the command's uid may use; NULL: refused. */
struct flow_table *fw_flow_table(struct fw_cmd *, uint32_t type, uint32_t id, const char *field);
/* The table that the command names; NULL: refused. */
struct flow_table *fw_flow_named_table(struct fw_cmd *);
/* A destination of packets: tables of FW_UID_SHARED serve every uid. */
struct flow_table *fw_flow_target(struct fw_cmd *, uint32_t type, uint32_t id, const char *field);
struct flow_group *fw_flow_group(struct fw_cmd *, const struct flow_table *, uint32_t id);
struct counter *fw_flow_counter(struct fw_cmd *, uint32_t id);
/* 0 if packets may go on from one table to the other. */
int fw_flow_level(struct fw_cmd *, const struct flow_table *from, const struct flow_table *to,
		  const char *field);

struct queue;
/* The scheduling elements of a queue pair; 0: none. 0 if the command's uid may use this one. */
int fw_sched_leaf_usable(struct fw_cmd *, uint32_t id, const char *field);
int fw_sched_attach(struct fw_cmd *, struct queue *, uint32_t requester, uint32_t responder);
void fw_sched_detach(struct queue *);

/* The clock of a queue's timestamps. formats: those that its kind has (enum ts_formats). */
int fw_ts_check(struct fw_cmd *, uint32_t format, uint8_t formats, const char *field);
bool fw_ts_is_utc(uint32_t format, uint8_t formats);

struct raw_sq;
/* 0 if the command's uid may let a send queue use this row of the rate table; 0: no row. */
int fw_pp_rate_usable(struct fw_cmd *, uint32_t index);
void fw_pp_rate_use(struct raw_sq *, uint32_t index);
void fw_pp_rates_reap(struct vhca *, uint16_t uid);

struct ring;
struct umem;
struct cq;
struct queue;
/* Frees a queue that was never started, and drops its references. */
void fw_queue_drop(struct queue *);
/* A queue's buffer, as CREATE_CQ and CREATE_QP describe it. */
struct fw_buffer {
	bool write; /* the device writes to it: a CQ's */
	bool umem_valid;
	uint32_t umem_id;
	uint64_t umem_offset;
	uint64_t page_offset; /* of the first byte, in 64ths of the first page */
	uint32_t log_page;
	const uint8_t *pas; /* without a umem: page addresses, 8 bytes each */
	size_t pas_at;	    /* where they begin in the mailbox */
};
/* What the device agrees to of the connection's options that somebody asks for. */
uint32_t fw_ece(uint32_t asked);
/* 0 if the context asks for nothing whose capability is clear. */
int fw_qp_check_context(struct fw_cmd *, const void *qpc);
/* 0 if this queue may have qpc_ext.mmo set, and whenever it is not. */
int fw_qp_check_mmo(struct fw_cmd *, const struct queue *, bool mmo);
/* Fills ring (the umem is referenced from then on). 0, or refused. */
int fw_ring(struct fw_cmd *, const struct fw_buffer *, uint64_t len, struct ring *);
#define FW_LOG_MAX_WQE 10u /* of VHCA_MAX_WQE */
_Static_assert(1u << FW_LOG_MAX_WQE == VHCA_MAX_WQE, "a receive may have VHCA_MAX_WQE bytes");
/* What an object takes of a wq structure; the rest is refused by its field. */
struct fw_wq_rules {
	uint32_t types; /* bits of enum prm_wq_type */
	bool lwm;
	bool managed; /* other queues may start it */
	unsigned int log_most; /* entries */
	unsigned int log_stride_least, log_stride_most;
};
/* log2 of the strides that an entry of a striding queue has. */
unsigned int fw_wq_log_strides(const void *wq);
/* log2 of their bytes, if log_wqe_stride_size is 0. */
#define FW_LOG_STRIDE_BYTES 6u
int fw_wq_check(struct fw_cmd *, const void *wq, const struct fw_wq_rules *);
/* Fills ring and dbrec in; the mailbox's page list begins at pas_at. */
int fw_wq_take(struct fw_cmd *, const void *wq, size_t pas_at, struct ring *, uint64_t *dbrec,
	       struct umem **dbr_umem);
/* The bus address of a doorbell record of 8 bytes; *umem is set and referenced if it lies in one.
 */
int fw_dbrec(struct fw_cmd *, bool umem_valid, uint32_t umem_id, uint64_t addr, uint64_t *bus,
	     struct umem **);

/* Handlers by family. */
fw_handler fw_query_hca_cap;
/* By opcode, from their own tables. */
fw_handler fw_alloc_number, fw_destroy_object;
fw_handler fw_create_tis, fw_modify_tis, fw_query_tis, fw_create_umem;
fw_handler fw_alloc_memic, fw_dealloc_memic, fw_modify_memic;
fw_handler fw_create_mkey, fw_query_mkey, fw_destroy_mkey, fw_create_psv;
fw_handler fw_alloc_q_counter, fw_query_q_counter;
fw_handler fw_create_cq, fw_query_cq, fw_modify_cq;
fw_handler fw_create_qp, fw_query_qp, fw_modify_qp;
fw_handler fw_attach_to_mcg, fw_detach_from_mcg;
fw_handler fw_set_pp_rate_limit;
fw_handler fw_create_sq, fw_modify_sq, fw_query_sq;
fw_handler fw_create_rq, fw_modify_rq, fw_query_rq;
fw_handler fw_create_xrc_srq, fw_query_xrc_srq, fw_arm_xrc_srq, fw_destroy_xrc_srq;
fw_handler fw_destroy_rmp, fw_create_rmp, fw_modify_rmp, fw_query_rmp;
fw_handler fw_create_dct, fw_query_dct, fw_drain_dct, fw_destroy_dct, fw_arm_dct;
fw_handler fw_create_rqt, fw_modify_rqt, fw_query_rqt;
fw_handler fw_create_tir, fw_modify_tir, fw_query_tir;
fw_handler fw_allow_other_vhca_access, fw_create_general_object, fw_modify_general_object,
	fw_query_general_object, fw_destroy_general_object;
/* By obj_type, from general.c. */
fw_handler fw_create_alias, fw_query_alias, fw_destroy_alias;
fw_handler fw_create_sw_icm;
fw_handler fw_create_sched_elem, fw_modify_sched_elem, fw_query_sched_elem, fw_destroy_sched_elem;
fw_handler fw_create_av_qp_mapping, fw_query_av_qp_mapping, fw_destroy_av_qp_mapping;
fw_handler fw_create_dek, fw_modify_dek, fw_query_dek, fw_destroy_dek;
fw_handler fw_create_crypto_login, fw_query_crypto_login, fw_destroy_crypto_login;
fw_handler fw_create_reserved_qpn, fw_destroy_reserved_qpn;
fw_handler fw_sync_steering, fw_query_esw_vport_context;
fw_handler fw_create_flow_table, fw_modify_flow_table, fw_query_flow_table, fw_destroy_flow_table,
	fw_set_flow_table_root;
fw_handler fw_create_flow_group, fw_query_flow_group, fw_destroy_flow_group;
fw_handler fw_set_fte, fw_query_fte, fw_delete_fte;
fw_handler fw_alloc_modify_header;
fw_handler fw_alloc_flow_counter, fw_query_flow_counter, fw_dealloc_flow_counter;
fw_handler fw_query_adapter, fw_query_issi, fw_query_special_contexts, fw_query_nic_vport_context,
	fw_query_hca_vport_context, fw_query_roce_address, fw_query_esw_functions, fw_query_lag;

#endif
