/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks of RDMA netlink, and of devlink, a family of generic netlink. The program gets a netlink socket of another protocol, NETLINK_USERSOCK,
 * which needs no privilege; answers come from a second socket. So recv, poll, bind, getsockname,
 * dup and fork work without hooks.
 */
#include "client.h"
#include "netlink.h"
#include "real.h"
#include "sysfs/sysfs.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/log.h"
#include "base/port_stats.h"

#define REQUEST_ROOM  8192u
#define IBDEV_FOLDER  "class/infiniband/mlx5_0/"
#define UVERBS_FOLDER "class/infiniband_verbs/uverbs0/"

/* --- the device, read from its files ---------------------------------------------------------- */

static bool tree_text(const char *path, char *text, size_t size)
{
	char at[PATH_MAX];
	ssize_t n = -1;
	int fd = -1;

	if (snprintf(at, sizeof(at), "%s/%s", client_tree(), path) < (int)sizeof(at))
		fd = real()->open(at, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, size - 1);
		real()->close(fd);
	}
	text[n > 0 ? n : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	return n > 0;
}

static uint64_t tree_number(const char *path)
{
	char text[32];

	tree_text(path, text, sizeof(text));
	return strtoull(text, NULL, 10);
}

/* Parses four groups of four hexadecimal digits. */
static bool tree_guid(const char *path, uint64_t *guid)
{
	unsigned int w[4];
	char text[32];

	if (!tree_text(path, text, sizeof(text)) ||
	    sscanf(text, "%4x:%4x:%4x:%4x", &w[0], &w[1], &w[2], &w[3]) != 4)
		return false;
	*guid = (uint64_t)w[0] << 48 | (uint64_t)w[1] << 32 | w[2] << 16 | w[3];
	return true;
}

static void tree_chardev(const char *folder, struct netlink_chardev *c)
{
	unsigned int major, minor;
	char path[64], text[32];

	snprintf(path, sizeof(path), "%sdev", folder);
	if (tree_text(path, text, sizeof(text)) && sscanf(text, "%u:%u", &major, &minor) == 2)
		c->dev = makedev(major, minor);
	snprintf(path, sizeof(path), "%sabi_version", folder);
	c->abi = tree_number(path);
}

/* Reads the e-switch's file, which its manager has. */
static void tree_eswitch(struct netlink_eswitch *e)
{
	unsigned int switchdev, inline_l2;
	char text[32];

	e->managed = tree_text(SYSFS_ESWITCH, text, sizeof(text)) &&
		     sscanf(text, "%u %u", &switchdev, &inline_l2) == 2;
	if (!e->managed)
		return;
	e->switchdev = switchdev;
	e->inline_l2 = inline_l2;
}

static void read_counters(struct netlink_device *d)
{
	struct port_stats stats;
	const char *name;

	if (!client_stats(&stats))
		return;
	for (; d->ncounters < NETLINK_COUNTERS; d->ncounters++) {
		struct netlink_counter *c = &d->counters[d->ncounters];

		name = sysfs_hw_counter(d->ncounters, &stats, &c->value);
		if (!name)
			return;
		snprintf(c->name, sizeof(c->name), "%s", name);
	}
}

static void read_devlink_port(struct netlink_port *p, unsigned int port)
{
	char path[32], text[64];

	snprintf(path, sizeof(path), SYSFS_DEVLINK "/%u", port);
	p->devlink = tree_text(path, text, sizeof(text)) &&
		     sscanf(text, "%" SCNu32 " %15s", &p->devlink_index, p->phys_name) >= 1;
}

/* Returns false if there is no such port. */
static bool read_port(struct netlink_port *p, unsigned int port)
{
	char path[128];

	snprintf(path, sizeof(path), IBDEV_FOLDER "ports/%u/state", port);
	p->state = (uint8_t)tree_number(path);
	snprintf(path, sizeof(path), IBDEV_FOLDER "ports/%u/phys_state", port);
	p->phys_state = (uint8_t)tree_number(path);
	snprintf(path, sizeof(path), SYSFS_NETDEVS "/%u", port);
	if (tree_text(path, p->ndev_name, sizeof(p->ndev_name)))
		p->ndev = if_nametoindex(p->ndev_name);
	read_devlink_port(p, port);
	return p->state;
}

