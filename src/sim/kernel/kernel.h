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
 * The kernel's part: ib_uverbs, mlx5_ib and mlx5_core in one. It turns flattened uverbs requests
 * into firmware commands, and EQEs into events on file descriptors. It runs on the chip's thread
 * and never touches client memory for a request: the preload has flattened it.
 */
struct kernel;
struct vhca;
struct uverbs_file; /* one open of the device */

struct kernel *kernel_new(struct device *);
void kernel_free(struct kernel *);
/* The device is about to go: each open file gets DEVICE_FATAL, as if it had been pulled out. */
void kernel_unplug(struct kernel *);
/* IBV_EVENT_GID_CHANGE to the function's files. */
void kernel_gid_changed(struct kernel *, const struct vhca *);
/* Its network interface went up or down: PORT_ACTIVE or PORT_ERR to the same. */
void kernel_port_changed(struct kernel *, const struct vhca *);
/* fn sees the writing end of each asynchronous event FD that is made from now on. */
void kernel_on_async_fd(struct kernel *, void (*fn)(void *arg, int fd), void *arg);
/* DEVICE_FATAL to one of these; false: its pipe is full or closed. */
bool kernel_write_fatal(int async_fd);

/* function: its index in the profile. The file's BAR is made here. NULL and errno on failure. */
struct uverbs_file *kernel_open(struct kernel *, struct mm *, unsigned int function);
struct bar *file_bar(struct uverbs_file *);
unsigned int file_uid(const struct uverbs_file *); /* of its objects; 0: it has no DevX context */
/* The last process closed it, or died: destroys all objects of the file, in the kernel's order. */
void kernel_close(struct uverbs_file *);

/*
 * 0 or -errno, as ioctl() gives. Outputs that were written are valid in both cases: a DevX command
 * that the firmware refuses is -EREMOTEIO with a valid mailbox.
 */
int kernel_ioctl(struct uverbs_file *, struct uverbs_request *);
/*
 * Another process that has the file open: a fork child, or one that was handed the descriptor
 * (ibv_import_device). Its requests make and use the objects of the file, and mean its own memory.
 * The mm is the guest's from here on. NULL and errno on failure.
 */
struct uverbs_file *kernel_attach(struct uverbs_file *, struct mm *);
int kernel_ioctl_guest(struct uverbs_file *guest, struct uverbs_request *);
/* It closed the file, or died. What it made stays in the file. */
void kernel_detach(struct uverbs_file *guest);
/*
 * The pages at va are now those of this memfd, which stays the caller's. 0; on -errno the program
 * takes them back: -ENOENT if no object holds bytes there any more, otherwise as mm_share().
 */
int kernel_share(struct uverbs_file *, uint64_t va, uint64_t len, int memfd);
/*
 * Whether another file of the same process holds bytes of pages that this one shares. The device
 * may be writing there, so the program must leave those pages in place when it closes this file.
 */
bool kernel_shared_pages_in_use(const struct uverbs_file *);

/*
 * Fills rows of a function's contexts and objects from the first on, at most max, and returns how
 * many there are in all.
 */
size_t kernel_resources(struct kernel *, unsigned int function, size_t first,
			struct uverbs_resource *rows, size_t max);

/* `rdma statistic qp`: 0 or -errno. */
struct uverbs_statistic;
int kernel_statistic(struct kernel *, struct uverbs_statistic *);

/* chip.c connects the device's events here. */
struct vhca;
void kernel_event(void *kernel, struct vhca *, uint32_t eqn, const void *eqe);

#endif
