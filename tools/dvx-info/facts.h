/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about the host, read from /proc and /sys. */
#ifndef DVX_INFO_FACTS_H
#define DVX_INFO_FACTS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Sets the directory below which facts are read ("" by default): a copy of another host's /proc,
 * /sys and /dev. A fact that is missing there is unknown.
 */
void facts_from(const char *root);

/* Opens a fact's file. NULL if it does not exist. */
FILE *fact_open(const char *path);
DIR *fact_dir(const char *path);

/* Reads the first line without its end. false: the file is missing or unreadable. */
bool fact_text(const char *path, char *buf, size_t size);
bool fact_number(const char *path, long long *value);
bool fact_exists(const char *path);
bool fact_folder(const char *path); /* path is not below that directory */

/* Whether this process has a capability, by its CAP_ number (linux/capability.h). */
bool fact_may(int cap);
/*
 * Whether this is the initial user namespace: capabilities in another one do not apply to devices.
 */
bool fact_initial_userns(void);

/* Returns the kernel release as major << 8 | minor, and as text; 0 and "": unknown. */
unsigned int fact_kernel(char *release, size_t size);

/* Returns a count of huge pages of `kb` KiB, on all nodes or one (node >= 0). -1: no such size. */
long long fact_hugepages(unsigned long kb, int node, const char *what);

/* Returns what is left of RLIMIT_MEMLOCK in bytes; UINT64_MAX: no limit. false: unknown. */
bool fact_memlock(uint64_t *left);

/* Returns how many CPUs of a list ("0-3,8-11") this process may use; -1: unknown. */
int fact_cpus(const char *list);

/* Opens a device file for reading and writing, and closes it. Returns 0 or an errno. */
int fact_device(const char *path);

/*
 * Finds PCI functions of Mellanox/NVIDIA networking (vendor 15b3). Returns their number and the
 * first address.
 */
size_t fact_pci(char *first, size_t size);

#endif
