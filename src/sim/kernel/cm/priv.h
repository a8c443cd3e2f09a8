/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_CM_PRIV_H
#define KERNEL_CM_PRIV_H

/* Declarations shared by the files of this folder. */
#include <netinet/in.h>
#include <rdma/rdma_user_cm.h>
#include <sys/queue.h>
#include "base/clock.h"
#include "cm.h"
#include "kernel/core/file.h"

/* --- addresses -------------------------------------------------------------------------------- */

/* From infiniband/ib.h; the kernel's user headers have no sockaddr_ib. */
#define CM_AF_IB 27
struct cm_sockaddr_ib {
	uint16_t family;
	uint16_t pkey; /* network order, as all fields */
	uint32_t flowinfo;
	uint8_t addr[16];
	uint64_t sid, sid_mask, scope_id;
};

union cm_addr {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct cm_sockaddr_ib ib;
};
#define CM_ADDR_TEXT 64

/* Returns whether an IPv6 address is in fe80::/10. */
static inline bool ip6_is_link_local(const uint8_t ip[16])
{
	return ip[0] == 0xfe && (ip[1] & 0xc0) == 0x80;
}

uint32_t addr_size(const union cm_addr *); /* 0 for an unknown family */
bool addr_is_zero(const union cm_addr *);
bool addr_is_loopback(const union cm_addr *);
bool addr_is_any(const union cm_addr *); /* the unspecified or a loopback address */
bool addr_differs(const union cm_addr *, const union cm_addr *);
uint16_t addr_port(const union cm_addr *);
void addr_set_port(union cm_addr *, uint16_t);
void addr_set_loopback(union cm_addr *);
void addr_gid(const union cm_addr *, uint8_t gid[16]);
const char *addr_text(const union cm_addr *, char text[CM_ADDR_TEXT]);
/* Copies an address out of a command. -EINVAL: unknown family, or room is less than its size. */
int addr_copy(union cm_addr *, const void *from, size_t room);

/* addr_map.c: maps addresses to GIDs (doc/design/0022). */
struct cm;
struct cm_id;
/* Finds the GID of an address of the id's function. 0 or -ENODEV */
int addr_own(const struct cm_id *, const union cm_addr *, uint8_t *sgid_index);
/*
 * Finds the GID of a destination, and the source address to use for it. 0, -ENODEV, -ETIMEDOUT, or
 * -EINPROGRESS while the network is asked.
 */
int addr_peer(const struct cm_id *, const union cm_addr *dst, union cm_addr *src, uint8_t gid[16]);
/* Returns whether a peer outside of the chip has the address. */
bool addr_is_outside(const struct cm_id *, const union cm_addr *);
/* Returns the function's GID for host addresses of this family. */
uint8_t addr_default_index(const struct vhca *, int family);

/* --- ports ------------------------------------------------------------------------------------ */

/* A port in a function's port space, and the ids that are bound to it, newest first. */
struct cm_port {
	LIST_ENTRY(cm_port) link;
	const struct vhca *fn;
	uint16_t ps, port;
	LIST_HEAD(, cm_id) owners;
};
#define CM_PORT_BUCKETS 256u
struct cm_port *port_find(struct cm *, const struct vhca *, uint16_t ps, uint16_t port);
/* Binds the id to the port of its address; port 0: to any free port. */
int port_get(struct cm_id *);
void port_release(struct cm_id *);
/* Checks whether an id that was bound with REUSEADDR may listen. */
int port_check_listen(struct cm_id *);

/* --- ids -------------------------------------------------------------------------------------- */

enum cm_id_state { /* enum rdma_cm_state */
		   ID_IDLE,
		   ID_ADDR_QUERY,
		   ID_ADDR_RESOLVED,
		   ID_ROUTE_RESOLVED,
		   ID_CONNECT,
		   ID_DISCONNECT,
		   ID_ADDR_BOUND,
		   ID_LISTEN,
};

