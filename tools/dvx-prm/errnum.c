/* SPDX-License-Identifier: BSD-2-Clause */
#include "errnum.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERRNO_END = 134, INTERNAL_FIRST = 512, INTERNAL_LAST = 531 };

#define NAME(e) [e] = #e
static const char *const errnum_names[ERRNO_END] = {
	NAME(EPERM),	    NAME(ENOENT),      NAME(ESRCH),	      NAME(EINTR),
	NAME(EIO),	    NAME(ENXIO),       NAME(E2BIG),	      NAME(EBADF),
	NAME(EAGAIN),	    NAME(ENOMEM),      NAME(EACCES),	      NAME(EFAULT),
	NAME(EBUSY),	    NAME(EEXIST),      NAME(ENODEV),	      NAME(ENOTDIR),
	NAME(EINVAL),	    NAME(ENFILE),      NAME(EMFILE),	      NAME(ENOTTY),
	NAME(EFBIG),	    NAME(ENOSPC),      NAME(EROFS),	      NAME(EPIPE),
	NAME(EDOM),	    NAME(ERANGE),      NAME(EDEADLK),	      NAME(ENOSYS),
	NAME(ENODATA),	    NAME(ETIME),       NAME(EREMOTE),	      NAME(EPROTO),
	NAME(EBADMSG),	    NAME(EOVERFLOW),   NAME(EBADFD),	      NAME(EMSGSIZE),
	NAME(EPROTOTYPE),   NAME(ENOPROTOOPT), NAME(EPROTONOSUPPORT), NAME(EOPNOTSUPP),
	NAME(EAFNOSUPPORT), NAME(EADDRINUSE),  NAME(EADDRNOTAVAIL),   NAME(ENETDOWN),
	NAME(ENETUNREACH),  NAME(ENETRESET),   NAME(ECONNABORTED),    NAME(ECONNRESET),
	NAME(ENOBUFS),	    NAME(EISCONN),     NAME(ENOTCONN),	      NAME(ETIMEDOUT),
	NAME(ECONNREFUSED), NAME(EHOSTDOWN),   NAME(EHOSTUNREACH),    NAME(EALREADY),
	NAME(EINPROGRESS),  NAME(ESTALE),      NAME(EREMOTEIO),	      NAME(EDQUOT),
	NAME(ECANCELED),    NAME(ENOKEY),      NAME(EOWNERDEAD),      NAME(ENOTRECOVERABLE),
	NAME(ERFKILL),	    NAME(EHWPOISON),   NAME(ENOLINK),	      NAME(ECOMM),
};

/* Numbers of Linux's include/linux/errno.h, which should never reach a program. */
static const struct {
	const char *name, *text;
} errnum_internal[INTERNAL_LAST - INTERNAL_FIRST + 1] = {
	[512 - 512] = {"ERESTARTSYS", "a signal interrupted the call, which is to be restarted"},
	[513 - 512] = {"ERESTARTNOINTR", "a signal interrupted the call, which is to be restarted"},
	[514 - 512] = {"ERESTARTNOHAND", "a signal interrupted the call, which is to be restarted"},
	[515 - 512] = {"ENOIOCTLCMD", "the driver does not have this ioctl"},
	[516 - 512] = {"ERESTART_RESTARTBLOCK", "a signal interrupted a call with a time-out"},
	[517 - 512] = {"EPROBE_DEFER", "a driver that this one needs is not there yet"},
	[518 - 512] = {"EOPENSTALE", "open found a stale dentry"},
	[519 - 512] = {"ENOPARAM", "a parameter is not supported"},
	[521 - 512] = {"EBADHANDLE", "an illegal file handle of NFS"},
	[522 - 512] = {"ENOTSYNC", "an update of NFS is out of step"},
	[523 - 512] = {"EBADCOOKIE", "a stale cookie"},
	[524 - 512] = {"ENOTSUPP", "the operation is not supported"},
	[525 - 512] = {"ETOOSMALL", "a buffer or request is too small"},
	[526 - 512] = {"ESERVERFAULT", "an error that has no number"},
	[527 - 512] = {"EBADTYPE", "the server does not support this type"},
	[528 - 512] = {"EJUKEBOX", "the request is under way and takes long"},
	[529 - 512] = {"EIOCBQUEUED", "the request is queued"},
	[530 - 512] = {"ERECALLCONFLICT", "a recalled state of NFS is in the way"},
	[531 - 512] = {"ENOGRACE", "NFS refuses to reclaim"},
};

bool errnum_is_internal(unsigned int n)
{
	return n >= INTERNAL_FIRST && n <= INTERNAL_LAST &&
	       errnum_internal[n - INTERNAL_FIRST].name;
}

const char *errnum_name(unsigned int n)
{
	if (errnum_is_internal(n))
		return errnum_internal[n - INTERNAL_FIRST].name;
	return n < ERRNO_END && errnum_names[n] ? errnum_names[n] : "";
}

const char *errnum_text(unsigned int n)
{
	if (errnum_is_internal(n))
		return errnum_internal[n - INTERNAL_FIRST].text;
	return strerror((int)n);
}

static bool errnum_is(unsigned int n)
{
	return (n > 0 && n < ERRNO_END) || errnum_is_internal(n);
}

/*
 * Returns strerror()'s text in lower case, made once: a log may have many lines to search. "": no
 * such errno.
 */
