/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_CLIENT_H
#define SIM_PRELOAD_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "ticket_lock.h"

/*
 * The preload's half inside a program. The hooks ask whether a path or a descriptor is the
 * device's. Ioctls are flattened into requests for a backend: a server's socket, or the chip in
 * this process.
 */
struct ucma_request;
struct uverbs_request;
struct uverbs_resource;
struct uverbs_statistic;

/*
 * One open of the device in this process. The inode of its memfd identifies it, so that dup'ed and
 * passed descriptors are the same file.
 */
struct cfile {
	uint64_t ino; /* atomic; 0: free */
	bool cm;      /* of /dev/infiniband/rdma_cm: a socket */
	dev_t dev;
	int owner; /* pid of the process that opened it or attached to it */
	struct ticket_lock lock;
	int sock;     /* server: the connection; else -1 */
	void *inner;  /* embedded: the chip's object for it */
	int inner_fd; /* embedded: the chip's own descriptor of the BAR or socket; else -1 */
	bool guest;   /* opened by another process: a parent, or one that passed the descriptor */
	bool watched; /* a userfaultfd was handed over, or none exists */
};

struct backend {
	/* Makes sure that the sysfs tree exists. Returns 0 or -errno. */
	int (*sysfs)(const char *root);
	/* Returns a new descriptor of the BAR (close-on-exec), or -errno. */
	int (*open)(struct cfile *, unsigned int function);
	/* Executes a request, which receives the outputs. Returns 0 or -errno as ioctl() does. */
	int (*ioctl)(struct cfile *, struct uverbs_request *);
	/*
	 * Lists objects of all programs: *n at *rows, which the caller frees. Returns 0 or -errno.
	 */
	int (*resources)(unsigned int function, struct uverbs_resource **rows, size_t *n);
	int (*statistic)(struct uverbs_statistic *);
	/*
	 * Reports a mapping. uffd: a new userfaultfd, which the backend owns from here on, or -1.
	 */
	int (*mapped)(struct cfile *, int uffd, uint64_t va, uint64_t len, uint64_t offset);
	void (*unmapped)(struct cfile *, uint64_t va, uint64_t len);
	/*
	 * Reports that pages of the program lie on the caller's memfd. On -errno the device
	 * accesses them by system calls.
	 */
	int (*share)(struct cfile *, uint64_t va, uint64_t len, int memfd);
	/*
	 * Closes the program's last descriptor; all objects are gone on return. Returns true if
	 * shared pages must stay in place because objects of another file use them.
	 */
	bool (*close)(struct cfile *);
	/* Serve the RDMA_CM device. cm_write() never waits: GET_EVENT gives -EAGAIN. */
	int (*cm_open)(struct cfile *, unsigned int function);
	int (*cm_write)(struct cfile *, struct ucma_request *);
	void (*cm_close)(struct cfile *);
	/* Drops the parent's connections in a fork child. Called with NULL, then for each file. */
	void (*forked)(struct cfile *);
	/* Called at exit for each open file; may be NULL. */
	void (*exiting)(struct cfile *);
	/*
	 * Attaches to a file that another process opened, at its first use here; fd is the BAR.
	 * Returns 0 or -errno. NULL: such files can't be used.
	 */
	int (*attach)(struct cfile *, int fd);
	/* Called at exit; may be NULL. */
	void (*fini)(void);
};

extern const struct backend backend_socket; /* connects to backend_socket_at()'s server */
void backend_socket_at(const char *socket);
/*
 * A chip in this process, for a preload without a server. The composition root provides it
 * (chip/embedded.c). The names of its sysfs trees begin with CLIENT_TREE.
 */
extern const struct backend backend_embedded;
#define CLIENT_TREE "dvx-sim-sysfs."

/*
 * Called once, before any other function. sysfs: root of the tree, which need not exist yet.
 * common: how much of its path the trees of all processes share. (A child's working directory can
 * be in its parent's tree.)
 */
void client_init(const struct backend *, const char *sysfs, size_t common, unsigned int function);
void client_fini(void); /* called at exit */

/*
 * Returns the root of the tree. NULL: paths stay as they are (no device, or the caller is the
 * client half or the chip).
 */
const char *client_tree(void);
/* Returns the rest of a path behind a tree's root, or NULL if it is in no tree. */
const char *client_in_tree(const char *path);
/* Reads the function's counters. Returns false if there is no tree. */
struct port_stats;
bool client_stats(struct port_stats *); /* queues: also those of bound queues */
/* Returns a descriptor that reads a counter's present value, or -1 if the path is no counter. */
int client_counter(const char *path, int flags);
/* Makes the tree, before a program's first access to it. */
void client_sysfs(void);

/* Lists objects of the device's function, as backend.resources. */
int client_resources(struct uverbs_resource **rows, size_t *n);
int client_statistic(struct uverbs_statistic *); /* for the device's function */

/* Returns false in a vfork child, which uses its parent's memory. */
bool client_is_this_process(void);

/* Keep errno, and return 0 (or a descriptor) or -errno. */
int client_open(int flags, bool cm);
struct cfile *client_find(int fd);		       /* NULL: not the device's */
struct cfile *client_find_stat(const struct stat *st); /* by its fstat() */
/*
 * Like client_find(), for a descriptor that was passed to this process; st is its fstat(). NULL: not
 * the device's, or unknown to the device, which is reported.
 */
struct cfile *client_adopt(int fd, const struct stat *st);
bool client_idle(void);	     /* true if no file is open */
bool client_is_link(int fd); /* a connection to the server, hidden from the program */
int client_ioctl(struct cfile *, int fd, unsigned long request, void *arg);
int client_write(struct cfile *, int fd, const void *buf, size_t n); /* 0 or -errno */
void client_closed(struct cfile *); /* one of the file's descriptors was closed */
int client_mmap_check(const struct cfile *, int fd, size_t len, int prot, off_t offset);
/* On -errno the mapping must be removed. */
int client_mapped(struct cfile *, void *va, size_t len, off_t offset);
void client_unmap(void *va, size_t len); /* called before the range is unmapped */

/* Marks the calling thread as the chip's: hooks pass its calls through to libc. */
void client_stay_out(void);
/* Like client_stay_out(), for a while and with signals blocked. Returns the state before. */
bool client_inside(bool);

/* flatten.c: Turns one ioctl into a request, and writes the results back. */
int flatten_ioctl(struct cfile *, const struct backend *, void *arg);
/* Copies between this code and the program's memory. Returns 0 or -EFAULT. */
int flatten_copy_in(void *to, uint64_t from, size_t len);
int flatten_copy_out(uint64_t to, const void *from, size_t len);

/* cm_client.c: Handles one write() to the RDMA_CM device. */
int cm_client_write(struct cfile *, int fd, const struct backend *, const void *buf, size_t n);

/* Replaces the stat of a memfd or socket by a character device's. */
void client_cdev_stat(struct stat *st, bool cm);

#endif
