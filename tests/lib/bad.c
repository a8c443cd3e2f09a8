/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that each call of libdvx's control path answers wrong arguments with -EINVAL and a
 * sentence that names the call and the argument, and makes nothing: NULL, sizes, objects of another
 * device, queues in another state.
 */
#include "tests/test.h"
#include <infiniband/mlx5dv.h>
#include "lib_rig.h"

/* Output that calls must not touch. */
union outs {
	struct dvx_dev_info *infos;
	struct dvx_dev_info info;
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_umem *umem;
	struct dvx_mem *mem;
	struct dvx_mkey *mkey;
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	struct dvx_rxq *rxq;
	struct dvx_txq *txq;
	struct dvx_rss *rss;
	struct dvx_srq *srq;
	struct dvx_dct *dct;
	struct dvx_template template;
	struct dvx_obj *obj;
	struct dvx_dbr *dbr;
	struct dvx_channel *channel;
	struct dvx_events *events;
	struct dvx_event event;
	struct dvx_mcast *mcast;
	struct dvx_ah ah;
	struct dvx_ticket ticket;
	struct dvx_qp_local local;
	struct dvx_qp_peer peer;
	struct dvx_ident ident;
	struct dvx_port port;
	struct dvx_gid *gids;
	struct dvx_gid_choice choice;
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *table;
	struct dvx_flow_matcher *matcher;
	struct dvx_flow_action *action;
	struct dvx_flow_counter *counter;
	struct dvx_flow_rule *rule;
	struct dvx_flow_match match;
	struct dvx_flow_count count;
	const void *page;
	size_t n;
	uint32_t u32;
	uint64_t u64;
	uint8_t u8, gid[16], blob[DVX_QP_BLOB_BYTES];
};
static union outs out;

static void bad(int got, int err, const char *expression, const char *argument)
{
	char call[80];

	snprintf(call, sizeof(call), "%.*s", (int)strcspn(expression, "("), expression);
	if (got != err)
		fail_msg("%s: %d (%s), not %d", expression, got, dvx_strerror(got), err);
	error_has(call, argument);
	for (size_t i = 0; i < sizeof(out); i++)
		if (((const uint8_t *)&out)[i] != 0x5a)
			fail_msg("%s wrote to its results", expression);
}