static bool is_admin(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	return !syscall(SYS_capget, &head, caps) &&
	       caps[CAP_TO_INDEX(CAP_NET_ADMIN)].effective & CAP_TO_MASK(CAP_NET_ADMIN);
}

static void read_device(struct netlink_device *d)
{
	memset(d, 0, sizeof(*d));
	d->present = tree_guid(IBDEV_FOLDER "node_guid", &d->node_guid);
	if (!d->present)
		return;
	d->resources = client_resources;
	d->admin = is_admin();
	tree_guid(IBDEV_FOLDER "sys_image_guid", &d->sys_image_guid);
	tree_text(IBDEV_FOLDER "fw_ver", d->fw_ver, sizeof(d->fw_ver));
	for (; d->nports < NETLINK_PORTS && read_port(&d->ports[d->nports], d->nports + 1);
	     d->nports++)
		d->dpu |= strstr(d->ports[d->nports].phys_name, "hpf") != NULL;
	tree_eswitch(&d->eswitch);
	tree_chardev(UVERBS_FOLDER, &d->uverbs);
	tree_chardev("class/misc/rdma_cm/", &d->rdma_cm);
	read_counters(d);
}

/* --- the carrier ------------------------------------------------------------------------------ */

static bool is_carrier(int fd)
{
	int domain = 0, protocol = 0;
	socklen_t size = sizeof(int);

	return client_tree() && !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) &&
	       domain == AF_NETLINK && !getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) &&
	       protocol == NETLINK_USERSOCK;
}

/* Returns the port id of a socket; the kernel assigns one if it has none. 0: see errno. */
static uint32_t port_id(int fd)
{
	struct sockaddr_nl nl = {.nl_family = AF_NETLINK};
	socklen_t len = sizeof(nl);

	if (getsockname(fd, (struct sockaddr *)&nl, &len) || nl.nl_pid)
		return nl.nl_pid;
	if (bind(fd, (struct sockaddr *)&nl, sizeof(nl)))
		return 0;
	len = sizeof(nl);
	return getsockname(fd, (struct sockaddr *)&nl, &len) ? 0 : nl.nl_pid;
}

/* Whether the process has made a socket of generic netlink: in all others, send() pays a load. */
static bool has_generic;

/* Returns whether a message asks for devlink's family, which a program does before all else. */
static bool asks_for_devlink(const void *buf, size_t n)
{
	struct nlmsghdr h;

	if (n < NLMSG_HDRLEN + GENL_HDRLEN)
		return false;
	return !flatten_copy_in(&h, (uintptr_t)buf, sizeof(h)) && h.nlmsg_type == GENL_ID_CTRL &&
	       h.nlmsg_len <= n && memmem(buf, n, DEVLINK_GENL_NAME, sizeof(DEVLINK_GENL_NAME));
}

static bool is_generic(int fd)
{
	int protocol = 0;
	socklen_t size = sizeof(int);

	return !getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) &&
	       protocol == NETLINK_GENERIC;
}

/*
 * Puts a carrier in the place of a socket of generic netlink that the program uses for devlink. The
 * socket keeps its port id, which libmnl remembers, unless another carrier has it.
 */
static void carrier_replace(int fd)
{
	struct sockaddr_nl nl = {.nl_family = AF_NETLINK, .nl_pid = port_id(fd)};
	const int flags = fcntl(fd, F_GETFL), cloexec = fcntl(fd, F_GETFD) & FD_CLOEXEC;
	int sock = real()->socket(AF_NETLINK, SOCK_RAW | (flags & O_NONBLOCK ? SOCK_NONBLOCK : 0),
				  NETLINK_USERSOCK);

	if (sock < 0)
		return;
	(void)bind(sock, (struct sockaddr *)&nl, sizeof(nl));
	dup3(sock, fd, cloexec ? O_CLOEXEC : 0);
	real()->close(sock);
}

/* Has a message to devlink answered here, and the later ones on that socket. */
static void look_for_devlink(int fd, const void *buf, size_t n)
{
	int saved = errno;

	if (!__atomic_load_n(&has_generic, __ATOMIC_RELAXED))
		return;
	if (is_generic(fd) && asks_for_devlink(buf, n)) {
		client_sysfs();
		if (client_tree())
			carrier_replace(fd);
	}
	errno = saved;
}

