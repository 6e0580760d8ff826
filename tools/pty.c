/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pty.c - see run.h.
 *
 * In front, the caller's terminal is raw and every key goes to the pty, whose
 * own rules make signals of some. Behind (a job in the background; a part of a
 * pipeline, where another may be reading the terminal) nothing is read and the
 * terminal is left as it is, until the command is stopped because it wants it.
 */

#include "config.h"

#include "run.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <termios.h>

#include "tool.h"

/* What is written by others once the command has ended is not waited for. */
#define MAX_REST ((size_t)8 << 20)

/* How soon it is noticed that somebody has put us into the foreground. */
#define LOOK_MS 200

/* In the place of a signal's number. */
#define STOPPED 0

/* Both processes see it. */
static volatile struct both {
	int is_front;
	int signal; /* that has stopped the command */
} * both;

static int terminal = -1; /* inside */

static struct {
	int in; /* the caller's terminal, to read, or -1 */
	int out; /* to write, or -1 */
	int master;
	int news[2]; /* a pipe: numbers of signals, or STOPPED from inside */
	pid_t inside;
	bool is_alone; /* nobody else in a pipeline may want the terminal */
	bool was_front;
	bool is_raw;
	bool is_interrupted; /* Ctrl-C was typed */
	bool is_asked; /* to stop, by whoever types */
	bool is_stopped; /* the command */
	bool is_refused; /* a read-only file system was spoken of */
	bool is_plain; /* the pty makes no lines while the command is behind */
	struct termios before; /* as the terminal was, */
	struct termios raw; /* and as we have made it */
	char keys[1024]; /* on their way to the pty */
	size_t key_count;
} outside = {.in = -1, .out = -1, .master = -1, .news = {-1, -1}};

static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1,
    SIGUSR2, SIGALRM, SIGTSTP, SIGWINCH, SIGCONT, SIGCHLD};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static int
move_up(int fd)
{
	int moved = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (fd >= 0)
		close(fd);
	return moved;
}

int
pty_open(int *master, int *slave)
{
	const char *name = NULL;

	*slave = -1;
	*master = move_up(posix_openpt(O_RDWR | O_NOCTTY));
	if (*master >= 0 && grantpt(*master) == 0 && unlockpt(*master) == 0)
		name = ptsname(*master);
	if (name != NULL)
		*slave = move_up(open(name, O_RDWR | O_NOCTTY));
	if (*slave >= 0)
		return 0;
	if (*master >= 0)
		close(*master);
	return -1;
}

/* The first of 0 to 2 that is a terminal opened so, or -1. */
static int
find(const int order[3], int but)
{
	int i;

	for (i = 0; i < 3; i++)
		if (isatty(order[i]) &&
		    (fcntl(order[i], F_GETFL) & O_ACCMODE) != but)
			return order[i];
	return -1;
}

/* Also a handler. */
static void
hear(int signal)
{
	int saved = errno;
	char number = (char)signal;

	if (write(outside.news[1], &number, 1) < 0) {
		/* Full: it is read soon. */
	}
	errno = saved;
}

/* ---- Inside ---------------------------------------------------------------
 */

static void
begin_inside(int slave)
{
	int i;

	if (setsid() < 0 || ioctl(slave, TIOCSCTTY, 0) != 0) {
		tool_error("no session with a terminal: %s", strerror(errno));
		_exit(125);
	}
	for (i = 0; i < 3; i++)
		if (isatty(i))
			dup2(slave, i);
	terminal = slave;
}

int
pty_terminal(void)
{
	return terminal;
}

bool
pty_is_front(void)
{
	return both->is_front != 0;
}

void
pty_let_out(void)
{
#ifdef N_TTY
	const int usual = N_TTY;

	if (terminal >= 0)
		ioctl(terminal, TIOCSETD, &usual);
#endif
	if (terminal >= 0)
		tcflow(terminal, TCOON);
}

void
pty_tell_stop(int signal)
{
	both->signal = signal;
	hear(STOPPED);
}

/* ---- Outside --------------------------------------------------------------
 */

/* What our caller ignores stays ignored, but for what tells us of the process
 * inside. */
static void
listen_to_signals(void)
{
	struct sigaction hearing = {.sa_handler = hear};
	struct sigaction old;
	size_t i;

	sigfillset(&hearing.sa_mask);
	for (i = 0; i < COUNT(passed_on); i++)
		if (passed_on[i] == SIGCHLD || passed_on[i] == SIGWINCH ||
		    (sigaction(passed_on[i], NULL, &old) == 0 &&
			old.sa_handler != SIG_IGN))
			sigaction(passed_on[i], &hearing, NULL);
	/* They would stop us at the wrong moment. */
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
}

/* The terminal may be of another session, where there is no behind. */
static bool
is_in_foreground(void)
{
	pid_t front = outside.in < 0 ? 0 : tcgetpgrp(outside.in);

	return front < 0 || front == getpgrp();
}

static void
copy_size(void)
{
	struct winsize size;

	if (ioctl(outside.out >= 0 ? outside.out : outside.in, TIOCGWINSZ,
		&size) == 0)
		ioctl(outside.master, TIOCSWINSZ, &size);
}