/* Checks that the call fails in a sentence with its own name and this word; &out is unchanged. */
#define FAILS(err, call, argument)                  \
	do {                                        \
		memset(&out, 0x5a, sizeof(out));    \
		bad(call, -(err), #call, argument); \
	} while (0)
#define BAD(call, argument) FAILS(EINVAL, call, argument)

/* ---- NULL ---- */

TEST(rig, null_devices)
{
	BAD(dvx_dev_list(NULL, &out.n), "list");
	BAD(dvx_dev_list(&out.infos, NULL), "count");
	BAD(dvx_dev_open(NULL, NULL), "out");
	BAD(dvx_dev_find(NULL, NULL), "out");
	BAD(dvx_dev_adopt(NULL, &out.dev), "ctx");
	BAD(dvx_dev_adopt(dvx_dev_ibv(r->dev), NULL), "out");
	BAD(dvx_dev_cap_page(NULL, 0, &out.page), "dev");
	BAD(dvx_dev_cap_page(r->dev, 0, NULL), "page");
	BAD(dvx_dev_cap_page(r->dev, 0xffff, &out.page), "type");
	BAD(dvx_dev_gid(NULL, 1, 0, out.gid), "dev");
	BAD(dvx_dev_gid(r->dev, 1, 0, NULL), "gid");
	BAD(dvx_dev_ident(NULL, &out.ident), "dev");
	BAD(dvx_dev_ident(r->dev, NULL), "out");
	BAD(dvx_dev_port(NULL, 1, &out.port), "dev");
	BAD(dvx_dev_port(r->dev, 1, NULL), "out");
	BAD(dvx_dev_port(r->dev, 9, &out.port), "port");
	BAD(dvx_dev_gids(NULL, &out.gids, &out.n), "dev");
	BAD(dvx_dev_gids(r->dev, NULL, &out.n), "list");
	BAD(dvx_dev_gids(r->dev, &out.gids, NULL), "count");
	BAD(dvx_dev_null_key(NULL, &out.u32), "dev");
	BAD(dvx_dev_null_key(r->dev, NULL), "lkey");
	BAD(dvx_gid_choose(NULL, 1, NULL, &out.choice), "dev");
	BAD(dvx_gid_choose(r->dev, 1, NULL, NULL), "out");
}

TEST(rig, null_commands)
{
	uint8_t in[16] = {0}, reply[16];

	BAD(dvx_cmd(NULL, in, sizeof(in), reply, sizeof(reply)), "dev");
	BAD(dvx_cmd(r->dev, NULL, sizeof(in), reply, sizeof(reply)), "in");
	BAD(dvx_cmd(r->dev, in, 7, reply, sizeof(reply)), "in_len");
	BAD(dvx_cmd(r->dev, in, sizeof(in), NULL, sizeof(reply)), "out");
	BAD(dvx_cmd(r->dev, in, sizeof(in), reply, 7), "out_len");
	BAD(dvx_obj_create(NULL, in, sizeof(in), reply, sizeof(reply), &out.obj), "dev");
	BAD(dvx_obj_create(r->dev, in, sizeof(in), reply, sizeof(reply), NULL), "obj");
	BAD(dvx_obj_create(r->dev, in, 0, reply, sizeof(reply), &out.obj), "in_len");
	BAD(dvx_obj_query(NULL, in, sizeof(in), reply, sizeof(reply)), "obj");
	BAD(dvx_obj_modify(NULL, in, sizeof(in), reply, sizeof(reply)), "obj");
}

TEST(rig, null_memory)
{
	struct dvx_mkey_attr key = {.size = sizeof(key), .pd = r->pd, .addr = r->buf, .len = 64};
	struct dvx_sge piece = {(uintptr_t)r->buf, 64, r->key};
	struct dvx_mkey_list_attr list = {
		.size = sizeof(list), .pd = r->pd, .pieces = &piece, .n = 1};

	BAD(dvx_pd_alloc(NULL, &out.pd), "dev");
	BAD(dvx_pd_alloc(r->dev, NULL), "out");
	BAD(dvx_pd_adopt(r->dev, NULL, &out.pd), "ibpd");
	BAD(dvx_uar_alloc(NULL, DVX_UAR_ANY, &out.uar), "dev");
	BAD(dvx_uar_alloc(r->dev, DVX_UAR_ANY, NULL), "out");
	BAD(dvx_uar_alloc(r->dev, (enum dvx_uar_type)9, &out.uar), "type");
	BAD(dvx_dbr_alloc(NULL, &out.dbr), "dev");
	BAD(dvx_dbr_alloc(r->dev, NULL), "out");
	BAD(dvx_umem_reg(NULL, r->buf, 64, 0, &out.umem), "dev");
	BAD(dvx_umem_reg(r->dev, NULL, 64, 0, &out.umem), "addr");
	BAD(dvx_umem_reg(r->dev, r->buf, 0, 0, &out.umem), "len");
	BAD(dvx_umem_reg(r->dev, r->buf, 64, 1u << 30, &out.umem), "access");
	BAD(dvx_umem_reg(r->dev, r->buf, 64, 0, NULL), "out");
	BAD(dvx_umem_reg_dmabuf(r->dev, 0, 0, 64, 0, NULL), "out");
	BAD(dvx_umem_reg_dmabuf(r->dev, -1, 0, 64, 0, &out.umem), "fd");
	BAD(dvx_umem_reg_dmabuf(r->dev, 0, 0, 64, 1u << 30, &out.umem), "access");
	BAD(dvx_mem_alloc(64, NULL, NULL), "out");
	BAD(dvx_mem_alloc(0, NULL, &out.mem), "len");
	BAD(dvx_mkey_create(NULL, &key, &out.mkey), "dev");
	BAD(dvx_mkey_create(r->dev, NULL, &out.mkey), "attr");
	BAD(dvx_mkey_create(r->dev, &key, NULL), "out");
	BAD(dvx_mkey_create_list(NULL, r->pd, 1, &out.mkey), "dev");
	BAD(dvx_mkey_create_list(r->dev, NULL, 1, &out.mkey), "pd");
	BAD(dvx_mkey_create_list(r->dev, r->pd, 1, NULL), "out");
	BAD(dvx_mkey_create_list(r->dev, r->pd, 0, &out.mkey), "max_pieces");
	BAD(dvx_mkey_create_of(NULL, &list, &out.mkey), "dev");
	BAD(dvx_mkey_create_of(r->dev, NULL, &out.mkey), "attr");
	BAD(dvx_mkey_create_of(r->dev, &list, NULL), "out");
	BAD(dvx_mkey_export(NULL, &out.ticket), "mkey");
	BAD(dvx_mkey_export(r->mkey, NULL), "out");
	BAD(dvx_mkey_import(NULL, r->pd, &out.ticket, &out.mkey), "dev");
	BAD(dvx_mkey_import(r->dev, NULL, &out.ticket, &out.mkey), "pd");
	BAD(dvx_mkey_import(r->dev, r->pd, NULL, &out.mkey), "ticket");
	BAD(dvx_mkey_import(r->dev, r->pd, &out.ticket, NULL), "out");
	BAD(dvx_ticket_decode(NULL, DVX_TICKET_BYTES, &out.ticket), "in");
	BAD(dvx_ticket_decode(r->buf, DVX_TICKET_BYTES, NULL), "ticket");
	BAD(dvx_ticket_from_text(NULL, &out.ticket), "text");
	BAD(dvx_ticket_from_text("dvx1:", NULL), "ticket");
}

TEST(pair, null_queues, 0)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 64, .uar = r->uar};
	struct dvx_qp_attr qp = rig_qp_attr(r);
	struct dvx_rxq_attr rx = {.size = sizeof(rx), .pd = r->pd, .cq = p->cq[0], .entries = 4};
	struct dvx_txq_attr tx = {
		.size = sizeof(tx), .pd = r->pd, .cq = p->cq[0], .uar = r->uar, .sq_blocks = 4};
	struct dvx_rss_attr rss = {.size = sizeof(rss), .queue_count = 1};
	struct dvx_srq_attr srq = {.size = sizeof(srq), .pd = r->pd, .entries = 4};
	struct dvx_dct_attr dct = {.size = sizeof(dct), .pd = r->pd, .cq = p->cq[0]};
	struct dvx_qp_local local = rig_local(r, 0);

	qp.send_cq = p->cq[0];
	BAD(dvx_dct_create(NULL, &dct, &local, &out.dct), "dev");
	BAD(dvx_dct_create(r->dev, NULL, &local, &out.dct), "attr");
	BAD(dvx_dct_create(r->dev, &dct, &local, NULL), "out");
	BAD(dvx_dci_reset_stream(NULL, 1), "qp");
	BAD(dvx_cq_moderate(NULL, 1, 1), "cq");
	BAD(dvx_template_write_inline(NULL, 1, 8, 0, &out.template), "sq");
	BAD(dvx_template_write_inline(p->sq, 1, 8, 0, NULL), "out");
	BAD(dvx_template_write(NULL, 1, 1, 8, 0, &out.template), "sq");
	BAD(dvx_template_read(NULL, 1, 1, 8, 0, &out.template), "sq");
	BAD(dvx_template_end(NULL), "sq");
	BAD(dvx_cq_create(NULL, &cq, &out.cq), "dev");
	BAD(dvx_cq_create(r->dev, NULL, &out.cq), "attr");
	BAD(dvx_cq_create(r->dev, &cq, NULL), "out");
	BAD(dvx_cq_adopt(NULL, NULL, &out.cq), "dev");
	BAD(dvx_cq_adopt(r->dev, NULL, &out.cq), "ibcq");
	BAD(dvx_qp_create(NULL, &qp, &out.qp), "dev");
	BAD(dvx_qp_create(r->dev, NULL, &out.qp), "attr");
	BAD(dvx_qp_create(r->dev, &qp, NULL), "out");
	BAD(dvx_qp_adopt(r->dev, NULL, &out.qp), "ibqp");
	BAD(dvx_rxq_create(NULL, &rx, &out.rxq), "dev");
	BAD(dvx_rxq_create(r->dev, NULL, &out.rxq), "attr");
	BAD(dvx_rxq_create(r->dev, &rx, NULL), "out");
	BAD(dvx_rxq_to_err(NULL), "rxq");
	BAD(dvx_rxq_reset(NULL), "rxq");
	BAD(dvx_rxq_take(NULL, NULL, NULL), "rxq");
	BAD(dvx_clock_read(NULL, NULL), "dev");
	BAD(dvx_cq_resize(NULL, 1, NULL), "cq");
	BAD(dvx_txq_create(NULL, &tx, &out.txq), "dev");
	BAD(dvx_txq_create(r->dev, NULL, &out.txq), "attr");
	BAD(dvx_txq_create(r->dev, &tx, NULL), "out");
	BAD(dvx_rss_create(NULL, &rss, &out.rss), "dev");
	BAD(dvx_rss_create(r->dev, &rss, NULL), "out");
	BAD(dvx_rss_create(r->dev, &rss, &out.rss), "queues[0]");
	BAD(dvx_srq_create(NULL, &srq, &out.srq), "dev");
	BAD(dvx_srq_create(r->dev, NULL, &out.srq), "attr");
	BAD(dvx_srq_create(r->dev, &srq, NULL), "out");
	BAD(dvx_srq_adopt(r->dev, NULL, &out.srq), "ibsrq");
	BAD(dvx_srq_arm(NULL, 1), "srq");
	BAD(dvx_srq_init(NULL, &(struct dvx_srq_memory){.size = sizeof(struct dvx_srq_memory)}),
	    "srq");
	BAD(dvx_cq_init(NULL, &(struct dvx_cq_memory){.size = sizeof(struct dvx_cq_memory)}), "cq");
	BAD(dvx_sq_init(NULL, &(struct dvx_sq_memory){.size = sizeof(struct dvx_sq_memory)}), "sq");
	BAD(dvx_rq_init(NULL, &(struct dvx_rq_memory){.size = sizeof(struct dvx_rq_memory)}), "rq");
}

