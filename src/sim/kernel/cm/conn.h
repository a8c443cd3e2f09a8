/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_CM_CONN_H
#define KERNEL_CM_CONN_H

#include "mad.h"
#include "priv.h"

/* States of IBA volume 1, 12.9.5 to 12.9.7; enum ib_cm_state */
enum conn_state {
	CONN_IDLE,
	CONN_REQ_SENT,
	CONN_REQ_RCVD,
	CONN_MRA_REQ_SENT, /* the program has not decided: a repeated REQ is answered with MRA */
	CONN_MRA_REQ_RCVD,
	CONN_REP_SENT,
	CONN_REP_RCVD,
	CONN_MRA_REP_SENT,
	CONN_MRA_REP_RCVD,
	CONN_ESTABLISHED,
	CONN_DREQ_SENT,
	CONN_DREQ_RCVD,
	CONN_TIMEWAIT,
	CONN_SIDR_REQ_SENT,
	CONN_SIDR_REQ_RCVD,
	CONN_STATES
};

enum { /* reasons of REJ */
       REJ_TIMEOUT = 4,
       REJ_INVALID_SERVICE_ID = 8,
       REJ_STALE = 10,
       REJ_INVALID_GID = 12,
       REJ_CONSUMER = 28,
       REJ_VENDOR_OPTION = 35,
};
enum { MESSAGE_REQ = 0, MESSAGE_REP = 1, MESSAGE_OTHER = 2 }; /* answered by a REJ or MRA */
enum { SIDR_SUCCESS = 0, SIDR_UNSUPPORTED = 1, SIDR_REJECT = 2 };

#define CM_RESPONSE_TIMEOUT 20 /* 4.096 us * 2^20: 4 s */
#define CM_RETRIES	    15
#define CM_SERVICE_TIMEOUT  24 /* the time that an MRA asks for: 69 s */

/* A connection of the connection manager, as the kernel's ib_cm_id. */
struct cm_conn {
	struct cm *cm;
	struct vhca *vhca;
	struct cm_id *id; /* NULL while recv_req() handles a request */
	enum conn_state state;
	uint32_t local_id, remote_id;
	uint32_t slot; /* index in cm->conns */
	uint64_t tid, service_id, remote_guid;
	LIST_ENTRY(cm_conn) by_id, by_qpn; /* in cm->remote_ids or cm->sidr, in cm->remote_qpns */
	bool in_ids, in_qpns;
	uint32_t local_qpn, remote_qpn, rq_psn, sq_psn;
	uint8_t qp_type, responder_resources, initiator_depth, retry_count, rnr_retry_count;
	uint8_t mtu, ack_timeout;
	struct cm_path path;
	struct timer timer; /* until the message is repeated, or time-wait ends */
	uint32_t timeout_ms;
	uint8_t retries, max_retries;
	uint8_t msg[CM_MAD_BYTES];
};

/* conn.c. Returns NULL if there is no memory. */
struct cm_conn *conn_new(struct cm *, struct vhca *, struct cm_id *);
/* Ends the connection in any state and sends the peer a message. The id gets no event. */
void conn_destroy(struct cm_conn *);
/* Finds a connection of this function: the functions of a chip may be different machines. */
struct cm_conn *conn_find(struct cm *, const struct vhca *, uint32_t local_id);
/* Finds a connection like conn_find(); NULL if its peer has another remote_id. */
struct cm_conn *conn_find_pair(struct cm *, const struct vhca *, uint32_t local_id,
			       uint32_t remote_id);
uint8_t conn_ack_timeout(uint8_t ack_delay, uint8_t life_time);
uint32_t conn_ms(unsigned int code); /* 4.096 us * 2^code in ms */
void conn_cancel(struct cm_conn *);
/* Sends c->msg, and repeats it until conn_cancel(). */
int conn_send_waiting(struct cm_conn *, enum conn_state);
void conn_send(struct cm_conn *, const uint8_t *mad);
/* Waits longer for the answer, because the peer asked for time. */
void conn_wait_longer(struct cm_conn *, enum conn_state, uint32_t ms);
void conn_enter_timewait(struct cm_conn *);
void conn_reset(struct cm_conn *);

/* remote.c: connections by the peer's id and QPN, to recognize repeated and stale requests. */
/* Returns the connection that has this key already, or NULL. */
struct cm_conn *remote_insert_id(struct cm_conn *);
struct cm_conn *remote_insert_qpn(struct cm_conn *);
void remote_remove(struct cm_conn *);
struct cm_conn *remote_find_id(struct cm *, const struct vhca *, uint64_t guid, uint32_t remote_id);

/*
 * send.c: messages that an id's commands cause. 0, or -EINVAL if the state forbids the message or
 * the private data is too long.
 */
struct conn_req {
	const struct cm_route *route;
	uint64_t service_id;
	uint32_t qpn, psn;
	uint8_t qp_type, responder_resources, initiator_depth, flow_control, retry_count,
		rnr_retry_count;
	bool srq;
	struct rdma_ucm_ece ece;
};
struct conn_rep {
	uint32_t qpn, psn;
	uint8_t responder_resources, initiator_depth, flow_control, rnr_retry_count;
	bool srq;
	struct rdma_ucm_ece ece;
};
int conn_send_req(struct cm_conn *, const struct conn_req *, const uint8_t *data, uint32_t len);
int conn_send_rep(struct cm_conn *, const struct conn_rep *, const uint8_t *data, uint32_t len);
int conn_send_rtu(struct cm_conn *);
int conn_send_rej(struct cm_conn *, unsigned int reason, const uint8_t *data, uint32_t len);
int conn_send_dreq(struct cm_conn *);
int conn_send_drep(struct cm_conn *);
/*
 * Begins a message with the ids of both ends. An exchange that begins here has local_id as its TID,
 * an answer the peer's TID.
 */
void conn_begin(const struct cm_conn *, uint8_t *mad, unsigned int attribute, uint64_t tid);
/* Marks the request as waiting for the program, which has no time limit. */
void conn_delay(struct cm_conn *);
int conn_establish(struct cm_conn *); /* a packet of the peer came before its RTU */
int conn_send_sidr_req(struct cm_conn *, const struct cm_route *, uint64_t service_id,
		       const uint8_t *data, uint32_t len);
int conn_send_sidr_rep(struct cm_conn *, unsigned int status, uint32_t qpn, uint32_t qkey,
		       const struct rdma_ucm_ece *, const uint8_t *data, uint32_t len);

#endif
