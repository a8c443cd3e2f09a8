/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_META_H
#define DVX_COPY_META_H

#include "dest.h"

/* Takes what is to be kept of an entry, its pending extended attributes among it. */
void meta_take(struct dest *d, const struct copy_msg *m, struct dest_meta *meta);
void meta_free(struct dest_meta *meta);

/*
 * Settles mode and owner for this end: st is what is there, or NULL. Returns how it differs from
 * the source's, as verdict bits. name is the entry's in dir.
 */
uint32_t meta_compare(struct dest *d, const struct dest_dir *dir, const char *name,
		      const struct stat *st, struct dest_meta *meta);

/* Of the mode of an existing or new directory: what it keeps without -p. */
uint32_t meta_inherited(const struct dest *d, const struct stat *st);

/* Whether a time of this end is the source's, as far as --modify-window asks. */
bool meta_same_time(const struct dest *d, const struct timespec *theirs,
		    const struct timespec *ours);

/* Whether owner or group are to be set. */
bool meta_owned(const struct dest_meta *meta);

/* Sets them, through an open descriptor of the entry. 1: told that not all could be set. */
int meta_apply(struct dest *d, const struct dest_dir *dir, const char *name, int fd,
	       const struct dest_meta *meta, struct copy_fault *f);

/*
 * For any thread: sets them for a file that was just made and has no attributes to get. *owner_stays:
 * owner or group could not be set. -1: something else could not, and errno.
 */
int meta_apply_plain(int fd, const struct dest_meta *meta, bool *owner_stays);
#define META_OWNER_STAYS "its owner or group can't be set here"

/* The same of what is not open, a symbolic link too. */
int meta_apply_at(struct dest *d, const struct dest_dir *dir, const char *name, bool is_link,
		  const struct dest_meta *meta, struct copy_fault *f);

/* The local number of the source's user or group. */
uint32_t meta_owner(const struct dest *d, uint32_t id, bool group);

/* Frees what was pending, and the owners. */
void meta_forget(struct dest *d);

#endif