TEST(pair, null_connections, 0)
{
	struct dvx_qp_local local = rig_local(r, 0);
	struct dvx_qp_peer peer = rig_peer(r, 1);
	struct dvx_qp *qp = p->qp[0];
	uint8_t group[16] = {0xff, 0x0e, [15] = 9};

	BAD(dvx_qp_local_init(NULL, 1, &out.local), "dev");
	BAD(dvx_qp_local_init(r->dev, 1, NULL), "local");
	refused(dvx_qp_local_init(r->dev, 9, &out.local), -EINVAL, "port is 9", "");
	BAD(dvx_qp_to_init(NULL, &local), "qp");
	BAD(dvx_qp_to_init(qp, NULL), "local");
	BAD(dvx_qp_to_rtr(NULL, &local, &peer), "qp");
	BAD(dvx_qp_to_rtr(qp, NULL, &peer), "local");
	BAD(dvx_qp_to_rtr(qp, &local, NULL), "peer");
	BAD(dvx_qp_to_rts(NULL, &local, &peer), "qp");
	BAD(dvx_qp_to_rts(qp, &local, NULL), "peer");
	BAD(dvx_qp_to_err(NULL), "qp");
	BAD(dvx_qp_to_rst(NULL), "qp");
	BAD(dvx_qp_sqerr_to_rts(NULL), "qp");
	BAD(dvx_qp_connect_self(NULL, 0), "qp");
	BAD(dvx_qp_query_state(NULL, &out.u8), "qp");
	BAD(dvx_qp_query_state(qp, NULL), "state");
	BAD(dvx_qp_blob_write(NULL, &local, out.blob), "qp");
	BAD(dvx_qp_blob_write(qp, NULL, out.blob), "local");
	BAD(dvx_qp_blob_write(qp, &local, NULL), "blob");
	BAD(dvx_qp_blob_read(NULL, r->buf, DVX_QP_BLOB_BYTES, &out.peer), "qp");
	BAD(dvx_qp_blob_read(qp, NULL, DVX_QP_BLOB_BYTES, &out.peer), "blob");
	BAD(dvx_qp_blob_read(qp, r->buf, DVX_QP_BLOB_BYTES, NULL), "peer");
	BAD(dvx_qp_sides_from_verbs(NULL, 0, &local, &peer), "attr");
	BAD(dvx_qp_sides_from_verbs(&(struct ibv_qp_attr){0}, 0, NULL, &peer), "local");
	BAD(dvx_qp_sides_from_verbs(&(struct ibv_qp_attr){0}, 0, &local, NULL), "peer");
	BAD(dvx_qp_sides_from_verbs(&(struct ibv_qp_attr){0}, 0, &local, &(struct dvx_qp_peer){0}),
	    "peer.size");
	BAD(dvx_ah_init(NULL, &local, &peer, &out.ah), "dev");
	BAD(dvx_ah_init(r->dev, NULL, &peer, &out.ah), "local");
	BAD(dvx_ah_init(r->dev, &local, NULL, &out.ah), "peer");
	BAD(dvx_ah_init(r->dev, &local, &peer, NULL), "ah");
	BAD(dvx_ah_answer(NULL, &local, r->buf, 1, 0, &out.ah), "dev");
	BAD(dvx_ah_answer(r->dev, &local, NULL, 1, 0, &out.ah), "grh");
	BAD(dvx_ah_answer(r->dev, &local, r->buf, 1, 0, NULL), "ah");
	BAD(dvx_mcast_attach(NULL, group, &out.mcast), "qp");
	BAD(dvx_mcast_attach(qp, NULL, &out.mcast), "gid");
	BAD(dvx_mcast_attach(qp, group, NULL), "out");
	BAD(dvx_mcast_attach(qp, group, &out.mcast), "QP");
}

