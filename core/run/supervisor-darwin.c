/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * supervisor-darwin.c - see supervisor.h.
 *
 * A copy of a process with threads: system calls, and those functions of the
 * start that are no more than that.
 *
 * A process whose parent has ended goes to launchd here, not to us; who
 * belongs to the command is found out otherwise (family.h). Nothing ends the
 * command with us: the host sees our end and kills it.
 */

#include "config.h"

#include "run/supervisor.h"

#include <sys/event.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <libproc.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system.h"
#include "child/calls.h"
#include "child/end.h"
#include "run/family.h"
#include "run/spawn.h"

/* Not in every set of headers. */
#define DENY_ATTACH 31
extern int ptrace(int request, pid_t pid, char *address, int data);

/* Where the descriptors that stay are put. */
enum { CONTROL, EVENTS, KEPT };

/* Between two looks at what is being ended, and how long nothing may have
 * come of it. */
#define PAUSE_MS 5
#define PATIENCE_MS 3000

/* How often in a row everything is stopped before it is killed. */
#define MAX_STOPS 32

enum why { RUNNING, ALONE, TIME_OVER, CANCELLED, HOST_GONE };

struct watch {
	const struct omega_supervisor *told;
	struct omega_supervisor_word word;
	struct omega_family family;
	bool has_ended; /* the command itself */
	bool has_none; /* no process is left */
};

const char *
omega_supervisor_how(bool *is_available)
{
	*is_available = true;
	return "a supervisor that follows its forks and its session; macOS "
	       "has no subreaper, so a process that leaves both at once may "
	       "be missed";
}

/* A host that does not listen any more is one that is gone, which is seen
 * elsewhere. */
static void
say(int control, const struct omega_supervisor_word *word)
{
	omega_calls_write(control, word, sizeof(*word));
}

static int
add_event(int events, uintptr_t ident, int16_t filter, uint32_t flags)
{
	struct kevent event;

	EV_SET(&event, ident, filter, EV_ADD, flags, 0, NULL);
	return kevent(events, &event, 1, NULL, 0, NULL) == 0 ? 0 : -errno;
}

/* Out of the way of what the command needs, and of the places it will have. */
static int
open_events(const struct omega_supervisor *told)
{
	int events = kqueue();
	int moved;
	int ret;

	if (events < 0)
		return -errno;
	moved = fcntl(events, F_DUPFD_CLOEXEC, KEPT);
	ret = moved < 0 ? -errno : moved;
	close(events);
	if (ret < 0)
		return ret;
	ret = add_event(moved, SIGCHLD, EVFILT_SIGNAL, 0);
	if (ret < 0)
		return ret;
	/* The host may be gone already. */
	ret =
	    add_event(moved, (uintptr_t)told->host_pid, EVFILT_PROC, NOTE_EXIT);
	return ret < 0 ? ret : moved;
}

/* Keep these, at the lowest numbers, and nothing else. */
static void
keep_own(struct watch *watch, int events)
{
	int control = fcntl(watch->told->control, F_DUPFD_CLOEXEC, KEPT);
	int size = proc_pidinfo(getpid(), PROC_PIDLISTFDS, 0, NULL, 0);
	int end = size / (int)sizeof(struct proc_fdinfo);
	int fd;

	dup2(control, CONTROL);
	dup2(events, EVENTS);
	for (fd = KEPT; fd < end; fd++)
		close(fd);
	fcntl(CONTROL, F_SETFD, FD_CLOEXEC);
	fcntl(EVENTS, F_SETFD, FD_CLOEXEC);
	watch->family.events = EVENTS;
	add_event(EVENTS, CONTROL, EVFILT_READ, 0);
	chdir("/");
}

/* A shell that waits for the host wants to know when the command stops. */
static void
tell_stop(const struct watch *watch, int status)
{
	struct omega_supervisor_word word = {
	    .kind = OMEGA_SUPERVISOR_STOPPED, .signal = WSTOPSIG(status)};

	if (watch->told->is_telling)
		say(CONTROL, &word);
}

