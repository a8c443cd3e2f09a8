/* SPDX-License-Identifier: BSD-2-Clause */
#include "rcmsg.h"
#include "frame.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WINDOW = 16, PORT = 1 };

struct rcmsg {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	char *memory;	     /* the window's slots for receives, then those for sends */
	unsigned int window; /* slots of each kind */
	unsigned int arrived, taken, posted, sent;
	uint32_t bytes[WINDOW]; /* of what arrived in the slot */
	int fd;
	bool last; /* the peer sends no more */
	int error; /* of the connection: it never works again */
};

/* What the peers tell each other. */
struct rcmsg_end {
	uint8_t gid[16];
	uint32_t qpn; /* as it is: both ends pass it back to their own verbs */
};

unsigned int rcmsg_window(const struct rcmsg *m)
{
	return m->window;
}

static char *rcmsg_slot(const struct rcmsg *m, unsigned int n, unsigned int first)
{
	return m->memory + (size_t)(first + n % m->window) * FRAME_ROOM;
}

/* ---- Objects ---- */

static struct ibv_context *rcmsg_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	for (int i = 0; list && list[i] && !ctx; i++)
		if (!name || !strcmp(name, ibv_get_device_name(list[i])))
			ctx = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

/* max_qp_wr holds for the smallest requests. Those of RC may need more room: take what the device has. */
static struct ibv_qp *rcmsg_queue(struct rcmsg *m)
{
	struct ibv_qp_init_attr attr = {.send_cq = m->cq, .recv_cq = m->cq, .qp_type = IBV_QPT_RC};
	struct ibv_qp *qp = NULL;

	attr.cap.max_send_sge = attr.cap.max_recv_sge = 1;
	for (m->window = WINDOW; !qp && m->window; m->window /= qp ? 1 : 2) {
		attr.cap.max_send_wr = attr.cap.max_recv_wr = m->window;
		qp = ibv_create_qp(m->pd, &attr);
	}
	return qp;
}

static int rcmsg_objects(struct rcmsg *m)
{
	size_t bytes;

	m->pd = ibv_alloc_pd(m->ctx);
	m->channel = ibv_create_comp_channel(m->ctx);
	if (!m->pd || !m->channel)
		return -errno;
	m->cq = ibv_create_cq(m->ctx, 2 * WINDOW, NULL, m->channel, 0);
	if (!m->cq)
		return -errno;
	m->qp = rcmsg_queue(m);
	if (!m->qp)
		return -errno;
	bytes = (size_t)2 * m->window * FRAME_ROOM;
	m->memory = aligned_alloc(4096, bytes);
	if (!m->memory)
		return -ENOMEM;
	m->mr = ibv_reg_mr(m->pd, m->memory, bytes, IBV_ACCESS_LOCAL_WRITE);
	return m->mr ? 0 : -errno;
}

static void rcmsg_free(struct rcmsg *m)
{
	if (m->qp)
		ibv_destroy_qp(m->qp);
	if (m->mr)
		ibv_dereg_mr(m->mr);
	if (m->cq)
		ibv_destroy_cq(m->cq);
	if (m->channel)
		ibv_destroy_comp_channel(m->channel);
	if (m->pd)
		ibv_dealloc_pd(m->pd);
	if (m->ctx)
		ibv_close_device(m->ctx);
	free(m->memory);
	free(m);
}

int rcmsg_open(const char *device, struct rcmsg **out)
{
	struct rcmsg *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return -ENOMEM;
	m->ctx = rcmsg_device(device);
	err = m->ctx ? rcmsg_objects(m) : -ENODEV;
	if (err)
		rcmsg_free(m);
	else
		*out = m;
	return err;
}

/* ---- The connection ---- */

/* RoCE v2 on any port of Ethernet; the first GID elsewhere. */
static int rcmsg_gid_index(struct rcmsg *m)
{
	struct ibv_gid_entry entry;

	for (uint32_t i = 0; i < 256; i++)
		if (!ibv_query_gid_ex(m->ctx, PORT, i, &entry, 0) &&
		    entry.gid_type == IBV_GID_TYPE_ROCE_V2)
			return (int)i;
	return 0;
}

static int rcmsg_to_init(struct rcmsg *m)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = PORT};

	return -ibv_modify_qp(m->qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

static int rcmsg_to_rtr(struct rcmsg *m, const struct rcmsg_end *peer, int gid_index)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR,
				   .path_mtu = IBV_MTU_1024,
				   .dest_qp_num = peer->qpn,
				   .max_dest_rd_atomic = 1,
				   .min_rnr_timer = 1};

	attr.ah_attr.is_global = 1;
	attr.ah_attr.port_num = PORT;
	attr.ah_attr.grh.sgid_index = (uint8_t)gid_index;
	attr.ah_attr.grh.hop_limit = 64;
	memcpy(&attr.ah_attr.grh.dgid, peer->gid, sizeof(peer->gid));
	return -ibv_modify_qp(m->qp, &attr,
			      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				      IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				      IBV_QP_MIN_RNR_TIMER);
}

