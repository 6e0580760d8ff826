# SPDX-License-Identifier: MIT
# omega.m4 - one switch per backend plugin.

# OMEGA_PLUGIN(NAME, DESCRIPTION, HOST-PATTERN, [EXTRA-CHECKS])
# Declares --enable-NAME=yes|no|check (default check) and the conditional
# BUILD_NAME. "check" builds where it can and says why not elsewhere; "yes"
# is an error where it cannot be built. EXTRA-CHECKS may set
# omega_why="reason" to say that it cannot.
AC_DEFUN([OMEGA_PLUGIN], [
  AC_ARG_ENABLE([$1],
    [AS_HELP_STRING([--enable-$1=yes|no|check], [$2 (default: check)])],
    [], [enable_$1=check])
  AS_CASE([$enable_$1], [yes|no|check], [],
    [AC_MSG_ERROR([--enable-$1 takes yes, no or check, not '$enable_$1'])])
  omega_why=
  AS_CASE([$host_os], [$3], [$4], [omega_why="not for $host_os"])
  AS_IF([test "x$enable_$1" = xno], [build_$1=no; why_$1="switched off"],
    [test -z "$omega_why"], [build_$1=yes; why_$1=],
    [test "x$enable_$1" = xyes],
      [AC_MSG_ERROR([--enable-$1=yes cannot be met: $omega_why])],
    [build_$1=no; why_$1=$omega_why])
  AM_CONDITIONAL([BUILD_]m4_toupper([$1]), [test "x$build_$1" = xyes])
  OMEGA_PLUGIN_SUMMARY="$OMEGA_PLUGIN_SUMMARY
    $1: $build_$1${why_$1:+ ($why_$1)}"
])
