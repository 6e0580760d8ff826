/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * inspect.c - the program the tests start: it tells what it finds itself
 * with, or ends as it is told. Every word is a thing to do, in order.
 */

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_DESCRIPTORS 4096

extern char **environ;

/* In a build with sanitizers: there is nothing to look for in here. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "detect_leaks=0:handle_segv=0:handle_sigbus=0:"
	       "handle_sigfpe=0";
}

/* "NUMBER:INODE " for every open descriptor. */
static void
show_descriptors(void)
{
	struct stat st;
	int fd;

	for (fd = 0; fd < MOST_DESCRIPTORS; fd++)
		if (fstat(fd, &st) == 0)
			printf("%d:%llu ", fd, (unsigned long long)st.st_ino);
	putchar('\n');
}

static void
show_signals(void)
{
	char line[256];
	FILE *status = fopen("/proc/self/status", "r");

	while (status != NULL && fgets(line, sizeof(line), status) != NULL)
		if (strncmp(line, "SigBlk:", 7) == 0 ||
		    strncmp(line, "SigIgn:", 7) == 0 ||
		    strncmp(line, "SigCgt:", 7) == 0 ||
		    strncmp(line, "NoNewPrivs:", 11) == 0)
			fputs(line, stdout);
	if (status != NULL)
		fclose(status);
}

static void
show_directory(void)
{
	char dir[4096];

	puts(getcwd(dir, sizeof(dir)) == NULL ? strerror(errno) : dir);
}

static void
show_environment(void)
{
	char **env;

	for (env = environ; *env != NULL; env++)
		puts(*env);
}

/* What can be read from a descriptor. */
static void
show_content(int fd)
{
	char buffer[256];
	ssize_t len;

	while ((len = read(fd, buffer, sizeof(buffer))) > 0)
		fwrite(buffer, 1, (size_t)len, stdout);
	if (len < 0)
		printf("%s\n", strerror(errno));
}

int
main(int argc, char **argv)
{
	const char *next;
	int i;
	int fd;

	for (i = 1; i < argc; i++) {
		next = i + 1 < argc ? argv[i + 1] : "";
		if (strcmp(argv[i], "descriptors") == 0) {
			show_descriptors();
		} else if (strcmp(argv[i], "signals") == 0) {
			show_signals();
		} else if (strcmp(argv[i], "directory") == 0) {
			show_directory();
		} else if (strcmp(argv[i], "environment") == 0) {
			show_environment();
		} else if (strcmp(argv[i], "dumpable") == 0) {
			printf("%d\n", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
		} else if (strcmp(argv[i], "name") == 0) {
			puts(argv[0]);
		} else if (strcmp(argv[i], "say") == 0) {
			puts(next);
			i++;
		} else if (strcmp(argv[i], "read") == 0) {
			show_content(atoi(next));
			i++;
		} else if (strcmp(argv[i], "touch") == 0) {
			fd = open(next, O_WRONLY | O_CREAT, 0666);
			close(fd);
			i++;
		} else if (strcmp(argv[i], "raise") == 0) {
			fflush(stdout);
			raise(atoi(next));
			i++;
		} else if (strcmp(argv[i], "traced") == 0) {
			puts(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0
				 ? "yes"
				 : strerror(errno));
		} else if (strcmp(argv[i], "exit") == 0) {
			return atoi(next);
		} else if (strcmp(argv[i], "pause") == 0) {
			fflush(stdout);
			pause();
		} else {
			printf("inspect: %s?\n", argv[i]);
			return 99;
		}
	}
	return 0;
}