static const char *errnum_lower(unsigned int e)
{
	static char texts[ERRNO_END][64];

	if (!texts[1][0])
		for (unsigned int i = 1; i < ERRNO_END; i++) {
			const char *text = strerror((int)i);

			if (!strncmp(text, "Unknown error", 13))
				continue;
			for (size_t n = 0; text[n] && n < sizeof(texts[i]) - 1; n++)
				texts[i][n] = (char)tolower((unsigned char)text[n]);
		}
	return texts[e];
}

/* Finds the longest text of strerror() in the line: some begin with another one. */
static unsigned int errnum_of_words(const char *lower)
{
	unsigned int found = 0;
	size_t longest = 0;

	for (unsigned int e = 1; e < ERRNO_END; e++) {
		size_t n = strlen(errnum_lower(e));

		if (n > longest && strstr(lower, errnum_lower(e))) {
			longest = n;
			found = e;
		}
	}
	return found;
}

/* Finds a name such as "EINVAL" as a word; "FI_EINVAL" counts, too. */
static unsigned int errnum_of_name(const char *line)
{
	for (const char *p = line; (p = strchr(p, 'E')) != NULL;) {
		size_t n = 1;

		while (isupper((unsigned char)p[n]) || isdigit((unsigned char)p[n]))
			n++;
		for (unsigned int e = 1; e <= INTERNAL_LAST; e++)
			if ((p == line || !isalnum((unsigned char)p[-1])) &&
			    !isalnum((unsigned char)p[n]) && strlen(errnum_name(e)) == n &&
			    !strncmp(errnum_name(e), p, n))
				return e;
		p += n;
	}
	return 0;
}

#define END  "([]):]|$| \\()" /* what follows a number without a name */
#define REST "([^0-9a-fx.]|$)"

/*
 * Patterns of numbers, by the text before them, the most certain first. Programs use -1 for any
 * failure, so EPERM is taken only where the number is certainly an errno.
 */
static const struct {
	const char *key; /* a line without it is not matched against the pattern */
	const char *pattern;
	bool sure;
} errnum_places[] = {
	{"unknown error", "unknown error ([0-9]+)", true},
	{"errno", "errno[a-z_]*[]) :=([]*(is )?-?([0-9]+)" REST, true},
	{"os error", "os error ([0-9]+)", true},
	/* below 10 it is a status of NVSHMEM */
	{"non-zero", "non-zero status: ([1-9][0-9]+) ", false},
	{"err", "(^|[^a-z])err(or)?([ _](code|no|num|number|value))?[ :=([]*-?([0-9]+)" REST,
	 false},
	{"ret",
	 "(^|[^a-z])(ret|retval|ret_?code|return|returns|returned)( with| error| code| value| "
	 "status)*[ :=([]*-?([0-9]+)" REST,
	 false},
	{"rc", "(^|[^a-z])rc[ :=([]*-?([0-9]+)" REST, false},
	{"fail", "(fail|failed|failure)( with|,|:)?[ :([]*-?([0-9]+)" END, false},
	{" with ", " with -?([0-9]+)$", false},
	{": -", ": -([0-9]+)([],. )]|$)", false},
	{"-", "(^|[ ([])-([0-9]+)[])]?\\.?$", false},
};
enum { PLACES = sizeof(errnum_places) / sizeof(errnum_places[0]), PLACE_GROUPS = 10 };

/* Compiles a pattern and keeps it: a log may have many such lines. */
static const regex_t *errnum_place(size_t i)
{
	static regex_t regs[PLACES];
	static bool compiled[PLACES];

	if (!compiled[i])
		compiled[i] = !regcomp(&regs[i], errnum_places[i].pattern, REG_EXTENDED);
	return compiled[i] ? &regs[i] : NULL;
}

/* Returns the last group that is a number. */
static unsigned int errnum_taken(const char *line, const regmatch_t *m)
{
	for (size_t i = PLACE_GROUPS; --i;)
		if (m[i].rm_so >= 0 && isdigit((unsigned char)line[m[i].rm_so]))
			return (unsigned int)strtoul(line + m[i].rm_so, NULL, 10);
	return 0;
}

/*
 * Returns the first number at such a place that is an errno: the id of a connection may be there,
 * too.
 */
static unsigned int errnum_in_place(size_t i, const char *lower)
{
	const regex_t *r = strstr(lower, errnum_places[i].key) ? errnum_place(i) : NULL;
	regmatch_t m[PLACE_GROUPS];

	for (int flags = 0; r && !regexec(r, lower, PLACE_GROUPS, m, flags); flags = REG_NOTBOL) {
		unsigned int n = errnum_taken(lower, m);

		if (errnum_is(n) && (n != EPERM || errnum_places[i].sure))
			return n;
		lower += m[0].rm_so + 1;
	}
	return 0;
}

static unsigned int errnum_of_number(const char *lower)
{
	for (size_t i = 0; i < PLACES; i++)
		if (errnum_in_place(i, lower))
			return errnum_in_place(i, lower);
	return 0;
}

unsigned int errnum_find(const char *line, const char *lower)
{
	unsigned int found = errnum_of_words(lower);

	if (!found)
		found = errnum_of_name(line);
	return found ? found : errnum_of_number(lower);
}

bool errnum_begins(const char *lower)
{
	lower += strspn(lower, " \t");
	if (!strncmp(lower, "errno", 5) || !strncmp(lower, "unknown error ", 14))
		return true;
	for (unsigned int e = 1; e < ERRNO_END; e++) {
		const char *text = errnum_lower(e);

		if (*text && !strncmp(lower, text, strlen(text)))
			return true;
	}
	return false;
}
