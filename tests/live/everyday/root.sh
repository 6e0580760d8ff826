# SPDX-License-Identifier: MIT
#
# Everyday work, see use.sh: what only root does.

use_root_tar() {
	cd "$W"
	mkdir tree
	touch tree/a tree/b
	chown 12:34 tree/a
	chmod 4755 tree/b
	tar -cf tree.tar tree
	rm -r tree
	tar -xpf tree.tar
	test "$(stat -c %u:%g:%a tree/a)" = "12:34:$(stat -c %a tree/a)"
	test "$(stat -c %u:%a tree/b)" = 0:4755
}

use_root_rsync() {
	cd "$W"
	mkdir from
	touch from/a
	chown 12:34 from/a
	rsync -aHAX --numeric-ids from/ to/ || rsync -a --numeric-ids from/ to/
	test "$(stat -c %u:%g to/a)" = 12:34
}

use_root_chown() {
	cd "$W"
	touch file
	chown nobody file
	chgrp 4 file
	test "$(stat -c %U:%g file)" = nobody:4
	echo x >>file
	chmod 2640 file
	install -o 1 -g 1 -m 600 file other
	mkdir -m 700 theirs
	touch theirs/x
	chown -R 1:1 theirs
	ls theirs
	rm -r file other theirs
}

use_root_su() {
	test "$(su -s /bin/sh -c 'id -un' "$SPARE")" = "$SPARE"
	su -s /bin/sh -c 'touch /tmp/su.$$ && rm /tmp/su.$$' "$SPARE"
	test "$(setpriv --reuid 1 --regid 1 --clear-groups id -u)" = 1
	python3 -c 'import os; os.setgroups([4]); os.setgid(1); os.setuid(1)
open("/tmp/x%d" % os.getpid(), "w"); os.unlink("/tmp/x%d" % os.getpid())'
	runuser -u "$SPARE" -- true
	su -s /bin/sh -c 'sleep 100' "$SPARE" &
	sleep 0.3
	kill $!
}

# From a store of our own: a test has no other network.
use_root_apt_download() {
	cd "$W"
	mkdir -p made/DEBIAN made/usr/share/everyday lists cache got
	echo here >made/usr/share/everyday/file
	printf '%s\n' "Package: everyday" "Version: 1" "Architecture: all" \
		"Maintainer: nobody" "Description: a file" >made/DEBIAN/control
	dpkg-deb --root-owner-group -b made everyday.deb
	{
		cat made/DEBIAN/control
		echo "Filename: ./everyday.deb"
		echo "Size: $(stat -c %s everyday.deb)"
		echo "SHA256: $(sha256sum everyday.deb | cut -d ' ' -f 1)"
	} >Packages
	echo "deb [trusted=yes] file:$W ./" >sources.list
	set -- -o "Dir::Etc::SourceList=$W/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null \
		-o "Dir::State::Lists=$W/lists" -o "Dir::Cache=$W/cache"
	apt-get "$@" update
	cd got
	apt-get "$@" download everyday
	dpkg-deb -x everyday_*.deb out
	test "$(cat out/usr/share/everyday/file)" = here
}

use_root_read() {
	cat /etc/shadow /proc/1/status >"$W/read"
	ls /root /proc/1/task
	ls -l /dev/null /dev/disk || true
	find /var/lib -maxdepth 1 -user root | grep -q .
	ss -ltn || test $? = 127
	ip addr || test $? = 127
	journalctl -n 1 || true
}

# name, who, needed programs, what it is
