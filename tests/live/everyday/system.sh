# SPDX-License-Identifier: MIT
#
# Everyday work, see use.sh: questions about the system, packages, keys.

use_queries() {
	ps aux
	top -b -n 1
	free
	uptime
	df -h "$HOME"
	du -s "$W"
	id
	whoami
	uname -a
	getent passwd root
	getent hosts localhost
	ldd /bin/sh
	file -b /bin/ls || test $? = 127
	locale
	locale -a
	ls -l /proc/self/fd
	ldconfig -p
	stat /
	getent group
	getconf -a
	date
	tty || test $? = 1
	nproc
	lscpu
	mount
	find /etc -maxdepth 1
}

use_dpkg() {
	dpkg -l >"$W/list"
	dpkg -S /bin/sh || dpkg -S /usr/bin/sh || dpkg -L dpkg
	dpkg-query -W dpkg
	dpkg -s dpkg
}

use_apt_cache() {
	apt-cache policy dpkg
	apt-cache show dpkg
}

use_gpg() {
	export GNUPGHOME=$W/gnupg
	mkdir -m 700 "$GNUPGHOME"
	gpg -q --batch --passphrase '' --quick-gen-key everyday ed25519
	echo text | gpg -q --batch --sign >"$W/signed"
	gpg -q --batch --decrypt "$W/signed"
	gpgconf --kill all
}

use_openssl() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
		-nodes -subj /CN=everyday -keyout "$W/key" -out "$W/cert"
}