enum {
	QPT_RC = 2,
	QPT_UC = 3,
	QPT_UD = 4,
	QPT_XRC_INI = 9,
	QPT_XRC_TGT = 10
}; /* enum ib_qp_type */

/* A path record: the fields of the kernel's sa_path_rec that RoCE uses. */
struct cm_route {
	struct cm_path p;
	uint64_t service_id;
	uint16_t pkey;
	uint8_t mtu, rate, life_time;
};

struct cm_conn;
struct cm_group;

/* An id: rdma_cm's rdma_cm_id and ucma's ucma_context in one. */
struct cm_id {
	struct cm *cm;
	struct cm_file *file;
	TAILQ_ENTRY(cm_id) link; /* in the file's ids */
	uint32_t number;
	uint64_t uid;	   /* the program's context; 0 until it accepts the connection */
	uint32_t reported; /* events that the program has read */
	uint32_t backlog;
	bool unread; /* its CONNECT_REQUEST was not read yet */

	enum cm_id_state state;
	uint16_t ps;
	uint8_t qp_type;
	struct vhca *fn;   /* the file's function */
	struct vhca *vhca; /* the device that it is bound to; NULL: none yet */
	uint8_t sgid_index;
	uint16_t pkey; /* on Ethernet set by loopback addresses only */
	union cm_addr src, dst;
	bool afonly, afonly_set, reuse, tos_set, timeout_set;
	uint8_t tos, timeout;
	struct cm_port *port;
	LIST_ENTRY(cm_id) owner; /* in the port's owners */
	uint32_t qpn, qkey, psn;
	bool srq;
	struct rdma_ucm_ece ece;
	uint8_t nroutes;
	struct cm_route route;
	struct cm_conn *conn; /* the ib_cm_id; NULL until connect */
	LIST_HEAD(, cm_group) groups;
	struct timer unanswered; /* ends the resolution of an address that does not answer */
};

int id_find(struct cm_file *, uint32_t number, struct cm_id **);
/* Finds an id like id_find(), with -EINVAL if it has no device. */
int id_find_bound(struct cm_file *, uint32_t number, struct cm_id **);
struct cm_id *id_new(struct cm_file *, uint16_t ps, uint8_t qp_type); /* NULL: no memory */
uint32_t id_destroy(struct cm_id *); /* returns how many of its events the program read */
int id_bind_any(struct cm_id *);     /* as LISTEN does */
uint64_t id_service(const struct cm_id *, const union cm_addr *);
/* Fills in the header before a program's private data; returns its length, 0 for AF_IB. */
#define CM_HDR_BYTES 36u
uint32_t id_header(const struct cm_id *, uint8_t hdr[CM_HDR_BYTES]);
int id_set_qkey(struct cm_id *, uint32_t qkey);
void id_default_qkey(struct cm_id *);

/* connect.c: events of a connection that its id handles. */
enum conn_event {
	CONN_REQ_ERROR,
	CONN_REP_ERROR,
	CONN_DREQ_ERROR,
	CONN_SIDR_ERROR,
	CONN_REP,
	CONN_RTU,
	CONN_REJ,
	CONN_DREQ,
	CONN_DREP,
	CONN_SIDR_REP,
	CONN_TIMEWAIT_EXIT,
};
void id_on_conn(struct cm_id *, enum conn_event, const uint8_t *mad);
/* listen.c: handles a REQ. 0 or -errno; the caller drops it at -ENOMEM, else rejects it. */
int id_on_request(struct cm *, struct cm_conn *, const uint8_t *mad);
void route_ah(const struct cm_path *, struct ib_uverbs_ah_attr *);
/* Handles SET_OPTION's IB_PATH, an array of struct ib_path_rec_data. */
int route_set_path(struct cm_id *, const uint8_t *records, uint32_t len);

/* --- groups ----------------------------------------------------------------------------------- */