TEST(pair, null_events, 0)
{
	struct dvx_channel *ch;
	struct dvx_events *ev;

	OK(dvx_channel_open(r->dev, &ch));
	OK(dvx_events_open(r->dev, &ev));
	BAD(dvx_channel_open(NULL, &out.channel), "dev");
	BAD(dvx_channel_open(r->dev, NULL), "out");
	BAD(dvx_channel_adopt(r->dev, NULL, &out.channel), "chan");
	BAD(dvx_channel_subscribe(NULL, p->cq[0], NULL), "ch");
	BAD(dvx_channel_subscribe(ch, NULL, NULL), "cq");
	BAD(dvx_channel_wait(NULL, 0, NULL, NULL), "ch");
	BAD(dvx_events_open(NULL, &out.events), "dev");
	BAD(dvx_events_open(r->dev, NULL), "out");
	BAD(dvx_events_watch_cq(NULL, p->cq[0], NULL), "events");
	BAD(dvx_events_watch_cq(ev, NULL, NULL), "cq");
	BAD(dvx_events_watch_qp(ev, NULL, NULL), "qp");
	BAD(dvx_events_watch_rxq(ev, NULL, NULL), "rxq");
	BAD(dvx_events_watch_srq(ev, NULL, NULL), "srq");
	BAD(dvx_events_watch_txq(ev, NULL, NULL), "txq");
	BAD(dvx_events_wait(NULL, 0, &out.event), "events");
	BAD(dvx_events_wait(ev, 0, NULL), "out");
	OK(dvx_channel_close(ch));
	OK(dvx_events_close(ev));
}