/* Returns whether it goes to the kernel, which is the peer of a socket with no other peer. */
static bool is_to_kernel(int fd, const void *to, socklen_t len)
{
	struct sockaddr_nl nl;

	if (to && len >= sizeof(nl)) {
		memcpy(&nl, to, sizeof(nl));
	} else {
		len = sizeof(nl);
		if (to || getpeername(fd, (struct sockaddr *)&nl, &len))
			return false;
	}
	return nl.nl_family == AF_NETLINK && !nl.nl_pid && !nl.nl_groups;
}

/*
 * Returns whether the program has just sent to RDMA netlink. The carrier's protocol has no kernel
 * half, so the message was refused. No list of sockets is needed; they survive fork and exec.
 */
static bool refused_to_rdma(int fd, const void *to, socklen_t len)
{
	int error = errno;
	bool ours = error == ECONNREFUSED && is_carrier(fd) && is_to_kernel(fd, to, len);

	errno = error;
	return ours;
}

/*
 * Disconnects a socket that is connected to the kernel: it would receive only the kernel's
 * messages, and the answer has another sender. Its messages still go to the kernel.
 */
static void carrier_open(int fd)
{
	static const struct sockaddr none = {.sa_family = AF_UNSPEC};
	int saved = errno;

	if (is_to_kernel(fd, NULL, 0))
		(void)connect(fd, &none, sizeof(none));
	errno = saved;
}

struct answer_way {
	int sock;
	struct sockaddr_nl to;
};

/* Sends a part. The kernel waits for the reader; here a dump must fit into the reader's buffer. */
static int send_datagram(void *arg, const void *datagram, size_t len)
{
	const struct answer_way *way = arg;

	if (real()->sendto(way->sock, datagram, len, MSG_DONTWAIT,
			   (const struct sockaddr *)&way->to, sizeof(way->to)) >= 0)
		return 0;
	if (errno != EAGAIN)
		return -errno;
	sim_refuse("RDMA netlink: the answer is longer than the socket's receive buffer "
		   "(SO_RCVBUF)");
	return -ENOBUFS;
}

static ssize_t netlink_ask(int fd, const void *request, size_t len)
{
	struct netlink_device dev;
	struct answer_way way = {.to = {.nl_family = AF_NETLINK, .nl_pid = port_id(fd)}};
	int err, saved = errno;

	if (!way.to.nl_pid)
		return -1;
	way.sock = real()->socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_USERSOCK);
	if (way.sock < 0)
		return -1;
	carrier_open(fd);
	read_device(&dev);
	err = netlink_answer(&dev, request, len, way.to.nl_pid, send_datagram, &way);
	real()->close(way.sock);
	errno = err ? -err : saved;
	return err ? -1 : (ssize_t)len;
}

/* --- rtnetlink -------------------------------------------------------------------------------- */

/* Whether the process has made a socket of rtnetlink: in all others, recvmsg() pays a load. */
static bool has_route;

static bool is_route(int fd)
{
	int domain = 0, protocol = -1;
	socklen_t size = sizeof(int);

	return !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) && domain == AF_NETLINK &&
	       !getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) &&
	       protocol == NETLINK_ROUTE;
}

static bool tree_rep(const char *interface, struct netlink_rep *rep)
{
	char path[128], text[32];
	uint64_t id;

	snprintf(path, sizeof(path), SYSFS_VIRTUAL "/%.16s/phys_port_name", interface);
	if (strchr(interface, '/') || !tree_text(path, rep->port_name, sizeof(rep->port_name)))
		return false;
	snprintf(path, sizeof(path), SYSFS_VIRTUAL "/%.16s/phys_switch_id", interface);
	if (!tree_text(path, text, sizeof(text)))
		return false;
	id = __builtin_bswap64(strtoull(text, NULL, 16));
	memcpy(rep->switch_id, &id, sizeof(id));
	return true;
}

