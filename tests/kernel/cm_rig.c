/* SPDX-License-Identifier: BSD-2-Clause */
#include "cm_rig.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/log.h"
#include "obj/profile.h"

struct cr *cr;

static uint64_t cr_now(struct clock *c)
{
	return ((struct cr *)((char *)c - offsetof(struct cr, clock)))->now;
}

static int cr_send(void *ctx, struct vhca *from, const struct cm_path *p,
		   const uint8_t mad[CM_MAD_BYTES])
{
	uint32_t bit = 1u << ((unsigned int)mad_get(mad, MAD_ATTRIBUTE) - CM_REQ);

	(void)ctx;
	cr->sent++;
	if (cr->nwire == CR_WIRE)
		return 0;
	if (cr->lose & bit) {
		cr->lose &= ~bit;
		return 0;
	}
	cr->wire[cr->nwire].from = from;
	cr->wire[cr->nwire].path = *p;
	memcpy(cr->wire[cr->nwire++].mad, mad, CM_MAD_BYTES);
	return 0;
}

static bool cr_is_own(void *ctx, const struct sockaddr *a)
{
	(void)ctx;
	return a->sa_family == AF_INET &&
	       ((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr == htonl(0x0a000001);
}

int cr_setup(void **state)
{
	const struct cm_ops ops = {.send = cr_send, .is_own = cr_is_own};

	cr = calloc(1, sizeof(*cr));
	assert_non_null(cr);
	cr->log = memfd_create("log", 0);
	sim_log_to(cr->log);
	cr->clock.now = cr->clock.utc = cr_now;
	cr->now = 1;
	cr->chip = chip_new(&profile_bluefield2, &cr->clock);
	assert_non_null(cr->chip);
	cr->dev = chip_device(cr->chip);
	cr->cm = cm_new(cr->dev, &ops);
	assert_non_null(cr->cm);
	*state = cr;
	return 0;
}

int cr_teardown(void **state)
{
	(void)state;
	cm_free(cr->cm);
	assert_int_equal(cr->dev->timers.n, 0); /* no timer is left */
	chip_free(cr->chip);
	sim_log_to(2);
	close(cr->log);
	free(cr);
	return 0;
}

int cr_command(struct cm_file *f, uint32_t command, const void *in, size_t in_len, void *out,
	       size_t out_len)
{
	struct ucma_request *r = calloc(1, sizeof(*r)); /* so that ASan sees accesses beyond it */
	int err;

	assert_non_null(r);
	r->command = command;
	r->in_len = (uint16_t)in_len;
	r->out_len = (uint16_t)out_len;
	r->nin = (uint32_t)in_len;
	memcpy(r->in, in, in_len);
	err = cm_write(f, r);
	if (!err && out) {
		memset(out, 0, out_len);
		memcpy(out, r->out, r->nout < out_len ? r->nout : out_len);
	}
	free(r);
	return err;
}

/* --- ends ------------------------------------------------------------------------------------- */

struct cr_end cr_open(unsigned int function, uint16_t ps)
{
	struct rdma_ucm_create_id c = {.uid = 0x1000, .ps = ps};
	struct rdma_ucm_create_id_resp resp;
	struct cr_end e;

	e.file = cm_open(cr->cm, function, getpid(), true, &e.fd);
	assert_non_null(e.file);
	assert_int_equal(CR_ASK(&e, RDMA_USER_CM_CMD_CREATE_ID, c, &resp), 0);
	e.id = resp.id;
	return e;
}

void cr_close(struct cr_end *e)
{
	cm_close(e->file);
	close(e->fd);
}

struct sockaddr_in6 cr_ip(const char *address, uint16_t port)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};

	if (strchr(address, ':')) {
		assert_int_equal(inet_pton(AF_INET6, address, &a.sin6_addr), 1);
		return a;
	}
	assert_int_equal(inet_pton(AF_INET, address, &in.sin_addr), 1);
	memset(&a, 0, sizeof(a));
	memcpy(&a, &in, sizeof(in));
	return a;
}

