# SPDX-License-Identifier: MIT
#
# What differs between machines: names and qemu's words. Sourced by matrix.sh.

gnu_name() {
	case $1 in
	arm64) echo aarch64-linux-gnu ;;
	amd64) echo x86_64-linux-gnu ;;
	esac
}

# has_kvm ARCH: an x86 that is a guest itself may have the device without the
# instructions, and what it starts stops in the middle of its boot.
has_kvm() {
	[ "$1" = "$native" ] && [ -w /dev/kvm ] &&
		{ [ "$1" != amd64 ] || grep -qwE 'vmx|svm' /proc/cpuinfo; }
}

# boot_kernel ARCH LINE: become it, in a shell of its own; the console is our
# output. Whoever ends us ends it. All disks but the last forget what is written to them.
boot_kernel() {
	accel="-accel tcg"
	cpu=max
	# Processors of a foreign kind take turns on one of ours anyway.
	smp=2
	[ "$1" = "$native" ] || smp=1
	if has_kvm "$1"; then
		accel="-accel kvm"
		cpu=host
	fi
	case $1 in
	arm64)
		[ "$cpu" = host ] || cpu=max,pauth-impdef=on
		machine="qemu-system-aarch64 -M virt,gic-version=max"
		console=ttyAMA0
		;;
	amd64)
		machine="$x86_emulator -M q35"
		console=ttyS0
		;;
	esac
	# Nobody here attacks a processor.
	# shellcheck disable=SC2086
	exec timeout -k 10 "$limit" $machine $accel -cpu "$cpu" -smp "$smp" -m 2G \
		-nodefaults -no-reboot -display none -serial stdio \
		-kernel "$kernel_dir/vmlinuz" -initrd "$initramfs" \
		-drive "file=$root_disk,if=virtio,format=raw,snapshot=on" \
		-drive "file=$modules_disk,if=virtio,format=raw,snapshot=on" \
		-drive "file=$tree_disk,if=virtio,format=raw,snapshot=on" \
		-drive "file=$result/disk,if=virtio,format=raw" \
		-object rng-random,id=rng,filename=/dev/urandom \
		-device virtio-rng-pci,rng=rng \
		-append "console=$console panic=-1 quiet mitigations=off $2" \
		</dev/null
}
