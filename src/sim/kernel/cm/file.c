/* SPDX-License-Identifier: BSD-2-Clause */
/* Open files, and the dispatch of their commands. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "priv.h"
#include "obj/device.h"

/* clang-format off */
static const struct cm_command {
	cm_command_fn *fn;
	cm_id_command_fn *on_id; /* instead of fn: gets the id that find() returns */
	int (*find)(struct cm_file *, uint32_t number, struct cm_id **);
	uint16_t at; /* offset of the id's number */
} cm_commands[] = {
	[RDMA_USER_CM_CMD_CREATE_ID] = {.fn = id_create},
	[RDMA_USER_CM_CMD_DESTROY_ID] = {NULL, id_destroy_command, id_find, offsetof(struct rdma_ucm_destroy_id, id)},
	[RDMA_USER_CM_CMD_BIND_IP] = {.fn = id_bind_ip},
	[RDMA_USER_CM_CMD_RESOLVE_IP] = {.fn = id_resolve_ip},
	[RDMA_USER_CM_CMD_RESOLVE_ROUTE] = {NULL, id_resolve_route, id_find_bound, offsetof(struct rdma_ucm_resolve_route, id)},
	[RDMA_USER_CM_CMD_QUERY_ROUTE] = {NULL, id_query_route, id_find, offsetof(struct rdma_ucm_query, id)},
	[RDMA_USER_CM_CMD_CONNECT] = {.fn = id_connect},
	[RDMA_USER_CM_CMD_LISTEN] = {NULL, id_listen, id_find, offsetof(struct rdma_ucm_listen, id)},
	[RDMA_USER_CM_CMD_ACCEPT] = {NULL, id_accept, id_find_bound, offsetof(struct rdma_ucm_accept, id)},
	[RDMA_USER_CM_CMD_REJECT] = {.fn = id_reject},
	[RDMA_USER_CM_CMD_DISCONNECT] = {NULL, id_disconnect, id_find_bound, offsetof(struct rdma_ucm_disconnect, id)},
	[RDMA_USER_CM_CMD_INIT_QP_ATTR] = {.fn = id_init_qp_attr},
	[RDMA_USER_CM_CMD_GET_EVENT] = {.fn = event_read},
	[RDMA_USER_CM_CMD_SET_OPTION] = {NULL, id_set_option, id_find, offsetof(struct rdma_ucm_set_option, id)},
	[RDMA_USER_CM_CMD_NOTIFY] = {NULL, id_notify, id_find_bound, offsetof(struct rdma_ucm_notify, id)},
	[RDMA_USER_CM_CMD_JOIN_IP_MCAST] = {.fn = group_join_ip},
	[RDMA_USER_CM_CMD_LEAVE_MCAST] = {.fn = group_leave},
	[RDMA_USER_CM_CMD_MIGRATE_ID] = {.fn = id_migrate},
	[RDMA_USER_CM_CMD_QUERY] = {NULL, id_query, id_find, offsetof(struct rdma_ucm_query, id)},
	[RDMA_USER_CM_CMD_BIND] = {.fn = id_bind},
	[RDMA_USER_CM_CMD_RESOLVE_ADDR] = {.fn = id_resolve_addr},
	[RDMA_USER_CM_CMD_JOIN_MCAST] = {.fn = group_join},
};
/* clang-format on */

static int cm_command(const struct cm_command *c, struct cm_file *f, struct ucma_request *r)
{
	struct cm_id *id;
	uint32_t number;
	int err;

	if (c->fn)
		return c->fn(f, r);
	memcpy(&number, r->in + c->at, sizeof(number));
	err = c->find(f, number, &id);
	return err ?: c->on_id(id, r);
}

