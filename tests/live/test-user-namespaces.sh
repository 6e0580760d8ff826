#!/bin/sh
# SPDX-License-Identifier: MIT
#
# user_namespaces = allow: programs that make a sandbox of their own, browsers
# for one, can do so, and still nobody mounts anything. Prints TAP.
set -u
name=user-namespaces
. "$top_srcdir/tests/live/set-up.sh"

# inside POLICY SCRIPT
inside() {
	(as $w "$tool" run $under $limit --policy "$1" -- sh -c "$2") \
		>"$work/out" 2>"$work/err"
}

attempts() {
	inside open 'unshare -U true'
	result $? "one can be made where it is allowed$limit"
	! inside open 'unshare -Um true'
	result $? "but no mount namespace in it$limit"
	! inside default 'unshare -U true'
	result $? "and none by default$limit"
	! inside floor 'unshare -U true'
	result $? "nor below a policy that denies it$limit"
	if [ $w = root ]; then
		skip "privileges in it are none outside" \
			"root's /proc is read-only: no ids can be mapped"
		return
	fi
	# shellcheck disable=SC2016
	inside open 'unshare -Ur sh -c "id -u
		mount -t tmpfs x $HOME 2>/dev/null; echo \$?
		umount -l /proc 2>/dev/null; echo \$?
		unshare -m true 2>/dev/null; echo \$?
		cat omega/data/key 2>/dev/null; echo \$?" | tr "\n" " "'
	case $(cat "$work/out") in
	"0 32 32 1 1 ") result 0 "privileges in it are none outside$limit" ;;
	*) result 1 "privileges in it are none outside$limit" ;;
	esac
}

user_namespaces() {
	if ! unshare -U true 2>/dev/null; then
		skip everything "no user namespace can be made here"
		return
	fi
	mkdir -p "$work/$w/omega/data"
	echo secret >"$work/$w/omega/data/key"
	[ $w = root ] || [ "$(id -u)" != 0 ] ||
		chown -R 61951:61951 "$work/$w/omega"
	cat >>"$work/$w/conf" <<'END'
policy "open" { user_namespaces = allow }
policy "floor" { extends = "open"
	user_namespaces = deny }
END
	limit=
	attempts
	limit=" --timeout 60"
	attempts
	(as $w "$tool" describe --all $under --policy open) >"$work/out" 2>"$work/err"
	grep -q "user_namespaces = allow" "$work/out"
	result $? "describe says that it costs a guarantee"
}

try_all user_namespaces
