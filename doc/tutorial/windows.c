/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A memory window of type 2: 64 bytes of a region that one peer may write, until its message gives
 * them back. Binding is a work request and takes no system call.
 *
 *	dvx-sim run -- ./windows
 */
#include "tutorial.h"

enum { BYTES = 4096, FROM = 1024, LENGTH = 64, PAIRS = 2 };

/* The owner of the memory, and two peers with a connection each. */
struct windows {
	struct tutorial t;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	char *memory;
	struct ibv_cq *cq;
	struct ibv_qp *owner[PAIRS], *peer[PAIRS];
	struct ibv_cq *peer_cq[PAIRS];
};

static void need_windows(const struct tutorial *t)
{
	const struct ibv_device_attr attr = tutorial_abilities(t);

	if (attr.device_cap_flags & (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B))
		return;
	fprintf(stderr, "this device has no memory windows of type 2\n");
	exit(1);
}

static void start(struct windows *w)
{
	tutorial_start(&w->t);
	need_windows(&w->t);
	w->memory = aligned_alloc(BYTES, BYTES);
	must(!w->memory, "memory");
	memset(w->memory, 0, BYTES);
	w->mr = tutorial_mr(&w->t, w->memory, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	w->mw = ibv_alloc_mw(w->t.pd, IBV_MW_TYPE_2);
	must(!w->mw, "memory window");
	w->cq = tutorial_cq(&w->t);
	for (int i = 0; i < PAIRS; i++) {
		w->peer_cq[i] = tutorial_cq(&w->t);
		w->owner[i] = tutorial_qp(&w->t, IBV_QPT_RC, w->cq);
		w->peer[i] = tutorial_qp(&w->t, IBV_QPT_RC, w->peer_cq[i]);
		tutorial_join(&w->t, w->owner[i], w->peer[i], &tutorial_usual);
	}
}

/* Returns the window's rkey: another one at each bind. */
static uint32_t bind_window(struct windows *w, unsigned int access)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = {.mw = w->mw,
			    .rkey = ibv_inc_rkey(w->mw->rkey),
			    .bind_info = {.mr = w->mr,
					  .addr = (uintptr_t)w->memory + FROM,
					  .length = LENGTH,
					  .mw_access_flags = access}},
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	must(errno = ibv_post_send(w->owner[0], &wr, &bad), "bind");
	wc = tutorial_next(w->cq);
	printf("owner: bind: %s\n", ibv_wc_status_str(wc.status));
	if (wc.status == IBV_WC_SUCCESS)
		w->mw->rkey = wr.bind_mw.rkey;
	return w->mw->rkey;
}

static void peer_writes(struct windows *w, int peer, uint32_t rkey, uint64_t offset,
			const char *text)
{
	struct ibv_sge sge = {(uintptr_t)text, (uint32_t)strlen(text) + 1, 0};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
		.wr.rdma = {.remote_addr = (uintptr_t)w->memory + offset, .rkey = rkey},
	};
	struct ibv_send_wr *bad;

	must(errno = ibv_post_send(w->peer[peer], &wr, &bad), "write");
	printf("peer %d: WRITE at %d: %s\n", peer, (int)offset,
	       ibv_wc_status_str(tutorial_next(w->peer_cq[peer]).status));
}

/* The message that gives the window back: the NIC unbinds it before the owner hears of the message. */
static void peer_returns(struct windows *w, int peer, uint32_t rkey)
{
	struct ibv_sge room = {(uintptr_t)w->memory, FROM, w->mr->lkey};
	struct ibv_recv_wr receive = {.sg_list = &room, .num_sge = 1}, *bad_receive;
	struct ibv_send_wr wr = {.opcode = IBV_WR_SEND_WITH_INV,
				 .send_flags = IBV_SEND_SIGNALED,
				 .invalidate_rkey = rkey};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	must(errno = ibv_post_recv(w->owner[peer], &receive, &bad_receive), "receive");
	must(errno = ibv_post_send(w->peer[peer], &wr, &bad), "send");
	printf("peer %d: SEND with invalidate: %s\n", peer,
	       ibv_wc_status_str(tutorial_next(w->peer_cq[peer]).status));
	wc = tutorial_next(w->cq);
	printf("owner: message: %s, it invalidated %s\n", ibv_wc_status_str(wc.status),
	       wc.wc_flags & IBV_WC_WITH_INV && wc.invalidated_rkey == rkey ? "the window"
									    : "nothing");
}

static void end(struct windows *w)
{
	for (int i = 0; i < PAIRS; i++) {
		must(errno = ibv_destroy_qp(w->peer[i]), "destroy the queue pair");
		must(errno = ibv_destroy_qp(w->owner[i]), "destroy the queue pair");
		must(errno = ibv_destroy_cq(w->peer_cq[i]), "destroy the completion queue");
	}
	must(errno = ibv_destroy_cq(w->cq), "destroy the completion queue");
	must(errno = ibv_dealloc_mw(w->mw), "free the window");
	must(errno = ibv_dereg_mr(w->mr), "deregister");
	tutorial_close(&w->t);
	free(w->memory);
}

int main(void)
{
	struct windows w;
	uint32_t rkey;

	start(&w);
	rkey = bind_window(&w, IBV_ACCESS_REMOTE_WRITE);
	peer_writes(&w, 0, rkey, FROM, "by a window");
	printf("owner: memory has \"%s\"\n", w.memory + FROM);
	peer_writes(&w, 1, rkey, FROM, "from another connection");
	peer_returns(&w, 0, rkey);
	peer_writes(&w, 0, rkey, FROM, "too late");
	printf("owner: memory has \"%s\"\n", w.memory + FROM);
	end(&w);
	return 0;
}
