# SPDX-License-Identifier: MIT
#
# Disks and memory images to boot with. Sourced by matrix.sh.

# The drivers without which the root is not found.
boot_modules="virtio_pci virtio_mmio virtio_blk ext4"

# is_made FILE OUT-OF...: is it there, and from these? Else note that it will
# be. Other trees may have made it from something else.
is_made() {
	made=$1
	shift
	from=$(cat "$@" | sha256sum)
	[ ! -e "$made" ] || [ "$(cat "$made.from" 2>/dev/null)" != "$from" ] ||
		return 0
	rm -f "$made"
	echo "$from" >"$made.from"
	return 1
}

# make_initramfs: from $kernel_dir and $root_dir, into $initramfs.
make_initramfs() {
	initramfs=$kernel_dir/initramfs
	at=$kernel_dir/memory
	! is_made "$initramfs" "$here/guest/init" || return 0
	rm -rf "$at"
	mkdir -p "$at/bin" "$at/modules"
	cp "$root_dir/bin/busybox" "$at/bin/busybox"
	cp "$here/guest/init" "$at/init"
	chmod 755 "$at/init"
	: >"$at/modules/list"
	for module in $boot_modules; do
		# Needed ones first; what is built in has no file.
		/sbin/modprobe -d "$kernel_dir/base" -S "$kernel_version" \
			--show-depends "$module" 2>/dev/null |
			sed -n 's/^insmod \([^ ]*\).*/\1/p' |
			while read -r file; do
				add_module "$file"
			done
	done
	(cd "$at" && find . | cpio -o -H newc --quiet -R 0:0 | gzip -1) \
		>"$initramfs.new"
	mv "$initramfs.new" "$initramfs"
	rm -r "$at"
}

add_module() {
	object=${1##*/}
	object=${object%.ko*}.ko
	! grep -qx "$object" "$at/modules/list" || return 0
	case $1 in
	*.xz) xz -dc "$1" ;;
	*.zst) zstd -qdc "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac >"$at/modules/$object"
	echo "$object" >>"$at/modules/list"
}

# make_disk FILE DIR: an ext4 file system with what is in DIR, and some space.
make_disk() {
	size=$(du -sm "$2" | cut -f 1)
	rm -f "$1.new"
	/sbin/mke2fs -q -t ext4 -O ^has_journal -m 0 -d "$2" "$1.new" \
		"$((size + size / 4 + 300))M"
	mv "$1.new" "$1"
}

# make_root_disk: $root_disk.
make_root_disk() {
	root_disk=$root_dir.ext4
	! is_made "$root_disk" "$root_dir.done" "$here/guest/boot" || return 0
	cp "$here/guest/boot" "$root_dir/sbin/matrix-boot"
	chmod 755 "$root_dir/sbin/matrix-boot"
	make_disk "$root_disk" "$root_dir"
}

make_modules_disk() {
	modules_disk=$kernel_dir/modules.ext4
	[ -e "$modules_disk" ] || make_disk "$modules_disk" \
		"$kernel_dir/modules"
}

# list_sources: in $top, each name ended by a zero byte.
list_sources() {
	git ls-files -zco --exclude-standard 2>/dev/null ||
		find * -path 'build*' -prune -o -type f -print0
}

# make_tree_disk BUILD-DIR: the sources and what was built, without what only
# a compiler wants, as $tree_disk.
make_tree_disk() {
	tree_disk=$work/tree-${1##*/}.ext4
	copy=$work/tree
	rm -rf "$copy"
	mkdir -p "$copy"
	(cd "$top" && list_sources |
		tar --null -cf - -T - --ignore-failed-read) | tar -xf - -C "$copy"
	(cd "$top" && tar -cf - --exclude='*.o' --exclude='*.lo' \
		--exclude='*.a' --exclude=.deps --exclude=matrix \
		--exclude=fuzz --exclude='*-[0-9]*.tar.*' "${1##*/}") |
		tar -xf - -C "$copy"
	chown -R 0:0 "$copy"
	chmod -R go-w "$copy"
	make_disk "$tree_disk" "$copy"
	rm -rf "$copy"
}
