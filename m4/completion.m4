dnl SPDX-License-Identifier: MIT
dnl
dnl OMEGA_COMPLETION(SHELL, DEFAULT-DIR, [PKG-CONFIG-MODULE])
dnl
dnl --with-SHELL-completion-dir=DIR|no. Without it, the directory that the
dnl shell's package names, but below our own datadir so that nothing is
dnl installed outside of the prefix; else DEFAULT-DIR.
AC_DEFUN([OMEGA_COMPLETION], [
  AC_ARG_WITH([$1-completion-dir],
    [AS_HELP_STRING([--with-$1-completion-dir=DIR],
      [where completion for $1 goes, or no (default: below DATADIR)])],
    [], [with_$1_completion_dir=yes])
  AS_CASE([$with_$1_completion_dir],
    [yes|''], [
      $1completiondir=
      m4_ifval([$3], [AS_IF([test -n "$PKG_CONFIG"],
        [$1completiondir=`$PKG_CONFIG --define-variable=prefix='${prefix}' \
          --define-variable=datadir='${datadir}' \
          --variable=completionsdir $3 2>/dev/null`])])
      AS_CASE([$$1completiondir],
        ['${datadir}'/*|'${prefix}'/*], [],
        [$1completiondir='$2'])],
    [no], [$1completiondir=],
    [$1completiondir=$with_$1_completion_dir])
  AC_SUBST([$1completiondir])
  AM_CONDITIONAL(m4_toupper([$1])[_COMPLETION],
    [test -n "$$1completiondir"])
])
