/* SPDX-License-Identifier: BSD-2-Clause */
/* What the host's kernel says of itself, from /proc and /sys. */
#ifndef DVX_INFO_FACTS_H
#define DVX_INFO_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First line without its end; false: not there, or unreadable. */
bool fact_text(const char *path, char *buf, size_t size);
bool fact_number(const char *path, long long *value);
bool fact_exists(const char *path);

/* Effective capability of this process, by its CAP_ number (linux/capability.h). */
bool fact_may(int cap);
/* In a user namespace of its own capabilities count for nothing on devices. */
bool fact_initial_userns(void);

/* Kernel release as major << 8 | minor. */
unsigned int fact_kernel(void);
/* Value of a CONFIG_ in /boot/config-RELEASE: 'y', 'm', 'n' (not set), 0 (not known). */
char fact_config(const char *name);

/* Free huge pages of `kb` KiB, of all nodes or one (node >= 0); -1: no such size. */
long long fact_hugepages(unsigned long kb, int node, const char *what);

/* What is still free of RLIMIT_MEMLOCK in bytes; UINT64_MAX: no limit. */
uint64_t fact_memlock(void);

/* PCI functions of Mellanox/NVIDIA networking (vendor 15b3): how many, the first address. */
size_t fact_pci(char *first, size_t size);

#endif