/* The pty is as the caller's terminal; where that makes lines of what is
 * written it does not do so once more. */
static void
set_modes(int pty, bool is_raw)
{
	struct termios modes = outside.before;

	if (!is_raw)
		modes.c_oflag &= ~(tcflag_t)OPOST;
	tcsetattr(pty, TCSANOW, &modes);
}

static void
leave_raw(void)
{
	if (outside.is_raw)
		tcsetattr(outside.in, TCSANOW, &outside.before);
	outside.is_raw = false;
}

/* Behind, the caller's terminal makes lines of what is written, and the pty
 * does not do so once more; until it is in front again. */
static void
set_plain(bool is_plain)
{
	struct termios modes;

	if (is_plain == outside.is_plain ||
	    tcgetattr(outside.master, &modes) != 0 ||
	    (is_plain && (modes.c_oflag & OPOST) == 0))
		return;
	if (is_plain)
		modes.c_oflag &= ~(tcflag_t)OPOST;
	else
		modes.c_oflag |= OPOST;
	if (tcsetattr(outside.master, TCSANOW, &modes) == 0)
		outside.is_plain = is_plain;
}

/* The command has the terminal. The first time its own becomes as that one is,
 * which was another's before. */
static void
come_forward(void)
{
	struct termios *raw = &outside.raw;

	if (outside.is_raw || tcgetattr(outside.in, &outside.before) != 0)
		return;
	if (!outside.was_front)
		set_modes(outside.master, outside.is_alone);
	outside.was_front = true;
	*raw = outside.before;
	raw->c_iflag &= ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR |
				    IGNCR | ICRNL | IXON);
	raw->c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
	/* Others in a pipeline write lines. */
	if (outside.is_alone)
		raw->c_oflag &= ~(tcflag_t)OPOST;
	raw->c_cc[VMIN] = 1;
	raw->c_cc[VTIME] = 0;
	outside.is_raw = tcsetattr(outside.in, TCSANOW, raw) == 0;
	set_plain(false);
}

/* Somebody has made us go on: the terminal may have been another's. */
static void
look_at_terminal(void)
{
	struct termios now;

	if (outside.is_raw && tcgetattr(outside.in, &now) == 0 &&
	    now.c_lflag != outside.raw.c_lflag)
		outside.is_raw = false;
}

/* In front, and not yet or no longer raw. */
static bool
is_waiting(void)
{
	return both->is_front != 0 && !outside.is_raw && outside.in >= 0;
}

static void
go_on(bool is_front)
{
	both->is_front = is_front;
	if (is_front)
		come_forward();
	else
		set_plain(true);
	copy_size();
	outside.is_stopped = false;
	kill(outside.inside, SIGCONT);
}

/*
 * Stop as Ctrl-Z does, with all of our group, so that nobody is left behind in
 * it. The kernel does not where no shell would continue it (orphaned); nor do
 * we where the group is another's and nobody has asked for it.
 */
static void
stop_too(void)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};
	struct sigaction old;

	leave_raw();
	outside.is_asked = false;
	if (sigaction(SIGTSTP, NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
		sigaction(SIGTSTP, &plain, NULL);
		kill(0, SIGTSTP);
		sigaction(SIGTSTP, &old, NULL);
	}
	go_on(is_in_foreground() && outside.in >= 0 &&
	      (outside.is_alone || outside.was_front));
}

/* The command has stopped, and may be left so. */
static void
see_to_stop(void)
{
	bool wants = both->signal == SIGTTIN || both->signal == SIGTTOU;

	if (wants && !both->is_front && outside.in >= 0 && is_in_foreground())
		go_on(true);
	else if (outside.is_asked || getpgrp() == getpid())
		stop_too();
}

/* From the caller's terminal to the pty. */
static void
read_keys(void)
{
	ssize_t len = read(outside.in, outside.keys, sizeof(outside.keys));

	if (len > 0) {
		outside.key_count = (size_t)len;
		if (memchr(outside.keys, outside.before.c_cc[VSUSP],
			(size_t)len) != NULL)
			outside.is_asked = true;
		if (memchr(outside.keys, outside.before.c_cc[VINTR],
			(size_t)len) != NULL)
			outside.is_interrupted = true;
	} else if (len == 0 || (errno != EINTR && errno != EAGAIN)) {
		leave_raw();
		outside.in = -1;
		/* The caller's terminal is gone: so is the command's. */
		if (len == 0) {
			close(outside.master);
			outside.master = -1;
		}
	}
}

