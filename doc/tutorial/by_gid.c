/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the GIDs of port 1; for each index that is given, connects by that GID and sends a message.
 *
 *	dvx-sim run -- ./by_gid
 *	dvx-sim run -- ./by_gid 0 1
 */
#include <arpa/inet.h>
#include <net/if.h>
#include "tutorial.h"

static const char *type_of(const struct ibv_gid_entry *e)
{
	return e->gid_type == IBV_GID_TYPE_ROCE_V2   ? "RoCE v2"
	       : e->gid_type == IBV_GID_TYPE_ROCE_V1 ? "RoCE v1"
						     : "InfiniBand";
}

static void list_gids(struct tutorial *t)
{
	const uint32_t places = tutorial_gid_places(t);
	struct ibv_gid_entry e;

	for (uint32_t i = 0; i < places; i++) {
		char text[INET6_ADDRSTRLEN], interface[IF_NAMESIZE];

		if (ibv_query_gid_ex(t->device, 1, i, &e, 0))
			continue;
		inet_ntop(AF_INET6, e.gid.raw, text, sizeof text);
		printf("%u  %s  %-24s %s\n", i, type_of(&e), text,
		       if_indextoname(e.ndev_ifindex, interface) ? interface : "no interface");
	}
}

static void send_and_receive(struct tutorial *t, struct ibv_qp *from, struct ibv_qp *to)
{
	static char text[16] = "by this GID", room[16];
	struct ibv_mr *mr[2] = {tutorial_mr(t, text, sizeof text, 0),
				tutorial_mr(t, room, sizeof room, IBV_ACCESS_LOCAL_WRITE)};
	struct ibv_sge part = {(uintptr_t)text, sizeof text, mr[0]->lkey};
	struct ibv_sge place = {(uintptr_t)room, sizeof room, mr[1]->lkey};
	struct ibv_recv_wr receive = {.sg_list = &place, .num_sge = 1}, *bad_receive;
	struct ibv_send_wr send = {.sg_list = &part,
				   .num_sge = 1,
				   .opcode = IBV_WR_SEND,
				   .send_flags = IBV_SEND_SIGNALED};
	struct ibv_send_wr *bad;

	must(errno = ibv_post_recv(to, &receive, &bad_receive), "receive");
	must(errno = ibv_post_send(from, &send, &bad), "send");
	printf("  receive: %s\n", ibv_wc_status_str(tutorial_next(to->recv_cq).status));
	printf("  send: %s\n", ibv_wc_status_str(tutorial_next(from->send_cq).status));
	must(errno = ibv_dereg_mr(mr[0]), "deregister");
	must(errno = ibv_dereg_mr(mr[1]), "deregister");
}

/* Both ends are of this port, so the peer's GID is the own one. */
static void use(struct tutorial *t, uint32_t index)
{
	struct ibv_cq *cq[2] = {tutorial_cq(t), tutorial_cq(t)};
	struct ibv_qp *qp[2];
	struct ibv_gid_entry e;

	must(errno = ibv_query_gid_ex(t->device, 1, index, &e, 0), "no such GID");
	printf("index %u, %s\n", index, type_of(&e));
	t->gid = e.gid;
	t->gid_index = (uint8_t)index;
	for (int i = 0; i < 2; i++)
		qp[i] = tutorial_qp(t, IBV_QPT_RC, cq[i]);
	tutorial_join(t, qp[0], qp[1], &tutorial_usual);
	send_and_receive(t, qp[0], qp[1]);
	for (int i = 0; i < 2; i++) {
		must(errno = ibv_destroy_qp(qp[i]), "destroy the queue pair");
		must(errno = ibv_destroy_cq(cq[i]), "destroy the completion queue");
	}
}

int main(int argc, char **argv)
{
	struct tutorial t;

	tutorial_begin(&t);
	if (argc == 1)
		list_gids(&t);
	for (int i = 1; i < argc; i++)
		use(&t, (uint32_t)strtoul(argv[i], NULL, 0));
	tutorial_close(&t);
	return 0;
}
