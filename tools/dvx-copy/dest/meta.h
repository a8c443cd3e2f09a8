/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_META_H
#define DVX_COPY_META_H

#include "dest.h"

/* Takes the attributes that are to be kept of an entry, with its pending extended attributes. */
void meta_take(struct dest *d, const struct copy_msg *m, struct dest_meta *meta);
void meta_free(struct dest_meta *meta);

/*
 * Settles mode and owner for this end: st is the existing entry's, or NULL. Returns, as verdict
 * bits, how that entry differs from the source's. name is the entry's in dir.
 */
uint32_t meta_compare(struct dest *d, const struct dest_dir *dir, const char *name,
		      const struct stat *st, struct dest_meta *meta);

/*
 * Returns the mode bits that an existing or new directory keeps without -p: set-group-id of a
 * shared group.
 */
uint32_t meta_inherited(const struct dest *d, const struct stat *st);

/* Whether a time of this end equals the source's, within --modify-window. */
bool meta_same_time(const struct dest *d, const struct timespec *theirs,
		    const struct timespec *ours);

/* Whether owner or group are to be set. */
bool meta_owned(const struct dest_meta *meta);

/*
 * Sets them through an open descriptor of the entry. 1: not all could be set, which was reported.
 */
int meta_apply(struct dest *d, const struct dest_dir *dir, const char *name, int fd,
	       const struct dest_meta *meta, struct copy_fault *f);

/*
 * Sets them for a file that was just made and has no extended attributes to get. Any thread may
 * call it. *owner_stays: owner or group could not be set. -1, and errno: something else could not.
 */
int meta_apply_plain(int fd, const struct dest_meta *meta, bool *owner_stays);
#define META_OWNER_STAYS "its owner or group can't be set here"

/* Like meta_apply(), for an entry that is not open, such as a symbolic link. */
int meta_apply_at(struct dest *d, const struct dest_dir *dir, const char *name, bool is_link,
		  const struct dest_meta *meta, struct copy_fault *f);

/* Returns the local number of the source's user or group. */
uint32_t meta_owner(const struct dest *d, uint32_t id, bool group);

/* Frees the pending attributes and the table of owners. */
void meta_forget(struct dest *d);

#endif
