#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The three commands at the beginning of README.md, with the installed tool, as
# whoever starts this: a secret of the agent stays one, the system stays as it
# is, and every required guarantee is enforced.
# Exit 77 where the system lets no command be protected, with the reason.
set -u
umask 022
# The agent's data are in the home that the system knows.
HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
export HOME
[ ! -e "$HOME/.omega" ] || {
	echo "tour: $HOME/.omega is there, and is left alone" >&2
	exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$HOME/.omega" "$work"
	rmdir "$HOME/.config/omega" "$HOME/.config" 2>/dev/null' EXIT
trap 'exit 99' HUP INT TERM
mkdir -p "$HOME/.omega/data"
echo secret >"$HOME/.omega/data/memory.db"
cd "$work" || exit 99

fail() {
	echo "tour: $*" >&2
	exit 1
}

# show COMMAND...: what a person would type and see; both are in $said.
show() {
	echo "\$ $*"
	said=$("$@" 2>&1)
	code=$?
	echo "$said"
	return $code
}

show omega-sandbox run -- true || {
	# No namespaces here, as in many containers.
	[ "${1-}" != --may-skip ] || exit 77
	fail "no command can be started here"
}
[ "$(cat "$HOME/.omega/data/memory.db")" = secret ] ||
	fail "the secret cannot be read outside either"
# shellcheck disable=SC2088 # by the shell inside
show omega-sandbox run -- sh -c 'cat ~/.omega/data/memory.db' &&
	fail "a command could read the secret"
case $said in
*secret*) fail "a command has read the secret" ;;
*'Permission denied'*) ;;
*) fail "not for the reason it should" ;;
esac
show omega-sandbox run -- touch /etc/passwd && fail "a command could touch it"
case $said in
*'Read-only file system'* | *'Permission denied'*) ;;
*) fail "not for the reason it should" ;;
esac
show omega-sandbox describe >/dev/null || fail "describe says no"
echo "\$ omega-sandbox describe | head -n 1"
echo "$said" | head -n 1
[ "$(echo "$said" | head -n 1)" = \
	"a command starts; every required guarantee is enforced" ] ||
	fail "that is not what README.md says"
[ "$(omega-sandbox run -- sh -c 'echo x >note && cat note')" = x ] ||
	fail "work does not go on"
echo "the tour went as it should, as $(id -un 2>/dev/null || id -u)"