/* Take leave of the command if it has ended, and see who is left. */
static void
reap(struct watch *watch)
{
	struct rusage usage;
	int status = 0;
	pid_t found = 0;

	if (!watch->has_ended)
		found = wait4(
		    watch->word.pid, &status, WNOHANG | WUNTRACED, &usage);
	if (found > 0 && WIFSTOPPED(status)) {
		tell_stop(watch, status);
	} else if (found > 0) {
		watch->has_ended = true;
		watch->word.wait_status = status;
		watch->word.cpu_us =
		    (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) *
			1000000 +
		    (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
		watch->word.peak = (uint64_t)usage.ru_maxrss; /* bytes here */
	}
	omega_family_look(&watch->family);
	watch->has_none = watch->has_ended && watch->family.count == 0;
}

/* What an event calls for. */
static enum why
judge(const struct watch *watch, const struct kevent *event)
{
	char word;

	if (event->filter == EVFILT_PROC &&
	    event->ident == (uintptr_t)watch->told->host_pid)
		return HOST_GONE;
	if (event->filter == EVFILT_READ)
		return recv(CONTROL, &word, 1, MSG_DONTWAIT) > 0 ? CANCELLED
								 : HOST_GONE;
	return RUNNING;
}

/* Until something happens, at most so long; -1: without end. */
static enum why
wait_for(const struct watch *watch, int64_t ms)
{
	struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
	struct kevent list[16];
	enum why why = RUNNING;
	int count;
	int i;

	count = kevent(EVENTS, NULL, 0, list, 16, ms < 0 ? NULL : &time);
	for (i = 0; i < count && why == RUNNING; i++)
		why = judge(watch, &list[i]);
	return why;
}

/* Until something has to be ended. That the command has ended may be told a
 * moment before it can be collected; hence a look now and then. */
static enum why
watch_command(struct watch *watch)
{
	uint64_t until = watch->told->timeout_ms == 0
			     ? 0
			     : omega_system_now_ms() + watch->told->timeout_ms;
	enum why why = RUNNING;
	uint64_t now;
	int64_t left;

	for (;;) {
		reap(watch);
		if (watch->has_ended)
			return ALONE;
		if (why != RUNNING)
			return why;
		now = omega_system_now_ms();
		if (until != 0 && now >= until)
			return TIME_OVER;
		left = until == 0 ? 1000 : (int64_t)(until - now);
		why = wait_for(watch, left > 1000 ? 1000 : left);
	}
}

static void
pause_for(int64_t ms)
{
	const struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};

	nanosleep(&time, NULL);
}

/* Give them the time they have. */
static void
wait_for_grace(struct watch *watch)
{
	uint64_t until = omega_system_now_ms() + watch->told->grace_ms;

	for (;;) {
		reap(watch);
		if (watch->has_none || omega_system_now_ms() >= until)
			return;
		pause_for(PAUSE_MS);
	}
}

/*
 * Stop all of them first: of many that start one another, those that are
 * killed would only make room for more.
 */
static void
stop_all(struct watch *watch)
{
	uint32_t before = 0;
	uint32_t found;
	int i;

	for (i = 0; i < MAX_STOPS; i++) {
		found = omega_family_signal(&watch->family, SIGSTOP, 0);
		if (found <= before)
			return;
		before = found;
	}
}

/* Until nothing is left, or nothing comes of it. */
static void
kill_all(struct watch *watch)
{
	uint64_t since = omega_system_now_ms();
	uint32_t before = UINT32_MAX;

	for (;;) {
		reap(watch);
		if (watch->has_none)
			return;
		if (watch->family.count < before) {
			before = watch->family.count;
			since = omega_system_now_ms();
		}
		omega_family_signal(&watch->family, SIGKILL, 0);
		if (omega_system_now_ms() - since > PATIENCE_MS)
			break;
		pause_for(PAUSE_MS);
	}
	watch->word.left = watch->family.count;
}

static void
end_all(struct watch *watch)
{
	if (watch->has_none)
		return;
	if (watch->told->grace_ms > 0) {
		omega_family_signal(&watch->family, SIGTERM, SIGCONT);
		wait_for_grace(watch);
		if (watch->has_none)
			return;
	}
	stop_all(watch);
	kill_all(watch);
}

static _Noreturn void
fail(struct watch *watch)
{
	watch->word.kind = OMEGA_SUPERVISOR_FAILED;
	say(watch->told->control, &watch->word);
	omega_calls_exit(0);
}

