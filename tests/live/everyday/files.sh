# SPDX-License-Identifier: MIT
#
# Everyday work, see use.sh: files and directories.

use_new_files() {
	for at in "$HOME" "$W" "$T" /tmp /var/tmp; do
		f=$(mktemp "$at/new.XXXXXX")
		echo text >"$f"
		echo more >>"$f"
		test "$(cat "$f")" = "text
more"
		chmod 600 "$f"
		touch -d 2001-01-01 "$f"
		ln "$f" "$f.hard"
		ln -s "$f" "$f.soft"
		mkdir "$f.d"
		mv "$f.hard" "$f.d/"
		truncate -s 0 "$f"
		rm -r "$f" "$f.soft" "$f.d"
	done
}

# Without mv, which would copy.
use_moves() {
	for at in "$HOME" "$W" "$T" "$D/workspace"; do
		(
			cd "$at"
			mkdir -p moves/one/two moves/three
			echo x >moves/one/file
			perl -e 'sub mv { rename($_[0], $_[1]) or die "$_[0]: $!" }
				mv("moves/one/file", "moves/three/file");
				mv("moves/one/two", "moves/three/two");
				mv("moves/three/file", "file.moved");
				link("file.moved", "moves/one/l") or die $!;'
			rm -r moves file.moved
		)
	done
}

use_atomic_save() {
	echo old >"$HOME/.saved"
	echo new >"$HOME/.saved.tmp"
	sync "$HOME/.saved.tmp"
	perl -e 'rename("$ENV{HOME}/.saved.tmp", "$ENV{HOME}/.saved") or die $!'
	test "$(cat "$HOME/.saved")" = new
	sed -i s/new/newer/ "$HOME/.saved"
	test "$(cat "$HOME/.saved")" = newer
	rm "$HOME/.saved"
}

use_data_directory() {
	for sub in workspace skills projects stores; do
		mkdir -p "$D/$sub/a/b"
		echo x >"$D/$sub/a/b/file"
		perl -e 'rename("$ARGV[0]/a/b", "$ARGV[0]/b") or die $!' "$D/$sub"
		cp -r "$D/$sub/b" "$D/$sub/c"
		rm -r "$D/$sub/a" "$D/$sub/b" "$D/$sub/c"
	done
}

# Without config.toml the top of the data directory is held, not these.
use_shielded_directory() {
	for sub in workspace skills projects stores; do
		echo x >"$D2/$sub/file"
		perl -e 'rename("$ARGV[0]/file", "$ARGV[0]/g") or die $!' \
			"$D2/$sub"
		rm "$D2/$sub/g"
	done
}

# Where its owner may write, the sandbox does not mind.
use_own_places() {
	for at in $PLACES; do
		echo x >"$at/file"
		mv "$at/file" "$at/other"
		rm "$at/other"
	done
}

use_archives() {
	cd "$W"
	mkdir tree
	echo x >tree/x
	ln -s x tree/y
	tar -czf tree.tgz tree
	mkdir out
	tar -xzf tree.tgz -C out
	diff -r tree out/tree
	find tree | cpio -o -H newc >tree.cpio || test $? = 127
	zip -qr tree.zip tree || test $? = 127
	rsync -a tree/ copy/ || test $? = 127
}

use_rsync() {
	cd "$W"
	mkdir -p from/a
	echo x >from/a/x
	ln -s x from/a/y
	rsync -a --delete from/ to/
	diff -r from to
	rsync -a --link-dest="$W/to" from/ third/
	test "$(stat -c %h third/a/x)" = 2
}

use_unzip() {
	cd "$W"
	echo x >x
	zip -q x.zip x
	rm x
	unzip -q x.zip
	test "$(cat x)" = x
}

use_shm() {
	f=$(mktemp /dev/shm/new.XXXXXX)
	echo x >"$f"
	mv "$f" "$f.2"
	rm "$f.2"
}

use_inotify() {
	inotifywait -q -t 60 -e create "$W" >"$W/../seen" &
	watcher=$!
	for i in $(seq 200); do
		sleep 0.3
		touch "$W/new.$i"
		kill -0 "$watcher" 2>/dev/null || break
	done
	wait "$watcher"
	grep -q new "$W/../seen"
	rm "$W/../seen"
}

use_sqlite() {
	db=$W/base.db
	test "$(sqlite3 "$db" 'pragma journal_mode = wal;')" = wal
	sqlite3 "$db" 'create table t (n int);'
	for i in 1 2 3 4; do
		sqlite3 -cmd '.timeout 60000' "$db" "insert into t values ($i);" &
		jobs="${jobs-} $!"
	done
	for job in $jobs; do
		wait "$job"
	done
	test "$(sqlite3 "$db" 'select count(*) from t;')" = 4
	sqlite3 "$db" 'pragma wal_checkpoint(truncate); vacuum;'
}