struct cm_group {
	struct cm_id *id;
	LIST_ENTRY(cm_group) link;
	uint32_t number, reported;
	uint64_t uid;
	union cm_addr addr;
};
void groups_leave(struct cm_id *);

/* enum rdma_cm_event_type, which the kernel's user headers lack */
enum {
	EVENT_ADDR_RESOLVED = 0,
	EVENT_ADDR_ERROR = 1,
	EVENT_ROUTE_RESOLVED = 2,
	EVENT_CONNECT_REQUEST = 4,
	EVENT_CONNECT_RESPONSE = 5,
	EVENT_UNREACHABLE = 7,
	EVENT_REJECTED = 8,
	EVENT_ESTABLISHED = 9,
	EVENT_DISCONNECTED = 10,
	EVENT_MULTICAST_JOIN = 12,
	EVENT_TIMEWAIT_EXIT = 15,
};

/* --- files and events ------------------------------------------------------------------------- */

struct cm_event {
	TAILQ_ENTRY(cm_event) link;
	struct cm_id *owner; /* the id whose `reported` counts it */
	struct cm_id *child; /* the new id of a CONNECT_REQUEST */
	struct cm_group *group;
	struct rdma_ucm_event_resp resp;
};

struct cm_file {
	struct cm *cm;
	LIST_ENTRY(cm_file) link;
	struct vhca *fn;
	pid_t pid; /* the program that opened it */
	bool low_ports;
	int sock, peer;		  /* the chip's end, and a duplicate of the program's */
	uint64_t inode;		  /* the program's end */
	uint32_t nevents, nbytes; /* unread events, bytes in the socket */
	TAILQ_HEAD(, cm_event) events;
	TAILQ_HEAD(, cm_id) ids;
};
struct cm_file *file_find(struct cm *, uint64_t inode);

/* Queues an event of the id, and sets its uid, id and owner. An id without uid gets no events. */
void event_post(struct cm_id *, const struct rdma_ucm_event_resp *);
int event_post_request(struct cm_id *listener, struct cm_id *child,
		       const struct rdma_ucm_event_resp *);
int event_post_group(struct cm_group *, const struct rdma_ucm_event_resp *);
int event_read(struct cm_file *, struct ucma_request *);
void event_drop_group(struct cm_group *);
/* Drops the unread events of an id, and destroys the ids of its unread requests. */
void event_drop_id(struct cm_id *);
void event_migrate(struct cm_id *, struct cm_file *to);

/* --- the device ------------------------------------------------------------------------------- */

#define CM_REMOTE_BUCKETS 1024u
struct cm {
	struct device *dev;
	struct cm_ops ops;
	LIST_HEAD(, cm_file) files;
	LIST_HEAD(, cm_port) ports[CM_PORT_BUCKETS];
	struct id_table ids, groups, conns;
	LIST_HEAD(, cm_conn)
	remote_ids[CM_REMOTE_BUCKETS], remote_qpns[CM_REMOTE_BUCKETS]; /* remote.c */
	LIST_HEAD(, cm_conn) sidr; /* requests that wait for an answer */
	uint32_t serial;
	uint32_t id_key; /* XORed into all communication ids, as the kernel's random_id_operand */
	uint64_t random;
};
uint32_t cm_random(struct cm *);
/* Copies a command's answer, as much as the program has room for. */
void cm_answer(struct ucma_request *, const void *, size_t len);

/* --- commands --------------------------------------------------------------------------------- */

typedef int cm_command_fn(struct cm_file *, struct ucma_request *);
cm_command_fn id_create, id_migrate, id_bind_ip, id_bind, id_resolve_ip, id_resolve_addr,
	id_connect, id_reject, id_init_qp_attr, group_join_ip, group_join, group_leave;
/* Commands whose id is looked up before they run. */
typedef int cm_id_command_fn(struct cm_id *, struct ucma_request *);
cm_id_command_fn id_destroy_command, id_set_option, id_resolve_route, id_query_route, id_query,
	id_listen, id_accept, id_disconnect, id_notify;

#endif
