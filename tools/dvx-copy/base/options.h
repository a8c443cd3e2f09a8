/* SPDX-License-Identifier: BSD-2-Clause */
/* The user's options. They travel to the server, so that both roles follow the same ones. */
#ifndef DVX_COPY_OPTIONS_H
#define DVX_COPY_OPTIONS_H

#include <stdint.h>

struct filter;

#define DEPTH_MAX 512u /* depth of directories: each level holds a descriptor at both ends */

/* Bits of MSG_START's options; the letters are rsync's. */
enum copy_option {
	OPTION_RECURSE = 1u << 0,  /* -r */
	OPTION_LINKS = 1u << 1,	   /* -l */
	OPTION_PERMS = 1u << 2,	   /* -p */
	OPTION_TIMES = 1u << 3,	   /* -t */
	OPTION_OWNER = 1u << 4,	   /* -o */
	OPTION_GROUP = 1u << 5,	   /* -g */
	OPTION_SPECIALS = 1u << 6, /* -D: devices (as root) and FIFOs, sockets */
	OPTION_ACLS = 1u << 7,	   /* -A */
	OPTION_XATTRS = 1u << 8,   /* -X */
	OPTION_HARD = 1u << 9,	   /* -H */
	OPTION_SPARSE = 1u << 10,  /* -S */
	OPTION_UPDATE = 1u << 11,  /* -u */
	OPTION_CHECKSUM = 1u << 12,
	OPTION_DELETE = 1u << 13,
	OPTION_DRY = 1u << 14,
	OPTION_INPLACE = 1u << 15,
	OPTION_PARTIAL = 1u << 16,
	OPTION_PLAIN = 1u << 17,   /* the user gave no one-letter option of what to keep */
	OPTION_TOTALS = 1u << 18,  /* count before sending, for progress */
	OPTION_NUMERIC = 1u << 19, /* owners by number, not by name */
	OPTION_ONE_FS = 1u << 20,  /* -x: mount points below are neither entered nor deleted */
	OPTIONS_ALL = (1u << 21) - 1,
};

/* Without one-letter options: trees, symbolic links, modes, times. */
#define OPTIONS_PLAIN (OPTION_RECURSE | OPTION_LINKS | OPTION_PERMS | OPTION_TIMES | OPTION_PLAIN)
/* The options of --list-only, beside the user's. */
#define OPTIONS_LIST (OPTION_RECURSE | OPTION_LINKS | OPTION_SPECIALS | OPTION_DRY)
#define OPTIONS_ARCHIVE                                                               \
	(OPTION_RECURSE | OPTION_LINKS | OPTION_PERMS | OPTION_TIMES | OPTION_OWNER | \
	 OPTION_GROUP | OPTION_SPECIALS)

/* When files are synced to the disk: doc/design/0070-dvx-copy-sync.md. */
enum copy_fsync { FSYNC_GROUP, FSYNC_EACH, FSYNC_END, FSYNC_NONE, FSYNC_MODES };

/* Values of window. DIGITS, the default, compares as many digits as the destination stores. */
#define WINDOW_EXACT  (-1)
#define WINDOW_DIGITS (-2)

struct copy_options {
	uint32_t bits; /* enum copy_option */
	enum copy_fsync fsync;
	uint64_t rate;	/* bytes a second; 0: no limit */
	int64_t window; /* seconds that times may differ by; or WINDOW_EXACT, WINDOW_DIGITS */
	struct filter *filter; /* entries to leave out; NULL: none */
};

/* Counts of a role so far. */
struct copy_counts {
	uint64_t files, dirs, links, specials, hard; /* made or updated */
	uint64_t same;				     /* files that were up to date */
	uint64_t same_bytes;			     /* in these */
	uint64_t newer, newer_bytes;		     /* files that -u skipped */
	uint64_t gone;				     /* entries that --delete removed */
	uint64_t bytes;
	uint64_t taken;		 /* bytes of interrupted copies that were reused */
	uint64_t chunks, copies; /* slots verified, DMA work requests they took */
	uint64_t crc_ns;	 /* nanoseconds that this end spent on their CRC32C */
};

/* Counts of entries with attributes that the options do not keep. */
struct copy_lost {
	uint64_t acls, xattrs, hard;
};

#endif