int cr_bind(struct cr_end *e, const char *address, uint16_t port)
{
	struct rdma_ucm_bind_ip c = {.id = e->id, .addr = cr_ip(address, port)};

	return CR_RUN(e, RDMA_USER_CM_CMD_BIND_IP, c);
}

int cr_listen(struct cr_end *e, uint32_t backlog)
{
	struct rdma_ucm_listen c = {.id = e->id, .backlog = backlog};

	return CR_RUN(e, RDMA_USER_CM_CMD_LISTEN, c);
}

int cr_resolve(struct cr_end *e, const char *address, uint16_t port)
{
	struct rdma_ucm_resolve_ip c = {
		.id = e->id, .dst_addr = cr_ip(address, port), .timeout_ms = 2000};

	return CR_RUN(e, RDMA_USER_CM_CMD_RESOLVE_IP, c);
}

int cr_route(struct cr_end *e)
{
	struct rdma_ucm_resolve_route c = {.id = e->id, .timeout_ms = 2000};

	return CR_RUN(e, RDMA_USER_CM_CMD_RESOLVE_ROUTE, c);
}

static struct rdma_ucm_conn_param cr_param(const struct cr_end *e, const char *data)
{
	struct rdma_ucm_conn_param p = {.qp_num = CR_QPN(e),
					.responder_resources = 3,
					.initiator_depth = 2,
					.retry_count = 9,
					.rnr_retry_count = 6,
					.valid = 1};

	p.private_data_len = (uint8_t)strlen(data);
	memcpy(p.private_data, data, p.private_data_len);
	return p;
}

int cr_connect(struct cr_end *e, const char *data)
{
	struct rdma_ucm_connect c = {.id = e->id, .conn_param = cr_param(e, data)};

	return CR_RUN(e, RDMA_USER_CM_CMD_CONNECT, c);
}

int cr_accept(struct cr_end *e, uint64_t uid)
{
	struct rdma_ucm_accept c = {.id = e->id, .uid = uid};

	if (uid)
		c.conn_param = cr_param(e, "yes");
	return CR_RUN(e, RDMA_USER_CM_CMD_ACCEPT, c);
}

int cr_disconnect(struct cr_end *e)
{
	struct rdma_ucm_disconnect c = {.id = e->id};

	return CR_RUN(e, RDMA_USER_CM_CMD_DISCONNECT, c);
}

int cr_destroy(struct cr_end *e)
{
	struct rdma_ucm_destroy_id c = {.id = e->id};
	struct rdma_ucm_destroy_id_resp resp;
	int err = CR_ASK(e, RDMA_USER_CM_CMD_DESTROY_ID, c, &resp);

	return err ? err : (int)resp.events_reported;
}

void cr_resolves(struct cr_end *e, const char *address, uint16_t port)
{
	assert_int_equal(cr_resolve(e, address, port), 0);
	assert_int_equal(cr_route(e), 0);
}

void cr_connects(struct cr_end *e, const char *data)
{
	assert_int_equal(cr_connect(e, data), 0);
	cr_deliver();
}

void cr_accepts(struct cr_end *e, uint64_t uid)
{
	assert_int_equal(cr_accept(e, uid), 0);
	cr_deliver();
}

void cr_disconnects(struct cr_end *e)
{
	assert_int_equal(cr_disconnect(e), 0);
	cr_deliver();
}

int cr_qp_attr(struct cr_end *e, uint32_t state, struct ib_uverbs_qp_attr *a)
{
	struct rdma_ucm_init_qp_attr c = {.id = e->id, .qp_state = state};

	return CR_ASK(e, RDMA_USER_CM_CMD_INIT_QP_ATTR, c, a);
}

/* --- the wire and time ------------------------------------------------------------------------ */

