/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * clone-call-linux.S - clone3, and in the child a function on the stack the
 * child was given. The C library has no function for it, and a compiler must
 * have no say in what lies in which register on the far side of the call:
 *
 *	long omega_clone_call(const struct clone3 *args, size_t size,
 *	    int (*fn)(void *), void *arg);
 *
 * Other architectures do without; clone-linux.c has the same condition.
 */

#define CLONE3 435

#if defined(__x86_64__) && !defined(__ILP32__)

#ifdef __CET__
#include <cet.h> /* and the note that this file was made for it */
#else
#define _CET_ENDBR
#endif

	.text
	.globl	omega_clone_call
	.hidden	omega_clone_call
	.type	omega_clone_call, @function
	.p2align 4
omega_clone_call:
	.cfi_startproc
	_CET_ENDBR
	movq	%rcx, %r8		/* rcx and r11 will be lost */
	movl	$CLONE3, %eax
	syscall
	testq	%rax, %rax
	jz	1f
	ret
1:	.cfi_undefined rip		/* unwinding ends here */
	xorl	%ebp, %ebp
	andq	$-16, %rsp
	movq	%r8, %rdi
	call	*%rdx
	ud2				/* fn does not return */
	.cfi_endproc
	.size	omega_clone_call, . - omega_clone_call

#elif defined(__aarch64__) && !defined(__ILP32__)

	.text
	.globl	omega_clone_call
	.hidden	omega_clone_call
	.type	omega_clone_call, %function
	.p2align 4
omega_clone_call:
	.cfi_startproc
	hint	#34			/* bti c */
	mov	x8, #CLONE3
	svc	#0
	cbz	x0, 1f
	ret
1:	.cfi_undefined x30		/* unwinding ends here */
	mov	x29, xzr
	mov	x30, xzr
	mov	x9, sp
	and	sp, x9, #-16
	mov	x0, x3
	blr	x2
	brk	#1			/* fn does not return */
	.cfi_endproc
	.size	omega_clone_call, . - omega_clone_call

/* One file without this note takes the protection of branches and returns
 * from the whole library; nothing here is against either. */
	.section .note.gnu.property, "a", %note
	.p2align 3
	.word	4, 16, 5
	.asciz	"GNU"
	.word	0xc0000000, 4, 3, 0	/* features: BTI and PAC */

#endif

	.section .note.GNU-stack, "", %progbits
