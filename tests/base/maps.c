/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that mappings are told as the kernel's text has them, however long a path is. */
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/maps.h"

#define PAGE 4096u

/* Lines of Linux 6.1 and 6.18. */
TEST(none, test_lines)
{
	static const struct {
		const char *line;
		struct mapping m;
	} lines[] = {
		{"7f12a000-7f12c000 rw-p 00000000 00:00 0 ",
		 {.start = 0x7f12a000,
		  .end = 0x7f12c000,
		  .prot = PROT_READ | PROT_WRITE,
		  .plain = true}},
		{"55e1c0de0000-55e1c0e01000 rw-p 00000000 00:00 0                          [heap]",
		 {.start = 0x55e1c0de0000,
		  .end = 0x55e1c0e01000,
		  .prot = PROT_READ | PROT_WRITE,
		  .plain = true}},
		{"7f0000000000-7f0000001000 rw-p 00000000 00:00 0                          "
		 "[anon:arena]",
		 {.start = 0x7f0000000000,
		  .end = 0x7f0000001000,
		  .prot = PROT_READ | PROT_WRITE,
		  .plain = true}},
		{"7ffd5c000000-7ffd5c021000 rw-p 00000000 00:00 0                          [stack]",
		 {.start = 0x7ffd5c000000, .end = 0x7ffd5c021000, .prot = PROT_READ | PROT_WRITE}},
		{"7ffd5c1f2000-7ffd5c1f4000 r-xp 00000000 00:00 0                          [vdso]",
		 {.start = 0x7ffd5c1f2000, .end = 0x7ffd5c1f4000, .prot = PROT_READ | PROT_EXEC}},
		{"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  "
		 "[vsyscall]",
		 {.start = 0xffffffffff600000, .end = 0xffffffffff601000, .prot = PROT_EXEC}},
		{"7f12b6a00000-7f12b6a01000 rw-s 00003000 00:01 4711       /memfd:dvx-sim-ring "
		 "(deleted)",
		 {.start = 0x7f12b6a00000,
		  .end = 0x7f12b6a01000,
		  .offset = 0x3000,
		  .inode = 4711,
		  .prot = PROT_READ | PROT_WRITE,
		  .shared = true}},
		{"7f12b6a01000-7f12b6a02000 ---p 1ff000 103:1f 18446744073709551615 /a b",
		 {.start = 0x7f12b6a01000,
		  .end = 0x7f12b6a02000,
		  .offset = 0x1ff000,
		  .inode = UINT64_MAX}},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct mapping want = lines[i].m, m;

		if (want.inode)
			want.dev = want.inode == 4711 ? makedev(0, 1) : makedev(0x103, 0x1f);
		assert_true(mapping_parse(lines[i].line, &m));
		assert_int_equal(m.start, want.start);
		assert_int_equal(m.end, want.end);
		assert_int_equal(m.offset, want.offset);
		assert_int_equal(m.inode, want.inode);
		assert_int_equal(m.dev, want.dev);
		assert_int_equal(m.prot, want.prot);
		assert_int_equal(m.shared, want.shared);
		assert_int_equal(m.plain, want.plain);
	}
}

/* A line that ends too early, at whatever byte, is none. */
TEST(none, test_no_lines)
{
	static const char line[] = "7f12b6a00000-7f12b6a01000 rw-s 00003000 00:01 4711 /memfd";
	const size_t head = strlen(line) - strlen("/memfd");
	char cut[sizeof(line)];
	struct mapping m;

	for (size_t len = 0; len < sizeof(line); len++) {
		memcpy(cut, line, len);
		cut[len] = 0;
		assert_int_equal(mapping_parse(cut, &m), len >= head);
	}
	assert_false(mapping_parse("7f-80 rw-p 0 00:00 x ", &m));
	assert_false(mapping_parse("7f-80 rw-p 0 00:00 1f ", &m));
	assert_false(mapping_parse("-80 rw-p 0 00:00 0 ", &m));
	assert_false(mapping_parse("7g-80 rw-p 0 00:00 0 ", &m));
}

