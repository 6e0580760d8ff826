# SPDX-License-Identifier: MIT
#
# Getting packages of another Debian suite or architecture without telling the
# machine's own apt about them: an apt with lists and a cache of its own, and
# packages that are unpacked, never installed. Sourced by matrix.sh.

# source_line SUITE: where this machine gets Debian from, for another suite.
source_line() {
	uri=$(sed -n 's/^URIs:[[:space:]]*\([^[:space:]]*\).*/\1/p' \
		/etc/apt/sources.list.d/*.sources 2>/dev/null |
		grep -v security | head -n 1)
	[ -n "$uri" ] || uri=$(sed -n \
		's/^deb \(\[[^]]*\] \)\{0,1\}\([a-z+]*:[^ ]*\) .*/\2/p' \
		/etc/apt/sources.list /etc/apt/sources.list.d/*.list \
		2>/dev/null | grep -v security | head -n 1)
	[ -n "$uri" ] || die "no Debian mirror in /etc/apt/sources.list*"
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -e "$keys" ] || die "$keys is missing; install debian-archive-keyring"
	echo "deb [signed-by=$keys] $uri $1 main"
}

# use_apt SUITE ARCH: from now on apt means that one.
use_apt() {
	apt_dir=$cache/apt/$1-$2
	mkdir -p "$apt_dir/lists/partial" "$apt_dir/cache/archives/partial"
	source_line "$1" >"$apt_dir/sources.list"
	cat >"$apt_dir/apt.conf" <<END
Dir::Etc::sourcelist "$apt_dir/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$apt_dir/lists";
Dir::State::status "/dev/null";
Dir::Cache "$apt_dir/cache";
APT::Architecture "$2";
APT::Architectures { "$2"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
END
	if [ ! -e "$apt_dir/updated" ] || [ -n "$is_fresh" ]; then
		say "$1 for $2: asking for the list of packages"
		apt_here apt-get -qq update || die "no package list of $1"
		touch "$apt_dir/updated"
	fi
}

apt_here() {
	APT_CONFIG=$apt_dir/apt.conf "$@"
}

# depends_on PACKAGE: the parts of a kernel it needs, one per line.
depends_on() {
	apt_here apt-cache depends --important "$1" |
		sed -n 's/^ *Depends: \(linux-\(image\|base\|binary\|modules\)-.*\)/\1/p'
}

# fetch_kernel SUITE ARCH: unpack the suite's cloud kernel; $kernel_dir has
# vmlinuz, config and modules/VERSION, $kernel_version its name.
fetch_kernel() {
	use_apt "$1" "$2"
	image=$(depends_on "linux-image-cloud-$2" | grep '^linux-image-')
	[ -n "$image" ] || die "$1 has no cloud kernel for $2"
	kernel_version=${image#linux-image-}
	kernel_dir=$cache/kernel/$kernel_version
	[ ! -e "$kernel_dir/done" ] || return 0
	say "$1 for $2: unpacking $image"
	rm -rf "$kernel_dir"
	mkdir -p "$kernel_dir/deb" "$kernel_dir/tree"
	(cd "$kernel_dir/deb" &&
		apt_here apt-get -qq download "$image" $(depends_on "$image"))
	for deb in "$kernel_dir"/deb/*.deb; do
		dpkg-deb -x "$deb" "$kernel_dir/tree"
	done
	rm -r "$kernel_dir/deb"
	find "$kernel_dir/tree" -name "vmlinuz*" -type f \
		-exec mv {} "$kernel_dir/vmlinuz" \;
	find "$kernel_dir/tree" -name "config-*" -type f \
		-exec mv {} "$kernel_dir/config" \;
	mkdir "$kernel_dir/modules"
	# Newer ones are spread over several packages.
	find "$kernel_dir/tree" -type d -path "*/modules/$kernel_version" \
		-exec cp -a {} "$kernel_dir/modules/" \;
	rm -r "$kernel_dir/tree"
	mkdir -p "$kernel_dir/base/lib"
	ln -s ../../modules "$kernel_dir/base/lib/modules"
	/sbin/depmod -b "$kernel_dir/base" "$kernel_version"
	[ -s "$kernel_dir/vmlinuz" ] || die "$image has no kernel in it"
	touch "$kernel_dir/done"
}

# fetch_emulator ARCH: $x86_emulator. In qemu 7.2 an x86_64 that is emulated
# gets chance bits into its flags, and its kernel dies at boot or soon after;
# 10.0 does not, and this machine's Debian has it as a backport.
fetch_emulator() {
	x86_emulator=qemu-system-x86_64
	[ "$1" = amd64 ] && ! has_kvm amd64 || return 0
	number=$(qemu-system-x86_64 --version |
		sed -n 's/.* version \([0-9]*\)\..*/\1/p')
	[ "$number" -lt 10 ] || return 0
	at=$cache/qemu
	if [ ! -e "$at/done" ]; then
		use_apt "$root_suite-backports" "$native"
		say "unpacking a newer qemu than $number"
		rm -rf "$at"
		mkdir -p "$at/deb"
		(cd "$at/deb" && apt_here apt-get -qq download qemu-system-x86 \
			qemu-system-common qemu-system-data)
		for deb in "$at"/deb/*.deb; do
			dpkg-deb -x "$deb" "$at"
		done
		rm -r "$at/deb"
		touch "$at/done"
	fi
	x86_emulator="$at/usr/bin/qemu-system-x86_64 -L $at/usr/share/qemu
		-L /usr/share/seabios -L /usr/share/qemu"
}

# What the tests and the everyday programs need; the other architecture is
# compiled for here, so it has the headers too.
root_packages="busybox-static mount kmod mawk passwd login procps iproute2
	git perl openssh-client python3-minimal attr acl libcmocka0
	libconfuse2 libjansson4 libseccomp2"
root_headers="libc6-dev linux-libc-dev libcmocka-dev libconfuse-dev
	libjansson-dev libseccomp-dev"

# fetch_root ARCH: this machine's Debian for that architecture, unpacked in
# $root_dir. Nothing of it is run, so any architecture will do.
fetch_root() {
	root_suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	root_dir=$cache/root/$root_suite-$1
	wanted=$(echo "$root_packages" "$root_headers")
	if [ "$(cat "$root_dir.done" 2>/dev/null)" = "$wanted" ] &&
		[ -z "$is_fresh" ]; then
		return 0
	fi
	say "$root_suite for $1: unpacking a root file system"
	rm -rf "$root_dir" "$root_dir.done"
	mkdir -p "${root_dir%/*}"
	# It has a shell write to a descriptor by its number; dash knows those
	# of one digit, so ours must not be in the way.
	mmdebstrap -q --mode="$root_mode" --variant=extract \
		--architectures="$1" --aptopt='Acquire::Retries "3"' \
		--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
		--include="?essential" --include="$(echo $wanted | tr ' ' ,)" \
		"$root_suite" "$root_dir" "$(source_line "$root_suite")" \
		>&2 3<&- 8>&- 9>&-
	# What the packages' scripts would have done.
	(
		cd "$root_dir"
		cp usr/share/base-passwd/passwd.master etc/passwd
		cp usr/share/base-passwd/group.master etc/group
		echo 'user:x:1000:1000::/home/user:/bin/sh' >>etc/passwd
		echo 'user:x:1000:' >>etc/group
		sed 's/:.*/:*:19000:0:99999:7:::/' etc/passwd >etc/shadow
		chmod 600 etc/shadow
		mkdir -p home/user
		chown 1000:1000 home/user
		rm -rf var/run var/lock
		ln -s /run var/run
		ln -s /run/lock var/lock
		[ -e usr/bin/awk ] || ln -s mawk usr/bin/awk
		[ -e usr/bin/python3 ] || ln -s python3.* usr/bin/python3
		# A linker looks at them from outside.
		find lib*/ usr/lib -type l -lname '/*' | while read -r link; do
			ln -sfrn ".$(readlink "$link")" "$link"
		done
		echo '127.0.0.1 localhost' >etc/hosts
		echo omega >etc/hostname
		rm -rf var/cache/apt var/lib/apt/lists usr/share/doc \
			usr/share/man usr/share/locale
	)
	echo "$wanted" >"$root_dir.done"
}