/* Delivers a message to the function that has the GID, with its RoCE v2 entry as sgid_index. */
static void cr_deliver_one(void)
{
	struct cm_path back = cr->wire[0].path;
	uint8_t mad[CM_MAD_BYTES];
	unsigned int index;
	struct vhca *to = device_vhca_by_gid(cr->dev, 0, cr->wire[0].path.dgid, &index);

	memcpy(mad, cr->wire[0].mad, sizeof(mad));
	memcpy(back.sgid, cr->wire[0].path.dgid, 16);
	memcpy(back.dgid, cr->wire[0].path.sgid, 16);
	back.sgid_index = (uint8_t)(index | 1);
	memmove(&cr->wire[0], &cr->wire[1], --cr->nwire * sizeof(cr->wire[0]));
	if (to) /* answers to made-up requests have no receiver */
		cm_receive(cr->cm, to, &back, mad);
}

void cr_deliver(void)
{
	while (cr->nwire)
		cr_deliver_one();
}

void cr_pass(uint64_t ms)
{
	cr->now += ms * 1000000;
	timers_run(&cr->dev->timers, cr->now);
	cr_deliver();
}

/* --- events ----------------------------------------------------------------------------------- */

unsigned int cr_readable(const struct cr_end *e)
{
	int n = 0;

	assert_int_equal(ioctl(e->fd, FIONREAD, &n), 0);
	return (unsigned int)n;
}

struct rdma_ucm_event_resp cr_event(struct cr_end *e)
{
	struct rdma_ucm_get_event c = {0};
	struct rdma_ucm_event_resp resp;

	assert_in_range(cr_readable(e), 1, 1024);
	assert_int_equal(CR_ASK(e, RDMA_USER_CM_CMD_GET_EVENT, c, &resp), 0);
	return resp;
}

struct rdma_ucm_event_resp cr_expect(struct cr_end *e, uint32_t event, int status)
{
	struct rdma_ucm_event_resp resp = cr_event(e);

	assert_int_equal(resp.event, event);
	assert_int_equal((int)resp.status, status);
	return resp;
}

void cr_expect_none(struct cr_end *e)
{
	struct rdma_ucm_get_event c = {0};
	struct rdma_ucm_event_resp resp;

	assert_int_equal(cr_readable(e), 0);
	assert_int_equal(CR_ASK(e, RDMA_USER_CM_CMD_GET_EVENT, c, &resp), -EAGAIN);
}

/* --- connections ------------------------------------------------------------------------------ */

struct cr_end cr_listener(const char *address, uint16_t ps, uint32_t backlog)
{
	struct cr_end e = cr_open(0, ps);

	assert_int_equal(cr_bind(&e, address, 7000), 0);
	assert_int_equal(cr_listen(&e, backlog), 0);
	return e;
}

struct cr_end cr_client(uint16_t ps)
{
	struct cr_end e = cr_open(1, ps);

	cr_resolves(&e, "192.168.215.1", 7000);
	cr_expect(&e, E_ADDR_RESOLVED, 0);
	cr_expect(&e, E_ROUTE_RESOLVED, 0);
	return e;
}

void cr_pair(struct cr_end *server, struct cr_end *client, uint16_t ps)
{
	*server = cr_listener("0.0.0.0", ps, 0);
	*client = cr_client(ps);
}

struct cr_end cr_request(struct cr_end *server)
{
	struct cr_end child = *server;

	child.id = cr_expect(server, E_CONNECT_REQUEST, 0).id;
	return child;
}

struct cr_end cr_requested(struct cr_end *server, struct cr_end *client, uint16_t ps)
{
	cr_pair(server, client, ps);
	cr_connects(client, "hello");
	return cr_request(server);
}

void cr_connected(struct cr_end *server, struct cr_end *client, struct cr_end *child)
{
	*child = cr_requested(server, client, RDMA_PS_TCP);
	cr_accepts(child, 0x2000);
	cr_expect(client, E_CONNECT_RESPONSE, 0);
	cr_accepts(client, 0);
	assert_int_equal(cr_expect(server, E_ESTABLISHED, 0).uid, 0x2000);
}
