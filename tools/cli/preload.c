/* SPDX-License-Identifier: BSD-2-Clause */
#include "preload.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h> /* builds with a sanitizer */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

int preload_prepend(const char *lib)
{
	const char *old = getenv("LD_PRELOAD");
	char *list;
	int err;

	if (!old || !*old)
		return setenv("LD_PRELOAD", lib, 1);
	if (asprintf(&list, "%s:%s", lib, old) < 0)
		return -1;
	err = setenv("LD_PRELOAD", list, 1);
	free(list);
	return err;
}

int preload_allow_asan(void)
{
	const char *old = getenv("ASAN_OPTIONS");
	char *list;
	int err;

	if (!old)
		return setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
	if (strstr(old, "verify_asan_link_order"))
		return 0;
	if (asprintf(&list, "%s:verify_asan_link_order=0", old) < 0)
		return -1;
	err = setenv("ASAN_OPTIONS", list, 1);
	free(list);
	return err;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static int preload_if_runtime(struct dl_phdr_info *info, size_t size, void *err)
{
	(void)size;
	if (strstr(info->dlpi_name, "/libasan.so") || strstr(info->dlpi_name, "/libtsan.so"))
		*(int *)err = preload_prepend(info->dlpi_name);
	return 0;
}

int preload_add_sanitizer(void)
{
	int err = setenv("ASAN_OPTIONS", "detect_leaks=0", 0);

	dl_iterate_phdr(preload_if_runtime, &err);
	return err;
}
#else
int preload_add_sanitizer(void)
{
	return 0;
}
#endif

/* Finds the program as execvp() does. */
static bool preload_find(const char *program, char path[PATH_MAX])
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

static bool preload_has_interpreter(int fd, const Elf64_Ehdr *e)
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
		is = !preload_has_interpreter(fd, &e);
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

enum preload_reach preload_reaches(const char *program, char path[PATH_MAX])
{
	if (!preload_find(program, path))
		return PRELOAD_REACHES;
	if (is_static(path))
		return PRELOAD_STATIC;
	return gains_privileges(path) ? PRELOAD_PRIVILEGED : PRELOAD_REACHES;
}