static void
start(struct watch *watch)
{
	struct omega_supervisor_word *word = &watch->word;
	struct omega_clone made;

	made = omega_spawn_try(watch->told->setup, &word->fault);
	word->pid = made.pid;
	if (made.pid > 0 && word->fault.kind == OMEGA_INNER_READY) {
		word->kind = OMEGA_SUPERVISOR_STARTED;
		say(watch->told->control, word);
		return;
	}
	word->error = made.pid < 0 ? -made.pid : 0;
	if (made.pid > 0)
		while (waitpid(made.pid, NULL, 0) < 0 && errno == EINTR)
			;
	fail(watch);
}

static _Noreturn void
run(const struct omega_supervisor *told)
{
	struct watch watch = {.told = told};
	enum why why;
	int events;

	/* Ignored by the host, it would take our child from us. */
	signal(SIGCHLD, SIG_DFL);
	ptrace(DENY_ATTACH, 0, NULL, 0);
	/* Who does not leave our session is told by it; but a command that is
	 * to have the host's terminal must stay in the host's. */
	if (told->is_telling ? setpgid(0, 0) < 0 : setsid() < 0)
		watch.word.error = errno;
	/* Ours is none of the host's either. */
	if (!told->is_telling)
		told->setup->inner.session = OMEGA_SANDBOX_SESSION_KEEP;
	events = open_events(told);
	if (watch.word.error == 0 && events < 0)
		watch.word.error = -events;
	if (watch.word.error == 0)
		watch.word.error = -omega_family_open(
		    &watch.family, events, !told->is_telling);
	if (watch.word.error != 0)
		fail(&watch);
	start(&watch);
	keep_own(&watch, events);
	why = watch_command(&watch);
	watch.word.is_timed_out = why == TIME_OVER;
	watch.word.is_cancelled = why == CANCELLED;
	end_all(&watch);
	watch.word.is_unended = !watch.has_ended;
	watch.word.kind = OMEGA_SUPERVISOR_DONE;
	say(CONTROL, &watch.word);
	omega_calls_exit(0);
}

static void
be_supervisor(const void *told)
{
	run(told);
}

int
omega_supervisor_start(struct omega_supervisor *told,
    struct omega_supervisor_made *made, struct omega_sandbox_error *error)
{
	made->clone = omega_clone_copy(be_supervisor, told);
	if (made->clone.pid > 0)
		return 0;
	return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -made->clone.pid,
	    "no supervisor can be started: %s", strerror(-made->clone.pid));
}

/* ---- The channel -------------------------------------------------------- */

/*
 * A stream, since there are no sockets here that keep records apart and tell
 * of the other end's close; a word is far smaller than its buffer and comes
 * whole. A kqueue cannot be sent, so the host makes its own by the command's
 * number: we do not collect it before we have heard of that or ended it.
 */
int
omega_channel_make(int pair[2], int *host)
{
	const int on = 1;
	int saved;
	int i;

	*host = -1; /* its number is enough */
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return -errno;
	for (i = 0; i < 2; i++)
		if (fcntl(pair[i], F_SETFD, FD_CLOEXEC) != 0 ||
		    setsockopt(pair[i], SOL_SOCKET, SO_NOSIGPIPE, &on,
			sizeof(on)) != 0)
			break;
	if (i == 2)
		return 0;
	saved = errno;
	close(pair[0]);
	close(pair[1]);
	return -saved;
}

int
omega_channel_read(
    int control, bool is_waiting, struct omega_supervisor_word *word)
{
	struct pollfd set = {.fd = control, .events = POLLIN};
	ssize_t len;

	if (!is_waiting && poll(&set, 1, 0) <= 0)
		return 0;
	do
		len = recv(control, word, sizeof(*word), MSG_WAITALL);
	while (len < 0 && errno == EINTR);
	return len == (ssize_t)sizeof(*word) ? 1 : -EPIPE;
}

void
omega_channel_see(int control)
{
	(void)control; /* its number stays until then anyway */
}

void
omega_channel_cancel(int control)
{
	send(control, "c", 1, MSG_DONTWAIT);
}