TEST(rig, null_steering)
{
	struct dvx_flow_domain_attr da = {.size = sizeof(da)};
	struct dvx_flow_match match = {0};
	struct dvx_flow_matcher_attr ma = {.size = sizeof(ma), .match = &match};
	struct dvx_flow_rule_attr ra = {.size = sizeof(ra)};
	struct dvx_flow_bulk bulk = {.size = sizeof(bulk), .attrs = &ra};
	struct dvx_flow_domain *d;
	uint64_t a, b;

	OK(dvx_flow_domain_create(r->dev, &da, &d));
	BAD(dvx_flow_domain_create(NULL, &da, &out.domain), "dev");
	BAD(dvx_flow_domain_create(r->dev, NULL, &out.domain), "attr");
	BAD(dvx_flow_domain_create(r->dev, &da, NULL), "out");
	BAD(dvx_flow_domain_sync(NULL), "domain");
	BAD(dvx_flow_domain_dump(NULL, stdout), "domain");
	BAD(dvx_flow_domain_dump(d, NULL), "to");
	BAD(dvx_flow_table_dump(NULL, stdout), "table");
	BAD(dvx_flow_table_create(NULL, 1, &out.table), "domain");
	BAD(dvx_flow_table_create(d, 1, NULL), "out");
	BAD(dvx_flow_matcher_create(NULL, &ma, &out.matcher), "table");
	BAD(dvx_flow_action_create_drop(NULL, &out.action), "domain");
	BAD(dvx_flow_action_create_drop(d, NULL), "out");
	BAD(dvx_flow_action_create_default(NULL, &out.action), "domain");
	BAD(dvx_flow_action_create_tag(NULL, 1, &out.action), "domain");
	BAD(dvx_flow_action_create_tag(d, 1, NULL), "out");
	BAD(dvx_flow_action_create_count(d, NULL, 0, &out.action), "counter");
	BAD(dvx_flow_action_create_table(d, NULL, &out.action), "table");
	BAD(dvx_flow_action_create_root(NULL, 0, &out.action), "domain");
	BAD(dvx_flow_action_create_sample(d, 2, NULL, NULL, &out.action), "to");
	BAD(dvx_flow_action_create_queue(d, NULL, &out.action), "rxq");
	BAD(dvx_flow_action_create_rss(d, NULL, &out.action), "rss");
	BAD(dvx_flow_action_create_qp(d, NULL, &out.action), "ibqp");
	BAD(dvx_flow_counter_create(NULL, 1, &out.counter), "dev");
	BAD(dvx_flow_counter_create(r->dev, 1, NULL), "out");
	BAD(dvx_flow_counter_query(NULL, 0, 1, &out.count), "counter");
	BAD(dvx_flow_rule_create(NULL, &out.rule), "attr");
	BAD(dvx_flow_rule_create(&ra, NULL), "out");
	BAD(dvx_flow_rule_create(&ra, &out.rule), "matcher");
	BAD(dvx_flow_rules_insert(NULL, 1, &out.rule), "bulk");
	BAD(dvx_flow_rules_insert(&bulk, 1, NULL), "rules");
	BAD(dvx_flow_rules_delete(NULL, 1), "rules");
	BAD(dvx_flow_match_set(NULL, "outer_headers.ip_version", 4, 15), "match");
	BAD(dvx_flow_match_set(&out.match, NULL, 4, 15), "field");
	BAD(dvx_flow_match_get(NULL, "outer_headers.ip_version", &a, &b), "match");
	BAD(dvx_flow_match_mac(&out.match, DVX_FLOW_OUTER, DVX_FLOW_SRC, NULL, NULL), "mac");
	BAD(dvx_flow_match_ipv6(&out.match, DVX_FLOW_OUTER, DVX_FLOW_SRC, NULL, 8), "addr");
	refused(dvx_flow_match_ipv4(NULL, DVX_FLOW_OUTER, DVX_FLOW_SRC, 0, 8), -EINVAL, "match",
		"NULL");
	refused(dvx_flow_match_proto(NULL, DVX_FLOW_OUTER, 6), -EINVAL, "match", "NULL");
	refused(dvx_flow_match_vlan(NULL, DVX_FLOW_OUTER, 6, 15), -EINVAL, "match", "NULL");
	OK(dvx_flow_domain_destroy(d));
}

