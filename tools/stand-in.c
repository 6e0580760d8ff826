/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stand-in.c - see run.h.
 *
 * The command is in a session of its own: whatever comes to us is passed on,
 * keys (the kernel sends their signals to all of a group) to all of its group.
 * Only with session = keep it is in our group and gets what a terminal sends as
 * we do. We stop only because it has: a program may restore the screen first,
 * or may not stop at all. With a pty somebody else does that for us.
 */

#include "config.h"

#include "run.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#ifdef __APPLE__
#include <poll.h>
#else
#include <sys/syscall.h>
#endif

#define BIT(signal) (UINT64_C(1) << ((signal)-1))

static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1,
    SIGUSR2, SIGALRM, SIGTSTP, SIGWINCH};

/* They would stop us; a write to the terminal from behind goes through. */
static const int passed_over[] = {SIGTTIN, SIGTTOU};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static volatile sig_atomic_t command_fd = -1;
static volatile sig_atomic_t command_pid;
static volatile sig_atomic_t is_started;
static volatile sig_atomic_t is_asked; /* to stop */
static bool is_kept; /* the command is in our group */
static volatile sig_atomic_t is_early[NSIG]; /* came before the start */
static struct sigaction before[NSIG];
static bool is_changed[NSIG];
static uint64_t ignored; /* as we have found them */

void
stand_in_signal(int fd, pid_t pid, int signal)
{
#ifdef __APPLE__
	/* Readable once it has ended; until then its number is its own. */
	struct pollfd set = {.fd = fd, .events = POLLIN};

	if (poll(&set, 1, 0) == 0)
		kill(pid, signal);
#else
	(void)pid;
	syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0);
#endif
}

/* Did a process send it, another one than this? Not so what a terminal does. */
static bool
is_by_process(const siginfo_t *info, pid_t but)
{
#ifdef __APPLE__
	bool is_sent = info->si_pid > 0;
#else
	bool is_sent = info->si_code <= 0;
#endif

	return is_sent && info->si_pid != but;
}

static void
send_on(int signal)
{
	if (!is_kept && signal == SIGTSTP)
		is_asked = 1;
	/* Without a shell in its session it would take no notice. */
	if (!is_kept && signal == SIGTSTP && pty_terminal() < 0)
		signal = SIGSTOP;
	/* SIGTERM too: timeout(1) sends it to a group that we alone are in. */
	if (!is_kept &&
	    (signal == SIGINT || signal == SIGQUIT || signal == SIGTERM ||
		signal == SIGTSTP || signal == SIGSTOP))
		kill(-(pid_t)command_pid, signal);
	else
		stand_in_signal((int)command_fd, (pid_t)command_pid, signal);
}

/* The command goes on, with the terminal or without. */
static void
go_on(int signal)
{
	(void)signal;
	if (command_fd < 0)
		return;
	if (pty_terminal() >= 0)
		tcsetpgrp(pty_terminal(),
		    pty_is_front() ? (pid_t)command_pid : getpgrp());
	kill(-(pid_t)command_pid, SIGCONT);
}

static void
pass_on(int signal, siginfo_t *info, void *unused)
{
	(void)unused;
	if (command_fd < 0)
		is_early[signal] = 1;
	else if (!is_kept || is_by_process(info, (pid_t)command_pid))
		send_on(signal);
}

static void
change(int signal, const struct sigaction *action)
{
	if ((ignored & BIT(signal)) == 0) /* else our caller wants it so */
		is_changed[signal] =
		    sigaction(signal, action, &before[signal]) == 0;
}

/* A shell may be waiting for us to stop. */
static bool
has_shell(void)
{
	int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 && getsid(0) != getpid();
}

/*
 * Stop as the command has; the kernel does it only where somebody is there to
 * continue us, and then nobody else of our group is left behind in it. A group
 * that is not ours stops only when it was asked to, as a whole.
 */
