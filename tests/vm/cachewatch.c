/* cachewatch.c - run a command and watch a drive's cache and the kernel's view of it meanwhile.
 *
 *	cachewatch NAME REPORT COMMAND...               NAME: sda, nvme0n1
 *	cachewatch -k SIGNAL:N NAME REPORT COMMAND...   and send SIGNAL (9) in the Nth call of interest
 *
 * The rule under test (probes/writecache.h): at no instant is the kernel in write-through over a
 * cache that is on. It is watched in two ways at once: the command is traced and, before each of
 * its calls that can change a drive, an attribute or a file, held while drive and kernel are asked
 * (with -k only in the Nth); and, not with -k, a second process asks them all the time, because one
 * call of the command may be several steps in the kernel. The drive is asked by SG_IO (ATA IDENTIFY,
 * SCSI MODE SENSE) and the NVMe admin ioctl, here, and not by ssdqual.
 *
 * REPORT gets "traced N", "polled N" (times asked), "unsafe N", "unreadable N", "sent N" and a line
 * "state DRIVE/KERNEL" for each combination seen. The exit status is the command's (128 + signal).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/nvme_ioctl.h>
#include <linux/seccomp.h>
#include <scsi/sg.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum how { BY_ATA, BY_SCSI, BY_NVME };
enum { DRIVE_OFF, DRIVE_ON, DRIVE_UNKNOWN };
enum { KERNEL_BACK, KERNEL_THROUGH, KERNEL_UNKNOWN };
static const char *const drive_word[] = { "off", "on", "unknown" };
static const char *const kernel_word[] = { "back", "through", "unknown" };

struct drive {
	int fd;
	enum how how;
	char queue[128];
};

/* The signal to be sent, and when; at 0: never. */
struct shot {
	int signal;
	unsigned long at;
};

struct seen {
	unsigned long traced, polled, unsafe, unreadable, sent;
	bool state[3][3];
};

static bool read_line(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	(void)close(fd);
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return n > 0;
}

static bool sg(int fd, unsigned char *cdb, unsigned char cdb_len, void *buf, unsigned int len)
{
	unsigned char sense[32];
	struct sg_io_hdr io = {
		.interface_id = 'S', .dxfer_direction = SG_DXFER_FROM_DEV, .cmdp = cdb,
		.cmd_len = cdb_len, .dxferp = buf, .dxfer_len = len, .sbp = sense,
		.mx_sb_len = sizeof(sense), .timeout = 10000,
	};

	return ioctl(fd, SG_IO, &io) == 0 && (io.info & SG_INFO_OK_MASK) == SG_INFO_OK;
}

/* Word 85 bit 5 of IDENTIFY DEVICE. Source: ACS-3, 7.12.7. */
static int ata_cache(int fd)
{
	unsigned char cdb[16] = { 0x85, 4 << 1, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xec, 0 };
	unsigned char id[512] = { 0 };

	if (!sg(fd, cdb, sizeof(cdb), id, sizeof(id)))
		return DRIVE_UNKNOWN;
	return id[2 * 85] & 0x20 ? DRIVE_ON : DRIVE_OFF;
}

/* WCE, byte 2 bit 2 of the caching mode page. Source: SBC-3, 6.4.5. */
static int scsi_cache(int fd)
{
	unsigned char cdb[6] = { 0x1a, 0x08, 0x08, 0, 64, 0 }, page[64] = { 0 };
	unsigned int at;

	if (!sg(fd, cdb, sizeof(cdb), page, sizeof(page)))
		return DRIVE_UNKNOWN;
	at = 4U + page[3];
	if (at + 2 >= sizeof(page) || (page[at] & 0x3f) != 0x08)
		return DRIVE_UNKNOWN;
	return page[at + 2] & 0x04 ? DRIVE_ON : DRIVE_OFF;
}

/* Get Features, feature 06h. Source: NVM Express 1.4, 5.21.1.6. */
static int nvme_cache(int fd)
{
	struct nvme_admin_cmd cmd = { .opcode = 0x0a, .cdw10 = 0x06 };

	if (ioctl(fd, NVME_IOCTL_ADMIN_CMD, &cmd) != 0)
		return DRIVE_UNKNOWN;
	return cmd.result & 1 ? DRIVE_ON : DRIVE_OFF;
}

static int drive_state(const struct drive *d)
{
	if (d->how == BY_NVME)
		return nvme_cache(d->fd);
	return d->how == BY_ATA ? ata_cache(d->fd) : scsi_cache(d->fd);
}

/* The queue's flag alone decides whether the kernel sends flushes. */
static int kernel_state(const struct drive *d)
{
	char text[64];

	if (!read_line(d->queue, text, sizeof(text)))
		return KERNEL_UNKNOWN;
	return strcmp(text, "write through") == 0 ? KERNEL_THROUGH : KERNEL_BACK;
}

static void ask(const struct drive *d, struct seen *seen)
{
	int kernel = kernel_state(d), drive = drive_state(d);

	/* Asked twice: the command may have gone on between the two questions. */
	if (kernel == KERNEL_THROUGH && drive == DRIVE_ON) {
		kernel = kernel_state(d);
		drive = drive_state(d);
		if (kernel == KERNEL_THROUGH && drive == DRIVE_ON)
			__atomic_fetch_add(&seen->unsafe, 1, __ATOMIC_RELAXED);
	}
	if (kernel == KERNEL_UNKNOWN || drive == DRIVE_UNKNOWN)
		__atomic_fetch_add(&seen->unreadable, 1, __ATOMIC_RELAXED);
	seen->state[drive][kernel] = true;
}