#define LEVELS 60

static char top[] = "/tmp/dvx-maps.XXXXXX", level[201];

/* In a folder whose name takes longer than what is read at once. */
static int deep_file(void)
{
	int fd;

	memset(level, 'd', sizeof(level) - 1);
	assert_non_null(mkdtemp(top));
	assert_int_equal(chdir(top), 0);
	for (int i = 0; i < LEVELS; i++) {
		assert_int_equal(mkdir(level, 0700), 0);
		assert_int_equal(chdir(level), 0);
	}
	fd = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 3 * PAGE), 0);
	return fd;
}

static void deep_file_end(int fd)
{
	close(fd);
	unlink("file");
	for (int i = 0; i < LEVELS; i++) {
		assert_int_equal(chdir(".."), 0);
		assert_int_equal(rmdir(level), 0);
	}
	assert_int_equal(rmdir(top), 0);
}

static bool find(pid_t pid, const void *va, struct mapping *m)
{
	static struct maps maps;
	uint64_t last = 0;
	bool found = false;

	assert_int_equal(maps_open(&maps, pid), 0);
	while (!found && maps_next(&maps, m)) {
		assert_true(m->start >= last && m->end > m->start);
		last = m->end;
		found = m->start <= (uintptr_t)va && (uintptr_t)va < m->end;
	}
	maps_close(&maps);
	return found;
}

/* If the kernel tells single mappings, it tells the same. */
static void same_alone(pid_t pid)
{
	static struct maps maps, alone;
	uint64_t behind = 0;
	struct mapping m, one = {0};

	assert_int_equal(maps_open(&maps, pid), 0);
	assert_int_equal(maps_open(&alone, pid), 0);
	while (maps_next(&maps, &m) && maps_query(&alone, behind, &one) == 1) {
		assert_memory_equal(&one, &m, offsetof(struct mapping, plain));
		assert_int_equal(one.plain, m.plain);
		assert_int_equal(maps_query(&alone, m.end - 1, &one), 1);
		assert_int_equal(one.start, m.start);
		behind = m.end;
	}
	assert_true(!behind || maps_query(&alone, UINT64_MAX, &one) == 0);
	maps_close(&alone);
	maps_close(&maps);
}

static void look(pid_t pid, uint8_t *at, int fd)
{
	struct mapping m;
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	assert_true(find(pid, at, &m));
	assert_true(m.plain && !m.shared && m.prot == (PROT_READ | PROT_WRITE));
	assert_int_equal(m.start, (uintptr_t)at);
	assert_int_equal(m.end, (uintptr_t)at + PAGE);
	assert_true(find(pid, at + PAGE, &m));
	assert_true(!m.plain && m.shared && m.prot == PROT_READ);
	assert_int_equal(m.start, (uintptr_t)at + PAGE);
	assert_int_equal(m.offset, 2 * PAGE);
	assert_int_equal(m.inode, st.st_ino);
	assert_int_equal(m.dev, st.st_dev);
	assert_true(find(pid, at + 2 * PAGE, &m)); /* behind the long line */
	assert_true(m.plain && !m.prot);
}

TEST(none, test_process)
{
	int fd = deep_file(), status;
	uint8_t *below = mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *at = below + PAGE; /* else the kernel may join it to a neighbour's mapping */
	pid_t child;

	assert_ptr_not_equal(below, MAP_FAILED);
	assert_int_equal(mprotect(at, PAGE, PROT_READ | PROT_WRITE), 0);
	assert_ptr_equal(mmap(at + PAGE, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 2 * PAGE),
			 at + PAGE);
	look(0, at, fd);
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	look(child, at, fd);
	same_alone(child);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	deep_file_end(fd);
}

TEST(none, test_nobody)
{
	struct maps maps;

	assert_int_equal(maps_open(&maps, 0x7fffffff), -ENOENT);
}
