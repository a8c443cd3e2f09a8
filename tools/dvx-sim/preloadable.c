/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Warns of programs that LD_PRELOAD does not reach: they run, but find no device. They are started
 * all the same, because programs that they start may be reached.
 */
#include "dvx-sim.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Finds the program as execvp() does. */
static bool preloadable_find(const char *program, char path[PATH_MAX])
{
	const char *dirs = getenv("PATH");
	size_t len;

	if (strchr(program, '/')) {
		snprintf(path, PATH_MAX, "%s", program);
		return true;
	}
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; *dirs; dirs += len + (dirs[len] == ':')) {
		len = strcspn(dirs, ":");
		snprintf(path, PATH_MAX, "%.*s/%s", (int)len, len ? dirs : ".", program);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

static bool has_interpreter(int fd, const Elf64_Ehdr *e)
{
	Elf64_Phdr p;

	for (unsigned int i = 0; i < e->e_phnum; i++)
		if (pread(fd, &p, sizeof(p), (off_t)(e->e_phoff + i * e->e_phentsize)) ==
			    (ssize_t)sizeof(p) &&
		    p.p_type == PT_INTERP)
			return true;
	return false;
}

static bool is_static(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is = false;
	Elf64_Ehdr e;

	if (fd < 0)
		return false;
	if (pread(fd, &e, sizeof(e), 0) == (ssize_t)sizeof(e) &&
	    !memcmp(e.e_ident, ELFMAG, SELFMAG) && e.e_ident[EI_CLASS] == ELFCLASS64 &&
	    e.e_phentsize == sizeof(Elf64_Phdr))
		is = !has_interpreter(fd, &e);
	close(fd);
	return is;
}

/* Whether the kernel runs the program with AT_SECURE. */
static bool gains_privileges(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != getuid()) ||
	       (st.st_mode & S_ISGID && st.st_gid != getgid()) ||
	       (getuid() && getxattr(path, "security.capability", NULL, 0) > 0);
}

void preloadable_warn(const char *program)
{
	char path[PATH_MAX];

	if (!preloadable_find(program, path))
		return;
	if (is_static(path))
		message_print("%s is statically linked: it does not see the device, which is "
			      "preloaded into "
			      "dynamically linked programs only",
			      path);
	else if (gains_privileges(path))
		message_print(
			"%s gains privileges (setuid, setgid or file capabilities): the dynamic "
			"linker "
			"preloads nothing into it and its children, so they do not see the device; "
			"start dvx-sim with these privileges instead",
			path);
}