/* Destructors accept NULL. */
TEST(none, null_is_destroyed)
{
	OK(dvx_dev_close(NULL));
	OK(dvx_pd_free(NULL));
	OK(dvx_uar_free(NULL));
	OK(dvx_umem_dereg(NULL));
	OK(dvx_mkey_destroy(NULL));
	OK(dvx_cq_destroy(NULL));
	OK(dvx_qp_destroy(NULL));
	OK(dvx_rxq_destroy(NULL));
	OK(dvx_txq_destroy(NULL));
	OK(dvx_rss_destroy(NULL));
	OK(dvx_srq_destroy(NULL));
	OK(dvx_obj_destroy(NULL));
	OK(dvx_channel_close(NULL));
	OK(dvx_events_close(NULL));
	OK(dvx_mcast_detach(NULL));
	OK(dvx_flow_domain_destroy(NULL));
	OK(dvx_flow_table_destroy(NULL));
	OK(dvx_flow_matcher_destroy(NULL));
	OK(dvx_flow_action_destroy(NULL));
	OK(dvx_flow_counter_destroy(NULL));
	OK(dvx_flow_rule_destroy(NULL));
	OK(dvx_flow_rules_delete(NULL, 0));
	dvx_mem_free(NULL);
	dvx_dbr_free(NULL);
	dvx_dev_list_free(NULL);
	dvx_gids_free(NULL);
}

