/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_CLIENT_H
#define SIM_PRELOAD_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * The preload's half inside a program. The hooks ask whether a path or a descriptor is the
 * device's. Ioctls are flattened into requests, which go to the server (cfile.h).
 */
struct cfile;
struct link_function;
struct uverbs_resource;

/* Called once, before any other function. sysfs: root of the function's tree. */
void client_init(const char *sysfs, const struct link_function *);
void client_fini(void); /* called at exit */
/* Called in a fork child: forgets the locks and connections, and all mappings. */
void client_in_child(void);
void client_map_in_child(void);

/*
 * Returns the root of the tree. NULL: paths stay as they are (no device, or the caller is the
 * client half).
 */
const char *client_tree(void);
/* Returns the rest of a path behind the tree's root, or NULL if it is not in the tree. */
const char *client_in_tree(const char *path);
/* Reads the function's counters. Returns false if there is no tree. */
struct port_stats;
bool client_stats(struct port_stats *);
/* Returns a descriptor that reads a counter's present value, or -1 if the path is no counter. */
int client_counter(const char *path, int flags);
/* Reports at a program's first access to the tree if there is none. */
void client_sysfs(void);

/* Lists objects of the device's function, as cfile_resources(). */
int client_resources(struct uverbs_resource **rows, size_t *n);

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
/*
 * Claims the file for a call. Returns 0, or -EIO after a sentence if a parent opened it; a fork
 * child asks the device once.
 */
int client_claim(struct cfile *, int fd, const char *call);
void client_closed(struct cfile *); /* one of the file's descriptors was closed */
int client_mmap_check(const struct cfile *, int fd, size_t len, int prot, off_t offset);
/* On -errno the mapping must be removed. */
int client_mapped(struct cfile *, void *va, size_t len, off_t offset);
void client_unmap(void *va, size_t len); /* called before the range is unmapped */

/*
 * Sets whether hooks pass the calling thread's calls through to libc; the caller blocks signals
 * while they do. Returns the state before.
 */
bool client_inside(bool);

/* flatten.c: Turns one ioctl into a request, and writes the results back. */
int flatten_ioctl(struct cfile *, int fd, unsigned long request, void *arg);
/* Copies between this code and the program's memory. Returns 0 or -EFAULT. */
int flatten_copy_in(void *to, uint64_t from, size_t len);
int flatten_copy_out(uint64_t to, const void *from, size_t len);

/* cm_client.c: Handles one write() to the RDMA_CM device. */
int cm_client_write(struct cfile *, int fd, const void *buf, size_t n);

/* Replaces the stat of a memfd or socket by a character device's. */
void client_cdev_stat(struct stat *st, bool cm);

#endif
