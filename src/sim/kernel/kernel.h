/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_API_H
#define KERNEL_API_H

#include <stdbool.h>
#include <stdint.h>
#include "uverbs/request.h"

struct bar;
struct uverbs_resource;
struct mm;
struct device;

/*
 * The kernel: ib_uverbs, mlx5_ib and mlx5_core in one. It converts flattened uverbs requests to
 * firmware commands, and EQEs to events on file descriptors. It runs on the chip's thread. It does
 * not read requests from client memory, as the preload has flattened them.
 */
struct kernel;
struct vhca;
struct uverbs_file; /* one open of the device */

struct kernel *kernel_new(struct device *);
void kernel_free(struct kernel *);
/*
 * Posts DEVICE_FATAL to each open file before the device goes, as if it had been pulled out. Requests
 * of programs are -EIO from now on.
 */
void kernel_unplug(struct kernel *);
/* Posts IBV_EVENT_GID_CHANGE to the function's files. */
void kernel_gid_changed(struct kernel *, const struct vhca *);
/* Posts PORT_ACTIVE or PORT_ERR to them, after the network interface went up or down. */
void kernel_port_changed(struct kernel *, const struct vhca *, unsigned int port);
/* Sets a function that gets the writing end of each asynchronous event FD made from now on. */
void kernel_on_async_fd(struct kernel *, void (*fn)(void *arg, int fd), void *arg);
/* Writes DEVICE_FATAL to such an FD; false: its pipe is full or closed. */
bool kernel_write_fatal(int async_fd);

/* Opens a function, by its index in the profile, and makes the BAR. NULL and errno on failure. */
struct uverbs_file *kernel_open(struct kernel *, struct mm *, unsigned int function);
struct bar *file_bar(struct uverbs_file *);
unsigned int file_uid(const struct uverbs_file *); /* DevX uid of its objects; 0: no DevX */
/* Closes the file after its last process did, and destroys its objects in the kernel's order. */
void kernel_close(struct uverbs_file *);

/*
 * Handles a request: 0 or -errno, as ioctl() would return it. Outputs that were written are valid
 * in both cases: a DevX command that the firmware refuses is -EREMOTEIO with a valid mailbox.
 */
int kernel_ioctl(struct uverbs_file *, struct uverbs_request *);
/*
 * Attaches a guest: another process that has the file open, as a fork child or because it got the
 * descriptor (ibv_import_device). Its requests make and use objects of the file, with addresses in
 * its own memory. The guest owns mm afterwards. NULL and errno on failure.
 */
struct uverbs_file *kernel_attach(struct uverbs_file *, struct mm *);
int kernel_ioctl_guest(struct uverbs_file *guest, struct uverbs_request *);
/* Detaches a guest that closed the file or died. Objects that it made stay in the file. */
void kernel_detach(struct uverbs_file *guest);
/*
 * Shares the pages at va, which the program has replaced by this memfd; the caller keeps the memfd.
 * 0, or -errno if the program must undo that: -ENOENT if no object holds bytes there any more,
 * otherwise as mm_share().
 */
int kernel_share(struct uverbs_file *, uint64_t va, uint64_t len, int memfd);
/*
 * Returns whether another file of the process holds bytes of pages that this file shares. The
 * device may write to them, so the program must leave the pages in place when it closes this file.
 */
bool kernel_shared_pages_in_use(const struct uverbs_file *);

/*
 * Fills at most max rows with a function's contexts and objects, from row number `first` on;
 * returns how many there are.
 */
size_t kernel_resources(struct kernel *, unsigned int function, size_t first,
			struct uverbs_resource *rows, size_t max);

/*
 * Returns 1 if a completion event of this CQ is unread in its channel, 0 if none is, -1 if the CQ has
 * no completion channel.
 */
int kernel_cq_unread(struct kernel *, const struct vhca *, uint32_t cqn);

/*
 * Returns the name of the queue that the file's last request destroyed, if events of it were
 * delivered; else NULL. libibverbs then waits until the program has acknowledged as many.
 */
const char *kernel_destroyed(const struct uverbs_file *, uint32_t *number, uint32_t *events);

/* Calls fn for each object of the file, the newest first. */
void kernel_each_object(const struct uverbs_file *,
			void (*fn)(void *ctx, const char *name, uint32_t number), void *ctx);

/* Handles an EQE; chip.c makes this the device's event callback. */
struct vhca;
void kernel_event(void *kernel, struct vhca *, uint32_t eqn, const void *eqe);

#endif
