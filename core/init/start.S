/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * start.S - what a C library would do for init.c: begin with the stack that
 * the kernel has made, and fork without copying.
 *
 *	int init_vfork(void);	as vfork(2); a negative errno
 */

#if defined(__x86_64__) && !defined(__ILP32__)

	.text
	.globl	_start
	.type	_start, @function
_start:
	.cfi_startproc
	.cfi_undefined rip
	xorl	%ebp, %ebp
	movq	%rsp, %rdi
	andq	$-16, %rsp
	call	init_start
	ud2
	.cfi_endproc
	.size	_start, . - _start

	.globl	init_vfork
	.type	init_vfork, @function
init_vfork:
	popq	%rdx		/* the child will write over it */
	movl	$58, %eax
	syscall
	pushq	%rdx
	ret
	.size	init_vfork, . - init_vfork

#elif defined(__aarch64__) && !defined(__ILP32__)

	.text
	.globl	_start
	.type	_start, %function
_start:
	.cfi_startproc
	.cfi_undefined x30
	mov	x29, xzr
	mov	x30, xzr
	mov	x0, sp
	and	x9, x0, #-16
	mov	sp, x9
	bl	init_start
	brk	#1
	.cfi_endproc
	.size	_start, . - _start

	.globl	init_vfork
	.type	init_vfork, %function
init_vfork:
	hint	#34			/* bti c */
	mov	x0, #0x4111	/* CLONE_VM | CLONE_VFORK | SIGCHLD */
	mov	x1, xzr
	mov	x2, xzr
	mov	x3, xzr
	mov	x4, xzr
	mov	x8, #220
	svc	#0
	ret
	.size	init_vfork, . - init_vfork

#endif

	.section .note.GNU-stack, "", %progbits
