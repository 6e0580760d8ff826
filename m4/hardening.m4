# SPDX-License-Identifier: MIT
# hardening.m4 - compiler and linker flags, each one tried before it is used.
# Results go to HARDEN_CFLAGS, HARDEN_LDFLAGS and WARN_CFLAGS; the builder's
# own CFLAGS and LDFLAGS are never touched.

# OMEGA_TRY_CFLAG(VARIABLE, FLAG): append FLAG when the compiler takes it.
AC_DEFUN([OMEGA_TRY_CFLAG], [
  AC_MSG_CHECKING([whether $CC accepts $2])
  omega_saved_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -Werror $2"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
    [omega_ok=yes; $1="$$1 $2"], [omega_ok=no])
  CFLAGS=$omega_saved_CFLAGS
  AC_MSG_RESULT([$omega_ok])
])

# OMEGA_TRY_LDFLAG(VARIABLE, FLAG): append FLAG when a program links with it.
AC_DEFUN([OMEGA_TRY_LDFLAG], [
  AC_MSG_CHECKING([whether the linker accepts $2])
  omega_saved_LDFLAGS=$LDFLAGS
  LDFLAGS="$LDFLAGS -Werror $2"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
    [omega_ok=yes; $1="$$1 $2"], [omega_ok=no])
  LDFLAGS=$omega_saved_LDFLAGS
  AC_MSG_RESULT([$omega_ok])
])

AC_DEFUN([OMEGA_WARNINGS], [
  WARN_CFLAGS=
  for omega_flag in -Wall -Wextra -Wformat=2 -Wshadow -Wstrict-prototypes \
      -Wmissing-prototypes -Wold-style-definition -Wwrite-strings \
      -Wpointer-arith -Wcast-qual -Wundef -Wvla; do
    OMEGA_TRY_CFLAG([WARN_CFLAGS], [$omega_flag])
  done
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [turn warnings into errors (for CI)])],
    [], [enable_werror=no])
  AS_IF([test "x$enable_werror" = xyes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])
  AC_SUBST([WARN_CFLAGS])
])

AC_DEFUN([OMEGA_HARDENING], [
  AC_ARG_ENABLE([hardening],
    [AS_HELP_STRING([--disable-hardening],
      [leave hardening flags to the distribution's own CFLAGS])],
    [], [enable_hardening=yes])
  HARDEN_CFLAGS=
  HARDEN_LDFLAGS=
  AS_IF([test "x$enable_hardening" = xyes], [
    # Stack smashing and stack clash: the path code works in large buffers.
    OMEGA_TRY_CFLAG([HARDEN_CFLAGS], [-fstack-protector-strong])
    OMEGA_TRY_CFLAG([HARDEN_CFLAGS], [-fstack-clash-protection])
    # Control flow: Intel and Arm spell it differently.
    AS_CASE([$host_cpu],
      [x86_64|i?86], [OMEGA_TRY_CFLAG([HARDEN_CFLAGS], [-fcf-protection=full])],
      [aarch64*], [OMEGA_TRY_CFLAG([HARDEN_CFLAGS],
        [-mbranch-protection=standard])])
    # Fortify needs optimisation, and some compilers set a level themselves.
    # Sanitizers and -O0 builds turn it off by --disable-hardening.
    AS_CASE([" $CFLAGS $CPPFLAGS "],
      [*_FORTIFY_SOURCE*|*" -O0 "*|*-fsanitize*], [],
      [OMEGA_TRY_CFLAG([HARDEN_CFLAGS],
        [-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2])])
    OMEGA_TRY_LDFLAG([HARDEN_LDFLAGS], [-Wl,-z,relro])
    OMEGA_TRY_LDFLAG([HARDEN_LDFLAGS], [-Wl,-z,now])
    OMEGA_TRY_LDFLAG([HARDEN_LDFLAGS], [-Wl,-z,noexecstack])
  ])
  AC_SUBST([HARDEN_CFLAGS])
  AC_SUBST([HARDEN_LDFLAGS])
])

# Can a program be made without a C library (core/init/start.S)? Not with
# sanitizers, nor with CFLAGS that ask for a guarded stack.
AC_DEFUN([OMEGA_WITHOUT_LIBC], [
  AC_MSG_CHECKING([whether programs can do without a C library])
  omega_saved_LDFLAGS=$LDFLAGS
  LDFLAGS="$LDFLAGS -nostdlib -static"
  AS_CASE([$host_os-$host_cpu], [linux*-x86_64|linux*-aarch64],
    [AC_LINK_IFELSE([AC_LANG_SOURCE([[
#if defined(__ILP32__)
#error "not for this one"
#endif
void _start(void);
void _start(void)
{
	volatile char text[64];
	int i;

	for (i = 0; i < 64; i++)
		text[i] = 0;
	for (;;)
		(void)text[0];
}
]])], [omega_ok=yes], [omega_ok=no])], [omega_ok=no])
  LDFLAGS=$omega_saved_LDFLAGS
  AC_MSG_RESULT([$omega_ok])
  AM_CONDITIONAL([WITHOUT_LIBC], [test "x$omega_ok" = xyes])
])