int cm_write(struct cm_file *f, struct ucma_request *r)
{
	const struct ucma_command *c = ucma_command_find(r->command);

	r->nout = 0;
	if (!c)
		return refuse(-EINVAL, "rdma_cm: command %u: there is none", r->command);
	if (!cm_commands[r->command].fn && !cm_commands[r->command].on_id)
		return refuse(-ENOSYS, "rdma_cm: %s: the kernel has none", c->name);
	if (r->in_len < c->least_in)
		return refuse(-EINVAL, "%s: in %u, at least %u bytes are needed", c->name,
			      r->in_len, c->least_in);
	if (r->out_len < c->least_out)
		return refuse(-ENOSPC, "%s: out %u, at least %u bytes are needed", c->name,
			      r->out_len, c->least_out);
	if (f->cm->dev->failed && r->command != RDMA_USER_CM_CMD_GET_EVENT &&
	    r->command != RDMA_USER_CM_CMD_DESTROY_ID)
		return -EIO;
	return cm_command(&cm_commands[r->command], f, r);
}

void cm_answer(struct ucma_request *r, const void *answer, size_t len)
{
	if (len > r->out_len && ucma_command_find(r->command)->least_out)
		len = r->out_len;
	memcpy(r->out, answer, len);
	r->nout = (uint32_t)len;
}

/* --- open and close --------------------------------------------------------------------------- */

/*
 * Makes a socket pair, not a pipe: the chip can take bytes back from a duplicate of the program's
 * end, and the program can wait for an event with recv(MSG_PEEK), as a blocking write() would.
 */
static int file_sockets(struct cm_file *f, int *client_fd)
{
	struct stat st;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -errno;
	f->sock = fds[0];
	f->peer = fcntl(fds[1], F_DUPFD_CLOEXEC, 3);
	if (f->peer < 0 || fstat(fds[1], &st)) {
		close(fds[1]);
		return -errno;
	}
	f->inode = st.st_ino;
	*client_fd = fds[1];
	return 0;
}

static void cm_file_free(struct cm_file *f)
{
	if (f->sock >= 0)
		close(f->sock);
	if (f->peer >= 0)
		close(f->peer);
	free(f);
}

struct cm_file *cm_open(struct cm *cm, unsigned int function, pid_t pid, bool low_ports,
			int *client_fd)
{
	struct cm_file *f = function < cm->dev->nfunctions ? calloc(1, sizeof(*f)) : NULL;
	int err;

	if (!f) {
		errno = function < cm->dev->nfunctions ? ENOMEM : ENODEV;
		return NULL;
	}
	f->cm = cm;
	f->fn = &cm->dev->vhca[function];
	f->pid = pid;
	f->low_ports = low_ports;
	f->sock = f->peer = -1;
	TAILQ_INIT(&f->events);
	TAILQ_INIT(&f->ids);
	err = file_sockets(f, client_fd);
	if (err) {
		cm_file_free(f);
		errno = -err;
		return NULL;
	}
	LIST_INSERT_HEAD(&cm->files, f, link);
	return f;
}

void cm_close(struct cm_file *f)
{
	while (!TAILQ_EMPTY(&f->ids))
		id_destroy(TAILQ_FIRST(&f->ids));
	LIST_REMOVE(f, link);
	cm_file_free(f);
}

struct cm_file *file_find(struct cm *cm, uint64_t inode)
{
	struct cm_file *f;

	LIST_FOREACH(f, &cm->files, link)
	if (f->inode == inode)
		return f;
	return NULL;
}

/* --- the device ------------------------------------------------------------------------------- */

struct cm *cm_new(struct device *dev, const struct cm_ops *ops)
{
	struct cm *cm = calloc(1, sizeof(*cm));

	if (!cm)
		return NULL;
	cm->dev = dev;
	cm->ops = *ops;
	cm->random = 0x9e3779b97f4a7c15u ^ ops->seed;
	cm->id_key = (uint32_t)ops->seed;
	return cm;
}

void cm_free(struct cm *cm)
{
	if (!cm)
		return;
	while (!LIST_EMPTY(&cm->files))
		cm_close(LIST_FIRST(&cm->files));
	id_table_free(&cm->ids);
	id_table_free(&cm->groups);
	id_table_free(&cm->conns);
	free(cm);
}

/* Returns numbers for ports and PSNs. They need not be secret, and the same seed repeats a run. */
uint32_t cm_random(struct cm *cm)
{
	cm->random = cm->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(cm->random >> 33);
}
