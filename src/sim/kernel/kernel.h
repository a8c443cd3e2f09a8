/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FRONT_KERNEL_H
#define SIM_FRONT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "methods.h"

struct bar;
struct mm;
struct device;

/*
 * The kernel half of the front: ib_uverbs, mlx5_ib and mlx5_core in one. It turns flattened uverbs
 * requests into firmware commands, and EQEs into events on file descriptors. It runs on the chip's
 * thread and never touches client memory for a request: the client half has flattened it.
 */
struct kernel;
struct kfile; /* one open of the device */

struct kernel *kernel_new(struct device *);
void kernel_free(struct kernel *);
/* The device is about to go: each open file hears of it, as of one that is pulled out. */
void kernel_unplug(struct kernel *);

/* function: its index in the profile. The file's BAR is made here. NULL and errno on failure. */
struct kfile *kernel_open(struct kernel *, struct mm *, unsigned int function);
struct bar *kfile_bar(struct kfile *);
/* close(fd) or death: every object of the file goes, exactly as the kernel would tear it down. */
void kernel_close(struct kfile *);

/*
 * One ioctl(RDMA_VERBS_IOCTL), flattened. Attributes come in the program's order. in/len hold the
 * bytes an attribute carries (the 8 inline ones, or what its pointer points to, according to
 * methods.h). A FD that the program passes in comes as the inode number of that FD (a pipe's two
 * ends share it). Output goes to `out` (len bytes, allocated by the caller) with `written` set; a
 * FD that goes out is appended to fds[] and named by fd_attr (and fd_off: where in that
 * attribute's output its number belongs).
 */
struct kattr {
	uint16_t id;
	uint16_t flags;     /* UVERBS_ATTR_F_* */
	uint32_t len;       /* as the program gave it */
	uint64_t data;      /* the 8 inline bytes: a handle, an enum element, a small value */
	uint8_t enum_elem;
	const uint8_t *in;  /* len bytes; == &data for inline input */
	uint8_t *out;
	uint32_t written;
	bool valid_output;  /* kernel sets UVERBS_ATTR_F_VALID_OUTPUT */
};

/*
 * Pages that the program is asked to put on a memfd which it then hands over with kernel_share(),
 * or to take back: the device no longer uses its own mapping of them. It may be unable to, or not
 * care: its memory is reached all the same. What goes back comes first.
 */
struct kshare {
	uint64_t va, len;
	enum kshare_what {
		KSHARE_BACK,
		KSHARE_RING,
		KSHARE_DATA, /* a region: may have a meaning to the program's other threads */
	} what;
};

#define KSHARE_DATA_MOST (1u << 20) /* no longer region is asked for: fork children get copies */

#define KREQ_FDS    4
#define KREQ_SHARES 8
struct kreq {
	uint16_t object, method;
	uint32_t driver;
	unsigned int nshares;
	struct kshare shares[KREQ_SHARES];
	unsigned int nattrs;
	struct kattr *attrs;
	unsigned int nfds;
	struct {
		int fd;             /* owned by the request once set */
		unsigned int attr;  /* index in attrs */
		unsigned int off;   /* in out, or in data if the attribute is itself a FD */
	} fds[KREQ_FDS];
};

/*
 * 0 or -errno, exactly what ioctl() would have given. Outputs that were written count even then: a
 * DevX command that the firmware refuses is -EREMOTEIO with a valid mailbox.
 */
int kernel_ioctl(struct kfile *, struct kreq *);
/*
 * The pages at va are those of this memfd (the caller's). 0, or -errno and the program takes them
 * back: -ENOENT if no object holds bytes there any more, or as mm_share().
 */
int kernel_share(struct kfile *, uint64_t va, uint64_t len, int memfd);
/*
 * Another file of the same process holds bytes of what this one shares: the device may be writing
 * there, so the program must leave those pages where they are when it closes this file.
 */
bool kernel_is_tangled(const struct kfile *);

/* chip.c connects the device's events here. */
struct vhca;
void kernel_event(void *kernel, struct vhca *, uint32_t eqn, const void *eqe);

#endif