static void
stop_self(int signal)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};
	struct sigaction old;
	sigset_t set;
	sigset_t mask;

	if (signal != SIGTTIN && signal != SIGTTOU)
		signal = SIGTSTP;
	sigemptyset(&set);
	sigaddset(&set, signal);
	sigaction(signal, &plain, &old);
	sigprocmask(SIG_UNBLOCK, &set, &mask);
	kill(getpid(), signal);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(signal, &old, NULL);
}

/*
 * When we are back, so is the command. A shell makes our whole group go on:
 * then we must not do it once more, since the command may have been stopped
 * again by the time we get to run.
 */
static int
stop(int signal)
{
	bool is_apart = getpgid(command_pid) != getpgrp();

	if (pty_terminal() >= 0) {
		pty_tell_stop(signal);
		return 0;
	}
	if (!is_asked && (!has_shell() || (getpgrp() != getpid() &&
					      !(is_kept && signal != SIGSTOP))))
		return 0;
	is_asked = 0;
	stop_self(signal);
	if (is_kept)
		return is_apart;
	kill(-(pid_t)command_pid, SIGCONT);
	return 0;
}

static int
hear(void *arg, const struct omega_sandbox_event *event)
{
	int i;

	(void)arg;
	switch (event->kind) {
	case OMEGA_SANDBOX_EVENT_STARTED:
		command_pid = event->pid;
		command_fd = event->fd;
		is_started = 1;
		for (i = 1; i < NSIG; i++)
			if (is_early[i])
				send_on(i);
		hold_watch(NULL);
		return 0;
	case OMEGA_SANDBOX_EVENT_STOPPED:
		return stop(event->signal);
	case OMEGA_SANDBOX_EVENT_ENDED:
		command_fd = -1;
		return 0;
	default:
		return 0;
	}
}

/* As we have found them. */
static int
hand_down(
    struct omega_sandbox_command *command, struct omega_sandbox_error *error)
{
	uint64_t blocked = 0;
	struct sigaction action;
	sigset_t mask;
	int i;

	sigemptyset(&mask);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (i = 1; i <= 64 && i < NSIG; i++) {
		if (sigaction(i, NULL, &action) == 0 &&
		    action.sa_handler == SIG_IGN)
			ignored |= BIT(i);
		if (sigismember(&mask, i) == 1)
			blocked |= BIT(i);
	}
	i = omega_sandbox_command_set_number(
	    command, "ignored_signals", ignored, error);
	return i < 0 ? i
		     : omega_sandbox_command_set_number(
			   command, "blocked_signals", blocked, error);
}

int
stand_in_begin(struct omega_sandbox_command *command, bool is_in_group,
    struct omega_sandbox_error *error)
{
	struct sigaction passing = {.sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigaction ignoring = {.sa_handler = SIG_IGN};
	struct sigaction going = {.sa_handler = go_on, .sa_flags = SA_RESTART};
	size_t i;
	int ret;

	is_kept = is_in_group;
	ret = hand_down(command, error);
	if (ret == 0 && pty_terminal() >= 0)
		ret = omega_sandbox_command_set_terminal(
		    command, pty_terminal(), pty_is_front(), error);
	if (ret == 0)
		ret = omega_sandbox_command_set_events(
		    command, hear, NULL, error);
	if (ret < 0)
		return ret;
	passing.sa_sigaction = pass_on;
	for (i = 0; i < COUNT(passed_on); i++)
		change(passed_on[i], &passing);
	for (i = 0; i < COUNT(passed_over); i++)
		change(passed_over[i], &ignoring);
	if (!is_kept)
		change(SIGCONT, &going);
	return 0;
}

void
stand_in_end(void)
{
	int i;

	pty_let_out();
	/* Who is left there gets no SIGHUP when we go. */
	if (pty_terminal() >= 0)
		tcsetpgrp(pty_terminal(), getpgrp());
	for (i = 1; i < NSIG; i++)
		if (is_changed[i])
			sigaction(i, &before[i], NULL);
	for (i = 1; i < NSIG && !is_started; i++)
		if (is_early[i])
			raise(i);
}
