/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that memory is pinned or refused as by the kernel: io_uring pins buffers as ib_umem_get()
 * pins memory that a device writes to.
 */
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/maps.h"
#include "base/mounts.h"
#include "host/client.h"
#include "host/uar.h"

#define PAGE 4096u
#define LEN  (4 * PAGE)
#define RW   (PROT_READ | PROT_WRITE)

static struct host *host;
static struct mm *mm;
static struct bar *bar;
static int ring = -1;

static bool linux_is(unsigned int major, unsigned int minor)
{
	unsigned int a = 0, b = 0;
	struct utsname u;

	return !uname(&u) && sscanf(u.release, "%u.%u", &a, &b) == 2 &&
	       (a > major || (a == major && b >= minor));
}

static int pins_setup(void **state)
{
	struct io_uring_params p = {0};

	(void)state;
	host = host_new();
	mm = host ? mm_open(host, getpid(), -1) : NULL;
	bar = mm ? bar_new(host, mm, 8) : NULL;
	/* before Linux 6.5 it pins no files at all */
	ring = linux_is(6, 5) ? (int)syscall(SYS_io_uring_setup, 4, &p) : -1;
	return bar ? 0 : -1;
}

static int pins_teardown(void **state)
{
	(void)state;
	if (ring >= 0)
		close(ring);
	host_free(host);
	return 0;
}

#define FIXTURE_pins(name) FIXTURE(name, void *no_state, pins_setup, pins_teardown)

static struct unpinnable ask(const void *va, size_t len, unsigned int need)
{
	struct unpinnable no;
	struct mappings *l = mappings_read(mm, &no);

	if (l)
		no = mappings_check(l, (uintptr_t)va, len, need, NULL);
	mappings_free(l);
	return no;
}

/* Pins for writing by the kernel; returns 0 or -errno. */
static int ask_linux(void *va, size_t len)
{
	struct iovec v = {va, len};

	if (syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &v, 1))
		return -errno;
	syscall(SYS_io_uring_register, ring, IORING_UNREGISTER_BUFFERS, NULL, 0);
	return 0;
}

static int file_of(size_t len)
{
	char name[] = "host_pins.XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0 && !unlink(name) && !ftruncate(fd, (off_t)len));
	return fd;
}

static int memfd_of(size_t len)
{
	int fd = memfd_create("host_pins", MFD_CLOEXEC);

	assert_true(fd >= 0 && !ftruncate(fd, (off_t)len));
	return fd;
}

static int secret_of(size_t len)
{
	int fd = (int)syscall(447 /* memfd_secret */, 0);

	assert_true(fd < 0 || !ftruncate(fd, (off_t)len));
	return fd;
}

static bool in_memory(void)
{
	struct statfs s;

	return !statfs(".", &s) && (s.f_type == TMPFS_MAGIC || s.f_type == RAMFS_MAGIC);
}

enum { MEM_ANON, MEM_FILE, MEM_MEMFD, MEM_SECRET, MEM_ZERO };

static int fd_of(unsigned int mem, size_t len)
{
	switch (mem) {
	case MEM_FILE:
		return file_of(len);
	case MEM_MEMFD:
		return memfd_of(len);
	case MEM_SECRET:
		return secret_of(len);
	case MEM_ZERO:
		return open("/dev/zero", O_RDWR | O_CLOEXEC);
	default:
		return -1;
	}
}

/* "": pinned; otherwise a part of the reason. */
static const struct {
	unsigned int mem;
	int flags, prot;
	unsigned int file; /* pages of its file */
	const char *write, *read;
} kinds[] = {
	{MEM_ANON, MAP_PRIVATE, RW, 4, "", ""},
	{MEM_ANON, MAP_SHARED, RW, 4, "", ""},
	{MEM_ANON, MAP_PRIVATE, PROT_READ, 4, "not writable", ""},
	{MEM_ANON, MAP_PRIVATE, PROT_NONE, 4, "not writable", "not readable"},
	{MEM_FILE, MAP_SHARED, RW, 4, "shared, writable mapping of a file", ""},
	{MEM_FILE, MAP_SHARED, PROT_READ, 4, "not writable", ""},
	{MEM_FILE, MAP_PRIVATE, RW, 4, "", ""},
	{MEM_FILE, MAP_PRIVATE, RW, 3, "behind the end", "behind the end"},
	{MEM_FILE, MAP_SHARED, PROT_READ, 1, "not writable", "behind the end"},
	{MEM_MEMFD, MAP_SHARED, RW, 4, "", ""},
	{MEM_MEMFD, MAP_SHARED, RW, 3, "behind the end", "behind the end"},
	{MEM_MEMFD, MAP_PRIVATE, RW, 4, "", ""},
	{MEM_SECRET, MAP_SHARED, RW, 4, "memfd_secret", "memfd_secret"},
	{MEM_ZERO, MAP_SHARED, RW, 4, "", ""},
	{MEM_ZERO, MAP_PRIVATE, RW, 4, "", ""},
};

static void expect(const struct unpinnable *no, const char *why)
{
	assert_int_equal(no->err, *why ? -EFAULT : 0);
	if (*why)
		assert_non_null(strstr(no->why, why));
}