static void
write_keys(void)
{
	ssize_t len = write(outside.master, outside.keys, outside.key_count);

	if (len < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (len < 0)
		len = (ssize_t)outside.key_count;
	outside.key_count -= (size_t)len;
	memmove(outside.keys, outside.keys + len, outside.key_count);
}

static void hear_news(void);

bool
pty_saw_refusal(void)
{
	return outside.is_refused;
}

/* From the pty to the caller's terminal; what cannot be written is lost. 0 when
 * there is nothing. */
static size_t
show(void)
{
	const char *refusal = strerror(EROFS);
	struct pollfd room = {.fd = outside.out, .events = POLLOUT};
	char bytes[4096];
	ssize_t len = read(outside.master, bytes, sizeof(bytes));
	ssize_t done = 0;
	ssize_t ret;

	if (len > 0 && memmem(bytes, (size_t)len, refusal, strlen(refusal)))
		outside.is_refused = true;
	while (done < len && outside.out >= 0) {
		ret = write(outside.out, bytes + done, (size_t)(len - done));
		if (ret > 0)
			done += ret;
		else if (errno == EAGAIN)
			(void)poll(&room, 1, LOOK_MS);
		else if (errno != EINTR)
			break;
		hear_news();
	}
	return len > 0 ? (size_t)len : 0;
}

/* Signals: those to be passed on are. */
static void
hear_news(void)
{
	char number;

	while (read(outside.news[0], &number, 1) == 1) {
		if (number == SIGWINCH) {
			copy_size();
		} else if (number == STOPPED) {
			outside.is_stopped = true;
		} else if (number == SIGCONT) {
			look_at_terminal();
		} else if (number != SIGCHLD) {
			outside.is_asked |= number == SIGTSTP;
			kill(outside.inside, number);
		}
	}
}

/* Has the process inside ended? */
static bool
has_ended(int *status)
{
	pid_t pid;

	do
		pid = waitpid(outside.inside, status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	return pid != 0;
}

/* Wait for something to carry; what there is to read is read once. */
static void
carry(void)
{
	struct pollfd set[3] = {{.fd = outside.news[0], .events = POLLIN},
	    {.fd = outside.master, .events = POLLIN},
	    {.fd = outside.is_raw && outside.key_count == 0 ? outside.in : -1,
		.events = POLLIN}};

	if (outside.key_count > 0)
		set[1].events |= POLLOUT;
	if (poll(set, 3, outside.is_stopped || is_waiting() ? LOOK_MS : -1) < 0)
		return;
	if ((set[1].revents & POLLOUT) != 0)
		write_keys();
	if ((set[1].revents & POLLIN) != 0)
		(void)show();
	if (set[2].revents != 0)
		read_keys();
}

/* Ctrl-C has ended the command: so it does with all of our group, as it would
 * have without us. */
static void
end_too(void)
{
	struct sigaction old;

	if (sigaction(SIGINT, NULL, &old) != 0 || old.sa_handler == SIG_IGN)
		return;
	fflush(NULL);
	signal(SIGINT, SIG_DFL);
	kill(0, SIGINT);
}

static int
carry_to_end(void)
{
	size_t rest = 0;
	size_t shown = 1;
	int status = 0;

	while (!has_ended(&status)) {
		if (outside.is_stopped)
			see_to_stop();
		else if (is_waiting() && is_in_foreground())
			come_forward();
		carry();
		hear_news();
	}
	while (shown > 0 && rest < MAX_REST) {
		struct pollfd set = {.fd = outside.master, .events = POLLIN};

		shown = poll(&set, 1, 0) > 0 ? show() : 0;
		rest += shown;
	}
	leave_raw();
	close(outside.master);
	status =
	    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (outside.is_interrupted && status == 128 + SIGINT)
		end_too();
	return status;
}

/* All that both need. */
static int
make_ready(int *slave)
{
	int i;

	if (pipe(outside.news) != 0)
		return -1;
	for (i = 0; i < 2; i++) {
		outside.news[i] = move_up(outside.news[i]);
		if (outside.news[i] < 0 ||
		    fcntl(outside.news[i], F_SETFL, O_NONBLOCK) != 0)
			return -1;
	}
	both = mmap(NULL, sizeof(*both), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (both == MAP_FAILED || pty_open(&outside.master, slave) != 0)
		return -1;
	if (tcgetattr(outside.in >= 0 ? outside.in : outside.out,
		&outside.before) == 0)
		set_modes(*slave, outside.was_front);
	copy_size();
	return fcntl(outside.master, F_SETFL, O_RDWR | O_NONBLOCK);
}

enum pty_side
pty_come_between(int *status)
{
	const int reading[3] = {0, 1, 2};
	const int writing[3] = {1, 2, 0};
	sigset_t all;
	sigset_t old;
	int slave = -1;

	outside.in = find(reading, O_WRONLY);
	outside.out = find(writing, O_RDONLY);
	if (outside.in < 0 && outside.out < 0)
		return PTY_NONE;
	outside.is_alone = isatty(0) && isatty(1);
	outside.was_front =
	    outside.in >= 0 && outside.is_alone && is_in_foreground();
	if (make_ready(&slave) != 0)
		return PTY_FAILED;
	both->is_front = outside.was_front;
	fflush(NULL);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	outside.inside = fork();
	if (outside.inside == 0) {
		begin_inside(slave);
		close(outside.master);
		close(outside.news[0]);
		sigprocmask(SIG_SETMASK, &old, NULL);
		return PTY_INSIDE;
	}
	if (outside.inside > 0)
		listen_to_signals();
	sigdelset(&old, SIGCHLD);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(slave);
	if (outside.inside < 0)
		return PTY_FAILED;
	*status = carry_to_end();
	return PTY_OVER;
}
