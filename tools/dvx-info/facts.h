/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about the host, from /proc and /sys. */
#ifndef DVX_INFO_FACTS_H
#define DVX_INFO_FACTS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Sets the directory below which facts are read ("" at first): a copy of another host's /proc,
 * /sys and /dev. A fact that it lacks is unknown.
 */
void facts_from(const char *root);

/* The file or directory of a fact; NULL if it does not exist. */
FILE *fact_open(const char *path);
DIR *fact_dir(const char *path);

/* First line without its end; false: not there, or unreadable. */
bool fact_text(const char *path, char *buf, size_t size);
bool fact_number(const char *path, long long *value);
bool fact_exists(const char *path);
bool fact_folder(const char *path); /* as it stands, not below the root */

/* Effective capability of this process, by its CAP_ number (linux/capability.h). */
bool fact_may(int cap);
/* Capabilities in another user namespace do not apply to devices. */
bool fact_initial_userns(void);

/* Kernel release as major << 8 | minor, and as text; 0 and "": not known. */
unsigned int fact_kernel(char *release, size_t size);

/* Free huge pages of `kb` KiB, of all nodes or one (node >= 0); -1: no such size. */
long long fact_hugepages(unsigned long kb, int node, const char *what);

/* The free part of RLIMIT_MEMLOCK in bytes; UINT64_MAX: no limit. false: unknown. */
bool fact_memlock(uint64_t *left);

/* How many CPUs of a list ("0-3,8-11") this process may use; -1: not known. */
int fact_cpus(const char *list);

/* Opens a device file for reading and writing, and closes it: 0 or an errno. */
int fact_device(const char *path);

/* PCI functions of Mellanox/NVIDIA networking (vendor 15b3): how many, the first address. */
size_t fact_pci(char *first, size_t size);

#endif
