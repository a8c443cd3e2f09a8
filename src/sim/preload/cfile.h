/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_CFILE_H
#define SIM_PRELOAD_CFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "ticket_lock.h"

struct link_function;
struct ucma_request;
struct uverbs_request;
struct uverbs_resource;

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
	int sock;      /* the connection to the server; -1: none */
	uint64_t link; /* its inode */
	bool guest;    /* opened by another process: a parent, or one that passed the descriptor */
	bool watched;  /* a userfaultfd was handed over, or none exists */
};

/* Sets the server's socket, before any other call. */
void cfile_server(const char *socket);
/* Connects, and returns a new descriptor of the BAR or socket (close-on-exec), or -errno. */
int cfile_open(struct cfile *, const struct link_function *);
/*
 * Attaches to a file that another process opened, at its first use here; fd is the BAR. Returns 0
 * or -errno.
 */
int cfile_attach(struct cfile *, int fd);
/* Executes a request, which receives the outputs. Returns 0 or -errno as ioctl() does. */
int cfile_ioctl(struct cfile *, struct uverbs_request *);
/* Serves one write() to the RDMA_CM device. Never waits: GET_EVENT gives -EAGAIN. */
int cfile_cm_write(struct cfile *, struct ucma_request *);
/* Reports a mapping. uffd: a new userfaultfd, which is closed here, or -1. */
int cfile_mapped(struct cfile *, int uffd, uint64_t va, uint64_t len, uint64_t offset);
void cfile_unmapped(struct cfile *, uint64_t va, uint64_t len);
/*
 * Reports that pages of the program lie on the caller's memfd. On -errno the device accesses them
 * by system calls.
 */
int cfile_share(struct cfile *, uint64_t va, uint64_t len, int memfd);
/*
 * Closes the program's last descriptor; all objects are gone on return. Returns true if shared
 * pages must stay in place because objects of another file use them.
 */
bool cfile_close(struct cfile *);
/*
 * Returns whether the connection is still there: close_range() or dup2() may have closed it, and its
 * number may be the program's now.
 */
bool cfile_has_link(const struct cfile *);
/* Closes the connection, unless the program has closed it; in a fork child the parent's. */
void cfile_disconnect(struct cfile *);
/*
 * Fetches reports before the program ends: a program that ends right after an error completion
 * makes no further request. Waits only briefly, and not for a file that another thread uses, which gets them
 * itself. Returns false if the server did not answer.
 */
bool cfile_exiting(struct cfile *);

/* Lists objects of all programs: *n at *rows, which the caller frees. Returns 0 or -errno. */
int cfile_resources(const struct link_function *, struct uverbs_resource **rows, size_t *n);

#endif