/* ---- attr.size ---- */

/* For each struct of attributes: none, too large, and a member that this libdvx does not know. */
TEST(pair, sizes, 0)
{
	static const struct {
		uint32_t size;
		int err;
	} rows[] = {{0, EINVAL}, {3, EINVAL}, {4097, EINVAL}, {400, E2BIG}};
	union {
		uint32_t size;
		uint8_t bytes[4097];
	} a;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int err = rows[i].err;

		memset(&a, err == E2BIG, sizeof(a));
		a.size = rows[i].size;
		FAILS(err, dvx_mkey_create(r->dev, (void *)&a, &out.mkey), "attr");
		FAILS(err, dvx_mkey_create_of(r->dev, (void *)&a, &out.mkey), "attr");
		FAILS(err, dvx_cq_create(r->dev, (void *)&a, &out.cq), "attr");
		FAILS(err, dvx_qp_create(r->dev, (void *)&a, &out.qp), "attr");
		FAILS(err, dvx_rxq_create(r->dev, (void *)&a, &out.rxq), "attr");
		FAILS(err, dvx_txq_create(r->dev, (void *)&a, &out.txq), "attr");
		FAILS(err, dvx_rss_create(r->dev, (void *)&a, &out.rss), "attr");
		FAILS(err, dvx_srq_create(r->dev, (void *)&a, &out.srq), "attr");
		FAILS(err, dvx_flow_domain_create(r->dev, (void *)&a, &out.domain), "attr");
		FAILS(err, dvx_flow_rule_create((void *)&a, &out.rule), "attr");
		FAILS(err, dvx_flow_rules_insert((void *)&a, 1, &out.rule), "bulk");
		FAILS(err, dvx_qp_to_init(p->qp[0], (void *)&a), "local");
		FAILS(err, dvx_gid_choose(r->dev, 1, (void *)&a, &out.choice), "peer");
	}
	refused(dvx_qp_local_init_sized(r->dev, 1, &out.local, 3), -EINVAL, "size is 3", "");
	refused(dvx_qp_blob_read_sized(p->qp[0], r->buf, DVX_QP_BLOB_BYTES, &out.peer, 4097),
		-EINVAL, "size is 4097", "");
}

/* ---- objects of another device ---- */