static int rcmsg_to_rts(struct rcmsg *m)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS,
				   .timeout = 14,
				   .retry_cnt = 7,
				   .rnr_retry = 7, /* the peer may be slow: forever */
				   .max_rd_atomic = 1};

	return -ibv_modify_qp(m->qp, &attr,
			      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				      IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int rcmsg_exchange(int fd, const void *mine, void *theirs, size_t bytes)
{
	size_t got = 0;
	ssize_t n;

	if (send(fd, mine, bytes, MSG_NOSIGNAL) != (ssize_t)bytes)
		return -EPIPE;
	for (; got < bytes; got += (size_t)n) {
		n = read(fd, (char *)theirs + got, bytes - got);
		if (n <= 0)
			return -EPIPE;
	}
	return 0;
}

static int rcmsg_post_recv(struct rcmsg *m, unsigned int n)
{
	struct ibv_sge piece = {(uintptr_t)rcmsg_slot(m, n, 0), FRAME_ROOM, m->mr->lkey};
	struct ibv_recv_wr *bad, wr = {.sg_list = &piece, .num_sge = 1};

	return -ibv_post_recv(m->qp, &wr, &bad);
}

/* Receives are posted and both queues are in RTR before either end sends. */
int rcmsg_connect(struct rcmsg *m, int fd)
{
	int gid_index = rcmsg_gid_index(m), err = rcmsg_to_init(m);
	struct rcmsg_end mine = {.qpn = m->qp->qp_num}, theirs;
	char ready = 1, there;

	m->fd = fd;
	err = err ? err : -ibv_query_gid(m->ctx, PORT, gid_index, (union ibv_gid *)mine.gid);
	for (unsigned int n = 0; !err && n < m->window; n++)
		err = rcmsg_post_recv(m, n);
	err = err ? err : rcmsg_exchange(fd, &mine, &theirs, sizeof(mine));
	err = err ? err : rcmsg_to_rtr(m, &theirs, gid_index);
	err = err ? err : rcmsg_exchange(fd, &ready, &there, 1);
	return err ? err : rcmsg_to_rts(m);
}

/* ---- Messages ---- */

/* Takes one completion: 1, or 0 if there is none. */
static int rcmsg_poll(struct rcmsg *m)
{
	struct ibv_wc wc;
	int n = ibv_poll_cq(m->cq, 1, &wc);

	if (n < 0 || (n && wc.status != IBV_WC_SUCCESS))
		m->error = -EPIPE;
	else if (n && (wc.opcode & IBV_WC_RECV))
		m->bytes[m->arrived++ % m->window] = wc.byte_len;
	else if (n)
		m->sent++;
	return m->error ? m->error : n;
}

/* Sleeps until a completion comes, or the peer is gone. */
static int rcmsg_sleep(struct rcmsg *m)
{
	struct pollfd fds[] = {{.fd = m->channel->fd, .events = POLLIN},
			       {.fd = m->fd, .events = POLLIN}};
	struct ibv_cq *cq;
	void *context;

	if (poll(fds, 2, -1) < 0)
		return errno == EINTR ? 0 : -errno;
	if (fds[0].revents) {
		if (ibv_get_cq_event(m->channel, &cq, &context))
			return -errno;
		ibv_ack_cq_events(cq, 1);
	} else if (!rcmsg_poll(m)) {
		m->error = -EPIPE;
	}
	return m->error;
}

/* Takes one completion; the CQ is armed before the last look, so none is missed. */
static int rcmsg_progress(struct rcmsg *m)
{
	int n = rcmsg_poll(m);

	if (n)
		return n < 0 ? n : 0;
	if (ibv_req_notify_cq(m->cq, 0))
		return -EIO;
	n = rcmsg_poll(m);
	return n < 0 ? n : n ? 0 : rcmsg_sleep(m);
}

static int rcmsg_post(struct rcmsg *m, const void *data, size_t len, unsigned int flags)
{
	char *slot = rcmsg_slot(m, m->posted, m->window);
	struct ibv_sge piece = {(uintptr_t)slot, 0, m->mr->lkey};
	struct ibv_send_wr *bad, wr = {.sg_list = &piece,
				       .num_sge = 1,
				       .opcode = IBV_WR_SEND,
				       .send_flags = IBV_SEND_SIGNALED};
	ssize_t bytes;
	int err = m->error;

	while (!err && m->posted - m->sent == m->window)
		err = rcmsg_progress(m);
	if (err)
		return err;
	bytes = frame_put(slot, data, len, flags);
	if (bytes < 0)
		return (int)bytes;
	piece.length = (uint32_t)bytes;
	err = -ibv_post_send(m->qp, &wr, &bad);
	m->posted += !err;
	return err;
}

int rcmsg_send(struct rcmsg *m, const void *data, size_t len)
{
	return rcmsg_post(m, data, len, 0);
}

ssize_t rcmsg_recv(struct rcmsg *m, void *data, size_t room)
{
	unsigned int n = m->taken, flags;
	const void *from;
	ssize_t len;
	int err = 0;

	while (m->arrived == n && !err)
		err = m->error ? m->error : rcmsg_progress(m);
	if (m->arrived == n)
		return err;
	len = frame_get(rcmsg_slot(m, n, 0), m->bytes[n % m->window], &from, &flags);
	if (len >= 0 && (flags & FRAME_LAST)) {
		m->last = true;
		return -ENODATA;
	}
	if (len > (ssize_t)room)
		return -EMSGSIZE;
	if (len > 0)
		memcpy(data, from, (size_t)len);
	m->taken++;
	err = rcmsg_post_recv(m, n);
	return err ? err : len;
}

int rcmsg_close(struct rcmsg *m)
{
	int err = 0;

	if (m->qp->state == IBV_QPS_RTS && !m->last)
		err = rcmsg_post(m, NULL, 0, FRAME_LAST);
	while (!err && m->sent != m->posted)
		err = rcmsg_progress(m);
	rcmsg_free(m);
	return err;
}