/* Programs read whole datagrams into one piece of memory: others get the kernel's bytes. */
ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	ssize_t n = real()->recvmsg(fd, m, flags);
	int saved = errno;

	if (n > 0 && __atomic_load_n(&has_route, __ATOMIC_RELAXED) && m->msg_iovlen == 1 &&
	    (size_t)n <= m->msg_iov[0].iov_len && is_route(fd)) {
		client_sysfs();
		if (client_tree())
			n = (ssize_t)netlink_route_add(m->msg_iov[0].iov_base, (size_t)n,
						       m->msg_iov[0].iov_len, tree_rep);
	}
	errno = saved;
	return n;
}

/* --- sockets ---------------------------------------------------------------------------------- */

int socket(int domain, int type, int protocol)
{
	if (domain == AF_NETLINK && protocol == NETLINK_GENERIC)
		__atomic_store_n(&has_generic, true, __ATOMIC_RELAXED);
	if (domain == AF_NETLINK && protocol == NETLINK_ROUTE)
		__atomic_store_n(&has_route, true, __ATOMIC_RELAXED);
	if (domain != AF_NETLINK || protocol != NETLINK_RDMA)
		return real()->socket(domain, type, protocol);
	client_sysfs();
	if (client_tree())
		return real()->socket(domain, type, NETLINK_USERSOCK);
	errno = EPROTONOSUPPORT;
	return -1;
}

static ssize_t netlink_ask_pieces(int fd, const struct iovec *iov, size_t n)
{
	char request[REQUEST_ROOM];
	size_t len = 0;

	for (size_t i = 0; i < n; len += iov[i++].iov_len) {
		if (iov[i].iov_len > sizeof(request) - len) {
			errno = EMSGSIZE;
			return -1;
		}
		memcpy(request + len, iov[i].iov_base, iov[i].iov_len);
	}
	return netlink_ask(fd, request, len);
}

/* The real call is tried first, so other sockets pay nothing. */
ssize_t sendto(int fd, const void *buf, size_t n, int flags, __CONST_SOCKADDR_ARG addr,
	       socklen_t len)
{
	ssize_t rc;

	look_for_devlink(fd, buf, n);
	rc = real()->sendto(fd, buf, n, flags, addr, len);

	return rc < 0 && refused_to_rdma(fd, addr.__sockaddr__, len) ? netlink_ask(fd, buf, n) : rc;
}

ssize_t send(int fd, const void *buf, size_t n, int flags)
{
	ssize_t rc;

	look_for_devlink(fd, buf, n);
	rc = real()->send(fd, buf, n, flags);

	return rc < 0 && refused_to_rdma(fd, NULL, 0) ? netlink_ask(fd, buf, n) : rc;
}

ssize_t netlink_write(int fd, const void *buf, size_t n)
{
	ssize_t rc = real()->write(fd, buf, n);

	return rc < 0 && refused_to_rdma(fd, NULL, 0) ? netlink_ask(fd, buf, n) : rc;
}

ssize_t writev(int fd, const struct iovec *iov, int n)
{
	ssize_t rc = real()->writev(fd, iov, n);

	return rc < 0 && refused_to_rdma(fd, NULL, 0) ? netlink_ask_pieces(fd, iov, (size_t)n) : rc;
}

ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	ssize_t rc;

	if (m && m->msg_iovlen)
		look_for_devlink(fd, m->msg_iov[0].iov_base, m->msg_iov[0].iov_len);
	rc = real()->sendmsg(fd, m, flags);

	return rc < 0 && m && refused_to_rdma(fd, m->msg_name, m->msg_namelen)
		       ? netlink_ask_pieces(fd, m->msg_iov, m->msg_iovlen)
		       : rc;
}

/* Returns an error only if the first message has it. */
int sendmmsg(int fd, struct mmsghdr *m, unsigned int n, int flags)
{
	int rc = real()->sendmmsg(fd, m, n, flags);
	unsigned int done = 0;
	ssize_t len;

	if (rc >= 0 || !n || !m ||
	    !refused_to_rdma(fd, m->msg_hdr.msg_name, m->msg_hdr.msg_namelen))
		return rc;
	for (; done < n && (len = sendmsg(fd, &m[done].msg_hdr, flags)) >= 0; done++)
		m[done].msg_len = (unsigned int)len;
	return done ? (int)done : -1;
}