TEST(pair, foreign, 0)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 64, .uar = r->uar};
	struct dvx_qp_attr qp = rig_qp_attr(r);
	struct dvx_mkey_attr key = {.size = sizeof(key), .pd = r->pd, .addr = r->buf, .len = 64};
	struct dvx_rxq_attr rx = {.size = sizeof(rx), .pd = r->pd, .cq = p->cq[0], .entries = 4};
	struct dvx_txq_attr tx = {
		.size = sizeof(tx), .pd = r->pd, .cq = p->cq[0], .uar = r->uar, .sq_blocks = 4};
	struct dvx_channel *ch;
	struct dvx_events *ev;
	struct dvx_dev *other;
	struct dvx_pd *pd;
	struct dvx_uar *uar;

	OK(dvx_dev_open(NULL, &other));
	OK(dvx_pd_alloc(other, &pd));
	OK(dvx_uar_alloc(other, DVX_UAR_ANY, &uar));
	OK(dvx_channel_open(other, &ch));
	OK(dvx_events_open(other, &ev));
	qp.send_cq = p->cq[0];
	BAD(dvx_mkey_create(other, &key, &out.mkey), "pd");
	BAD(dvx_mkey_create_list(other, r->pd, 1, &out.mkey), "pd");
	BAD(dvx_mkey_import(other, r->pd, &out.ticket, &out.mkey), "pd");
	BAD(dvx_cq_create(other, &cq, &out.cq), "uar");
	BAD(dvx_qp_create(other, &qp, &out.qp), "pd");
	qp.pd = pd;
	BAD(dvx_qp_create(other, &qp, &out.qp), "uar");
	qp.uar = uar;
	BAD(dvx_qp_create(other, &qp, &out.qp), "send_cq");
	BAD(dvx_rxq_create(other, &rx, &out.rxq), "pd");
	rx.pd = pd;
	BAD(dvx_rxq_create(other, &rx, &out.rxq), "cq");
	BAD(dvx_txq_create(other, &tx, &out.txq), "pd");
	BAD(dvx_channel_subscribe(ch, p->cq[0], NULL), "CQ");
	BAD(dvx_events_watch_cq(ev, p->cq[0], NULL), "cq");
	BAD(dvx_events_watch_qp(ev, p->qp[0], NULL), "qp");
	OK(dvx_events_close(ev));
	OK(dvx_channel_close(ch));
	OK(dvx_uar_free(uar));
	OK(dvx_pd_free(pd));
	OK(dvx_dev_close(other)); /* nothing was made on it */
}

/* ---- states ---- */

/* Each state change from a wrong state is refused, with the queue's state and what to do. */
TEST(pair, wrong_state, 0)
{
	struct dvx_qp_local local = rig_local(r, 0);
	struct dvx_qp_peer peer = rig_peer(r, dvx_qp_number(p->qp[1]));
	struct dvx_qp *qp = p->qp[0];

	refused(dvx_qp_to_init(qp, &local), -EINVAL, "in RTS", "dvx_qp_to_rst()");
	refused(dvx_qp_to_rtr(qp, &local, &peer), -EINVAL, "in RTS", "dvx_qp_to_init()");
	refused(dvx_qp_to_rts(qp, &local, &peer), -EINVAL, "in RTS", "dvx_qp_to_rtr()");
	OK(dvx_qp_to_rst(qp));
	refused(dvx_qp_to_rtr(qp, &local, &peer), -EINVAL, "in RST", "dvx_qp_to_init()");
	refused(dvx_qp_to_rts(qp, &local, &peer), -EINVAL, "in RST", "dvx_qp_to_rtr()");
	OK(dvx_qp_to_init(qp, &local));
	refused(dvx_qp_to_init(qp, &local), -EINVAL, "in INIT", "dvx_qp_to_rst()");
	refused(dvx_qp_to_rts(qp, &local, &peer), -EINVAL, "in INIT", "dvx_qp_to_rtr()");
	OK(dvx_qp_to_rtr(qp, &local, &peer));
	refused(dvx_qp_to_rtr(qp, &local, &peer), -EINVAL, "in RTR", "dvx_qp_to_init()");
	OK(dvx_qp_to_rts(qp, &local, &peer));
	OK(dvx_qp_to_err(qp));
	refused(dvx_qp_connect(qp, &local, &peer), -EINVAL, "in ERR", "dvx_qp_to_rst()");
}

TEST(rig, datagrams_have_no_peer)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 128, .uar = r->uar};
	struct dvx_qp_attr attr = rig_qp_attr(r);
	struct dvx_qp_local local = rig_local(r, 0);
	struct dvx_qp_peer peer = rig_peer(r, 1);
	struct dvx_qp *qp;

	OK(dvx_cq_create(r->dev, &cq, &attr.send_cq));
	attr.flags = 0;
	attr.type = DVX_QP_UD;
	OK(dvx_qp_create(r->dev, &attr, &qp));
	BAD(dvx_qp_to_rtr(qp, &local, &peer), "peer");
	BAD(dvx_qp_connect_self(qp, 0), "qp");
	local.access = DVX_REMOTE_WRITE;
	BAD(dvx_qp_to_init(qp, &local), "access");
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(attr.send_cq));
}

TEST_GROUP(rig_open, rig_close)