/* Each kind of mapping; the last page may be behind the end of its file. */
TEST(pins, test_kinds)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const int anon = kinds[i].mem == MEM_ANON ? MAP_ANONYMOUS : 0;
		int fd = fd_of(kinds[i].mem, kinds[i].file * PAGE);
		struct unpinnable no;
		void *va;

		if (fd < 0 && !anon) /* the kernel lacks this kind */
			continue;
		va = mmap(NULL, LEN, kinds[i].prot, kinds[i].flags | anon, fd, 0);
		assert_ptr_not_equal(va, MAP_FAILED);
		no = ask(va, LEN, MAPPINGS_WRITE | MAPPINGS_LONG);
		if (ring >= 0)
			assert_int_equal(no.err, ask_linux(va, LEN));
		if (kinds[i].mem != MEM_FILE || !*kinds[i].write || kinds[i].file < 4 ||
		    (linux_is(6, 5) && !in_memory()))
			expect(&no, kinds[i].write);
		no = ask(va, LEN, MAPPINGS_READ | MAPPINGS_LONG);
		expect(&no, kinds[i].read);
		assert_int_equal(munmap(va, LEN), 0);
		if (fd >= 0)
			close(fd);
	}
}

/* A page fault of on-demand paging is no long-term pin. */
TEST(pins, test_passing)
{
	int fd = file_of(LEN);
	void *va = mmap(NULL, LEN, RW, MAP_SHARED, fd, 0);

	assert_int_equal(ask(va, LEN, MAPPINGS_WRITE).err, 0);
	munmap(va, LEN);
	close(fd);
}

/* Registers are no memory. All other mappings of this process are pinned as Linux does. */
TEST(pins, test_device)
{
	void *va = mmap(NULL, PAGE, RW, MAP_SHARED, bar_fd(bar), 0);
	struct unpinnable no = ask(va, PAGE, MAPPINGS_READ | MAPPINGS_LONG);
	struct mapping m;
	struct maps maps;
	struct stat st;
	void *last;

	expect(&no, "pages of the device");
	assert_int_equal(fstat(bar_fd(bar), &st), 0);
	assert_int_equal(maps_open(&maps, 0), 0);
	while (ring >= 0 && maps_next(&maps, &m)) {
		last = (void *)(uintptr_t)(m.end - PAGE);
		if (m.inode != st.st_ino && m.start < 1ull << 47)
			assert_int_equal(ask(last, PAGE, MAPPINGS_WRITE | MAPPINGS_LONG).err,
					 ask_linux(last, PAGE));
	}
	maps_close(&maps);
	munmap(va, PAGE);
}

/* Lines of Linux 6.1 and 6.18. */
TEST(none, test_mounts)
{
	static const char text[] =
		"22 27 0:21 / /proc rw,relatime - proc proc rw\n"
		"25 24 0:23 / /dev/shm rw,relatime shared:3 - tmpfs tmpfs rw,size=24683652k\n"
		"26 24 0:30 / /dev/hugepages rw - hugetlbfs nodev rw,pagesize=2M\n"
		"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
		"28 1 259:1 / /pmem rw,relatime shared:9 master:2 - xfs /dev/pmem0 "
		"rw,attr2,dax=always,inode64\n"
		"29 1 259:2 / /pmem\\0401 rw - ext4 /dev/pmem1 dax\n"
		"30 1 259:3 / /pmem2 rw - ext4 /dev/pmem2 rw,dax=never\n"
		"31 1 0:44 /a /b rw - btrfs /dev/sdb rw,subvol=/dax\n"
		"a line of another kind\n";
	static const struct {
		unsigned int major, minor;
		enum mount_kind kind;
	} rows[] = {
		{0, 21, MOUNT_FILES},  {0, 23, MOUNT_MEMORY}, {0, 30, MOUNT_MEMORY},
		{254, 0, MOUNT_FILES}, {259, 1, MOUNT_DAX},   {259, 2, MOUNT_DAX},
		{259, 3, MOUNT_FILES}, {0, 44, MOUNT_FILES},  {0, 1, MOUNT_MEMORY},
		{8, 1, MOUNT_FILES},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		FILE *f = fmemopen((void *)(uintptr_t)text, sizeof(text) - 1, "r");

		assert_non_null(f);
		assert_int_equal(mount_kind_read(f, makedev(rows[i].major, rows[i].minor)),
				 rows[i].kind);
		fclose(f);
	}
}

/* Forbids a system call from here on, for the whole process. */
static bool forbid(unsigned int nr)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* A program with unreadable memory or mappings, or without /proc, gets this as the reason. */
TEST(pins, test_unreadable)
{
	static const struct {
		unsigned int nr;
		const char *why;
	} rows[] = {
		{SYS_process_vm_readv, "process_vm_readv() is refused"},
		{SYS_openat, "may not read /proc/PID/maps"},
		{SYS_chroot, "finds no /proc/PID/maps"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pid_t pid = fork();
		struct unpinnable no;
		int status;

		if (!pid) {
			if (rows[i].nr == SYS_chroot ? chroot("/dev") || chdir("/")
						     : !forbid(rows[i].nr))
				_exit(77);
			no = ask(&no, sizeof(no), MAPPINGS_READ | MAPPINGS_LONG);
			_exit(no.err != -EFAULT || !strstr(no.why, rows[i].why));
		}
		assert_true(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
		assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
	}
}
