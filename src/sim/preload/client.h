/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_CLIENT_H
#define SIM_PRELOAD_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "ticket_lock.h"

/*
 * What the preload does inside a program. The hooks ask whether a path or a descriptor is the
 * device's. Ioctls are flattened into requests for a backend: a server's socket, or the chip in the
 * same process.
 */
struct ucma_request;
struct uverbs_request;
struct uverbs_resource;
struct uverbs_statistic;

/* One open of the device in this process. A file is known by the inode of its memfd, so that
 * dup'ed and passed descriptors are the same file. */
struct cfile {
	uint64_t ino; /* atomic; 0: free */
	bool cm;      /* of /dev/infiniband/rdma_cm: a socket */
	dev_t dev;
	int owner; /* the pid that opened it, or attached to it */
	struct ticket_lock lock;
	int sock;     /* server: the connection; -1 */
	void *inner;  /* embedded: the chip's side of it */
	int inner_fd; /* embedded: the chip's own descriptor of the BAR or socket; -1 */
	bool guest;   /* another process opened it: a parent, or one that passed the descriptor */
	bool watched; /* a userfaultfd was handed over, or there is none */
};

struct backend {
	/* The sysfs tree exists when this returns 0. */
	int (*sysfs)(const char *root);
	/* A new descriptor of the BAR (close-on-exec), or -errno. */
	int (*open)(struct cfile *, unsigned int function);
	/* 0 or -errno as ioctl() gives; outputs are in the request. */
	int (*ioctl)(struct cfile *, struct uverbs_request *);
	/* Objects of all programs; *n of them at *rows, which the caller frees. 0 or -errno. */
	int (*resources)(unsigned int function, struct uverbs_resource **rows, size_t *n);
	int (*statistic)(struct uverbs_statistic *);
	/* uffd: a new userfaultfd or -1; the other side owns it from here on. */
	int (*mapped)(struct cfile *, int uffd, uint64_t va, uint64_t len, uint64_t offset);
	void (*unmapped)(struct cfile *, uint64_t va, uint64_t len);
	/*
	 * Pages of the program lie on this memfd (the caller's). On -errno the device uses system
	 * calls for them.
	 */
	int (*share)(struct cfile *, uint64_t va, uint64_t len, int memfd);
	/*
	 * The program's last descriptor is closed; all objects are gone when this returns. true:
	 * shared pages must stay where they are, because objects of another file use them.
	 */
	bool (*close)(struct cfile *);
	/*
	 * The same for the RDMA_CM device. cm_write() never waits: GET_EVENT gives -EAGAIN.
	 */
	int (*cm_open)(struct cfile *, unsigned int function);
	int (*cm_write)(struct cfile *, struct ucma_request *);
	void (*cm_close)(struct cfile *);
	/*
	 * In a fork child, whose connections are its parent's. Called with NULL, then for each
	 * file.
	 */
	void (*forked)(struct cfile *);
	/* At exit, for each open file; may be NULL. */
	void (*exiting)(struct cfile *);
	/*
	 * For one that another process opened, at its first use here: fd is the BAR. 0 or -errno.
	 * NULL: it can't be used.
	 */
	int (*attach)(struct cfile *, int fd);
	/* At exit; may be NULL. */
	void (*fini)(void);
};

extern const struct backend backend_socket; /* to the server at the socket of backend_socket_at() */
void backend_socket_at(const char *socket);
/*
 * To a chip in this process, for a preload without a server. The composition root provides it
 * (chip/embedded.c). The names of its sysfs trees begin with CLIENT_TREE.
 */
extern const struct backend backend_embedded;
#define CLIENT_TREE "dvx-sim-sysfs."

/*
 * Once, before any other call. sysfs: root of the tree, which need not exist yet. common: the
 * length of the part of its path that the trees of all processes share; a child's working directory
 * can be in its parent's tree.
 */
void client_init(const struct backend *, const char *sysfs, size_t common, unsigned int function);
void client_fini(void); /* at exit */

/*
 * The root of the tree. NULL: paths stay as they are (no device, or the caller is the client half
 * or the chip).
 */
const char *client_tree(void);
/* The rest of a path in such a tree; NULL: it is in none. */
const char *client_in_tree(const char *path);
/* What the function has counted so far; false: there is no tree. */
struct port_stats;
bool client_stats(struct port_stats *); /* queues: those that are bound, too */
/* A descriptor with the present value of a counter; -1: the path is no counter. */
int client_counter(const char *path, int flags);
/* Makes the tree, before a program's first access to it. */
void client_sysfs(void);

/* Objects of the device's function, as backend.resources. */
int client_resources(struct uverbs_resource **rows, size_t *n);
int client_statistic(struct uverbs_statistic *); /* of the device's function */

/* false in a vfork child, which uses its parent's memory. */
bool client_is_this_process(void);

/* All of these keep errno, and return 0 (or a descriptor) or -errno. */
int client_open(int flags, bool cm);
struct cfile *client_find(int fd); /* NULL: not ours */
struct cfile *client_find_stat(const struct stat *st); /* of its fstat() */
/*
 * The same for a descriptor that this process was handed; st is its fstat(). NULL: it is none of
 * the device, or the device does not know it (with a sentence).
 */
struct cfile *client_adopt(int fd, const struct stat *st);
bool client_idle(void);		   /* no file is open: nothing can be ours */
bool client_is_link(int fd);	   /* a connection to the server, which the program doesn't know */
int client_ioctl(struct cfile *, int fd, unsigned long request, void *arg);
int client_write(struct cfile *, int fd, const void *buf, size_t n); /* 0 or -errno */
void client_closed(struct cfile *); /* one descriptor of it was closed */
int client_mmap_check(const struct cfile *, int fd, size_t len, int prot, off_t offset);
/* -errno: the mapping must not stay. */
int client_mapped(struct cfile *, void *va, size_t len, off_t offset);
void client_unmap(void *va, size_t len); /* before it happens */

/* The calling thread belongs to the chip: hooks pass its calls through to libc. */
void client_stay_out(void);
/* The same for a while, with signals blocked. Returns the state before. */
bool client_inside(bool);

/* flatten.c: one ioctl into a request and its outcome back. */
int flatten_ioctl(struct cfile *, const struct backend *, void *arg);
/* Between here and the program's memory: 0 or -EFAULT. */
int flatten_copy_in(void *to, uint64_t from, size_t len);
int flatten_copy_out(uint64_t to, const void *from, size_t len);

/* cm_client.c: one write() to the RDMA_CM device. */
int cm_client_write(struct cfile *, int fd, const struct backend *, const void *buf, size_t n);

/* The stat of a character device laid over the memfd's, or the socket's. */
void client_cdev_stat(struct stat *st, bool cm);

#endif