static int drive_open(const char *name, struct drive *d)
{
	char path[128], vendor[64];

	(void)snprintf(path, sizeof(path), "/dev/%s", name);
	(void)snprintf(d->queue, sizeof(d->queue), "/sys/block/%s/queue/write_cache", name);
	d->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (d->fd < 0)
		return -1;
	if (strncmp(name, "nvme", 4) == 0) {
		d->how = BY_NVME;
		return 0;
	}
	(void)snprintf(path, sizeof(path), "/sys/block/%s/device/vendor", name);
	d->how = read_line(path, vendor, sizeof(vendor)) && strncmp(vendor, "ATA", 3) == 0 ?
		BY_ATA : BY_SCSI;
	return 0;
}

static pid_t start_poller(const struct drive *d, struct seen *seen)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	for (;;) {
		ask(d, seen);
		seen->polled++;
		(void)usleep(500); /* the command is to come to its end, too */
	}
}

static void of_interest(const struct drive *d, const struct shot *shot, struct seen *seen,
	pid_t command)
{
	seen->traced++;
	if (!shot->at || seen->traced == shot->at)
		ask(d, seen);
	if (seen->traced == shot->at && kill(command, shot->signal) == 0)
		seen->sent++;
}

/* Follows the command and its threads to the end of the command; returns its exit status. */
static int trace(pid_t command, const struct drive *d, const struct shot *shot, struct seen *seen)
{
	const long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
		PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL;
	int status, deliver;
	pid_t pid;

	if (waitpid(command, &status, 0) != command || !WIFSTOPPED(status) ||
		ptrace(PTRACE_SETOPTIONS, command, NULL, options) != 0 ||
		ptrace(PTRACE_CONT, command, NULL, 0) != 0)
		return 127;
	while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (pid == command && WIFEXITED(status))
			return WEXITSTATUS(status);
		if (pid == command && WIFSIGNALED(status))
			return 128 + WTERMSIG(status);
		if (pid < 0 || !WIFSTOPPED(status))
			continue;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8))
			of_interest(d, shot, seen, command);
		deliver = WSTOPSIG(status);
		if (deliver == SIGTRAP || deliver == SIGSTOP)
			deliver = 0; /* events, exec, the first stop of a child */
		(void)ptrace(PTRACE_CONT, pid, NULL, (long)deliver);
	}
	return 127;
}

/* Stops the process at the entry of the calls that can change a drive, an attribute or a file: what
 * one call did is seen at the entry of the next. All other calls run at full speed. */
static bool stop_at_calls_of_interest(void)
{
	static const unsigned int calls[] = {
		SYS_ioctl, SYS_write, SYS_pwrite64, SYS_writev, SYS_fsync, SYS_fdatasync, SYS_rename,
		SYS_renameat, SYS_renameat2, SYS_unlink, SYS_unlinkat,
	};
	enum { COUNT = sizeof(calls) / sizeof(calls[0]) };
	struct sock_filter code[COUNT + 3];
	struct sock_fprog prog = { .len = COUNT + 3, .filter = code };

	code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		offsetof(struct seccomp_data, nr));
	for (unsigned int i = 0; i < COUNT; i++)
		code[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i],
			(unsigned char)(COUNT - i), 0);
	code[COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[COUNT + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0;
}

static int report(const char *path, const struct seen *seen)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	(void)fprintf(f, "traced %lu\npolled %lu\nunsafe %lu\nunreadable %lu\nsent %lu\n",
		seen->traced, seen->polled, seen->unsafe, seen->unreadable, seen->sent);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			if (seen->state[i][k])
				(void)fprintf(f, "state %s/%s\n", drive_word[i], kernel_word[k]);
	return fclose(f);
}

static bool parse_shot(const char *text, struct shot *shot)
{
	char *end;

	shot->signal = (int)strtol(text, &end, 10);
	if (*end != ':' || shot->signal <= 0)
		return false;
	shot->at = strtoul(end + 1, &end, 10);
	return *end == '\0';
}

static pid_t start_command(char **argv)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	/* A shell without job control has its background commands ignore it. */
	(void)signal(SIGINT, SIG_DFL);
	(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	(void)raise(SIGSTOP);
	if (!stop_at_calls_of_interest())
		_exit(127);
	(void)execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	struct drive d = { .fd = -1 };
	struct shot shot = { 0 };
	struct seen *seen;
	pid_t poller = 0, command;
	int status;

	if (argc > 3 && strcmp(argv[1], "-k") == 0 && parse_shot(argv[2], &shot)) {
		argv += 2;
		argc -= 2;
	}
	if (argc < 4) {
		(void)fputs("usage: cachewatch [-k SIGNAL:N] NAME REPORT COMMAND...\n", stderr);
		return 127;
	}
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED || drive_open(argv[1], &d) < 0) {
		perror(argv[1]);
		return 127;
	}
	if (!shot.at)
		poller = start_poller(&d, seen);
	command = start_command(argv + 3);
	status = poller < 0 || command < 0 ? 127 : trace(command, &d, &shot, seen);
	ask(&d, seen);
	if (poller > 0) {
		(void)kill(poller, SIGKILL);
		(void)waitpid(poller, NULL, 0);
	}
	return report(argv[2], seen) < 0 ? 127 : status;
}
