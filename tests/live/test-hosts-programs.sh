#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Programs that people use, with hosts = {...}: what is listed works without any
# setting, what is not fails soon. As root and as an ordinary user; servers are
# our own. Prints TAP.
set -u
: "${top_builddir:=.}" "${top_srcdir:=..}"
if [ -z "${HOSTS_PRIVATE-}" ]; then
	[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP needs root"; exit 0; }
	for program in python3 ip curl openssl; do
		command -v $program >/dev/null ||
			{ echo "1..0 # SKIP $program is missing"; exit 0; }
	done
	unshare -n -m --propagation private true 2>/dev/null ||
		{ echo "1..0 # SKIP no namespaces"; exit 0; }
	HOSTS_PRIVATE=1 exec unshare -n -m --propagation private sh "$0" "$@"
fi
name=programs
# shellcheck source=tests/live/set-up.sh
. "$top_srcdir/tests/live/set-up.sh"
servers="80:http 443:tls"
# shellcheck source=tests/live/hosts-world.sh
. "$top_srcdir/tests/live/hosts-world.sh"

cat >"$work/sandbox.conf" <<'END'
policy "p" { hosts = { "www.test", "ssh.test:2222" } }
END
chmod 644 "$work/sandbox.conf"

# ---- What there is to fetch --------------------------------------------------

python3 - "$work/www" <<'END' || plan_skip "nothing to fetch can be made"
import hashlib, io, json, os, sys, tarfile, zipfile
www = sys.argv[1]
tar = io.BytesIO()
with tarfile.open(fileobj=tar, mode="w:gz") as out:
    text = json.dumps({"name": "left", "version": "1.0.0"}).encode()
    entry = tarfile.TarInfo("package/package.json")
    entry.size = len(text)
    out.addfile(entry, io.BytesIO(text))
open(www + "/left-1.0.0.tgz", "wb").write(tar.getvalue())
open(www + "/left", "w").write(json.dumps({
    "name": "left", "dist-tags": {"latest": "1.0.0"},
    "versions": {"1.0.0": {"name": "left", "version": "1.0.0", "dist": {
        "tarball": "http://www.test/left-1.0.0.tgz",
        "shasum": hashlib.sha1(tar.getvalue()).hexdigest()}}}}))
os.makedirs(www + "/simple/one")
wheel = "one-1.0-py3-none-any.whl"
open(www + "/simple/one/index.html", "w").write(
    "<!DOCTYPE html><html><body><a href='%s'>%s</a></body></html>"
    % (wheel, wheel))
with zipfile.ZipFile(www + "/simple/one/" + wheel, "w") as out:
    info = "one-1.0.dist-info/"
    out.writestr("one.py", "word = 'hello'\n")
    out.writestr(info + "METADATA",
                 "Metadata-Version: 2.1\nName: one\nVersion: 1.0\n")
    out.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\n"
                 "Root-Is-Purelib: true\nTag: py3-none-any\n")
    out.writestr(info + "RECORD", "one.py,,\n" + info + "METADATA,,\n"
                 + info + "WHEEL,,\n" + info + "RECORD,,\n")
os.makedirs(www + "/apt")
open(www + "/apt/Packages", "w").write(
    "Package: hello\nVersion: 1\nArchitecture: all\nMaintainer: t <t@test>\n"
    "Filename: ./hello.deb\nSize: 1\nDescription: hello\n\n")
END
cat >"$work/Get.java" <<'END'
public class Get {
	public static void main(String[] args) throws Exception {
		System.out.print(new String(new java.net.URL(args[0])
			.openStream().readAllBytes()));
	}
}
END
sshd=$(command -v sshd || ls /usr/sbin/sshd 2>/dev/null)
if [ -n "$sshd" ] && command -v ssh-keygen >/dev/null; then
	mkdir -p /run/sshd
	ssh-keygen -q -t ed25519 -N "" -f "$work/host-key"
	for w in root user; do
		ssh-keygen -q -t ed25519 -N "" -f "$work/$w/key"
		cat "$work/$w/key.pub" >>"$work/keys"
		chown --reference="$work/$w" "$work/$w/key"
	done
	cat >"$work/sshd.conf" <<END
Port 2222
HostKey $work/host-key
AuthorizedKeysFile $work/keys
PermitRootLogin yes
StrictModes no
UsePAM no
PidFile none
END
	nsenter -t $server -n "$sshd" -f "$work/sshd.conf" -E "$work/sshd.log"
	sshd=$(nsenter -t $server -n ss -tlnp 2>/dev/null |
		sed -n 's/.*:2222 .*pid=\([0-9]*\).*/\1/p' | head -n 1)
	trap 'kill $server $host $sshd 2>/dev/null; rm -rf "$work"' EXIT
fi
chmod -R a+rX "$work/www" "$work/Get.java"

# ---- Cases -------------------------------------------------------------------

# inside COMMAND...
inside() {
	(as "$w" LANG=C "$tool" run --config "$work/sandbox.conf" --policy p \
		--data-dir "$work/$w/data" --work-dir "$work/$w" -- \
		timeout 90 "$@") >"$work/out" 2>"$work/err"
}
# works TEXT EXPECTED COMMAND...
works() {
	text=$1
	expected=$2
	shift 2
	inside "$@" && grep -q -- "$expected" "$work/out"
	result $? "$text"
}
# fails TEXT WORDS COMMAND...: with these words, and soon: what starts up by
# itself takes its time on a busy machine.
fails() {
	text=$1
	words=$2
	shift 2
	before=$(date +%s)
	inside "$@"
	ret=$?
	took=$(($(date +%s) - before))
	[ $ret != 0 ] && [ $took -le 20 ] &&
		cat "$work/out" "$work/err" | grep -q -i -E "$words"
	result $? "$text, not listed ($took s)"
}
unknown="not known|could ?n.t resolve|could not resolve|no address|ENOTFOUND"
unknown="$unknown|UnknownHost|temporary failure|NameResolution|no matching"

for w in root user; do
	secure="ssh -p 2222 -i $work/$w/key -o BatchMode=yes
		-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -F none"
	if [ -n "$sshd" ]; then
		works "ssh" hello $secure root@ssh.test echo hello
		fails "ssh" "$unknown" $secure root@other.test echo hello
	else
		skip "ssh" "sshd is missing"
	fi
	if [ -n "$sshd" ] && [ -d "$work/www/repo.git" ]; then
		works "git over ssh" first env GIT_SSH_COMMAND="$(echo $secure)" \
			sh -c "git clone -q root@ssh.test:$work/www/repo.git r &&
			git -C r log; rm -rf r"
		fails "git over ssh" "$unknown" env \
			GIT_SSH_COMMAND="$(echo $secure)" \
			git clone -q "root@other.test:$work/www/repo.git" r
	else
		skip "git over ssh" "sshd or git is missing"
	fi
	if command -v npm >/dev/null; then
		mkdir -p "$work/$w/npm"
		chown --reference="$work/$w" "$work/$w/npm"
		npm="npm install --no-audit --no-fund --fetch-retries 0
			--prefix $work/$w/npm --cache $work/$w/cache left"
		works "npm" 1.0.0 sh -c "$(echo $npm) --registry http://www.test/ &&
			cat $work/$w/npm/node_modules/left/package.json"
		fails "npm" "$unknown" sh -c \
			"$(echo $npm)@2 --registry http://other.test/"
	else
		skip "npm" "npm is missing"
	fi
	if python3 -m pip --version >/dev/null 2>&1; then
		pip="python3 -m pip install --no-cache-dir --retries 0
			--disable-pip-version-check --target $work/$w/pip one"
		works "pip" hello sh -c "$(echo $pip) --index-url \
			http://www.test/simple/ --trusted-host www.test &&
			PYTHONPATH=$work/$w/pip python3 -c \
				'import one; print(one.word)'"
		fails "pip" "$unknown" $pip --upgrade --index-url \
			http://other.test/simple/ --trusted-host other.test
	else
		skip "pip" "pip is missing"
	fi
	if python3 -c "import requests" 2>/dev/null; then
		get="import requests, sys
print(requests.get(sys.argv[1], timeout=10, verify=sys.argv[2]).text)"
		works "Python requests" hello python3 -c "$get" \
			https://www.test/ "$work/cert.pem"
		fails "Python requests" "$unknown" python3 -c "$get" \
			https://other.test/ "$work/cert.pem"
	else
		skip "Python requests" "it is missing"
	fi
	if command -v apt-get >/dev/null; then
		mkdir -p "$work/$w/apt/lists/partial" "$work/$w/apt/cache"
		apt="apt-get update -o Dir::State=$work/$w/apt
			-o Dir::State::lists=$work/$w/apt/lists
			-o Dir::Cache=$work/$w/apt/cache -o Dir::Etc::Parts=/none
			-o Dir::Etc::SourceParts=/none -o APT::Sandbox::User=root
			-o Acquire::Retries=0 -o Acquire::Languages=none
			-o Debug::NoLocking=1 --error-on=any"
		for site in www other; do
			echo "deb [trusted=yes] http://$site.test/apt ./" \
				>"$work/$w/apt/$site.list"
		done
		chown -R --reference="$work/$w" "$work/$w/apt"
		works "apt" Packages sh -c "$(echo $apt) \
			-o Dir::Etc::SourceList=$work/$w/apt/www.list &&
			ls $work/$w/apt/lists"
		fails "apt" "$unknown" $apt \
			-o "Dir::Etc::SourceList=$work/$w/apt/other.list"
	else
		skip "apt" "apt-get is missing"
	fi
	if command -v go >/dev/null; then
		cat >"$work/get.go" <<'END'
package main

import ("fmt"; "io"; "net/http"; "os")

func main() {
	answer, err := http.Get(os.Args[1])
	if err != nil { fmt.Fprintln(os.Stderr, err); os.Exit(1) }
	text, _ := io.ReadAll(answer.Body)
	fmt.Print(string(text))
}
END
		go build -o "$work/get" "$work/get.go" 2>"$work/err"
		works "Go" hello "$work/get" http://www.test/
		fails "Go" "no such host|$unknown" "$work/get" http://other.test/
	else
		skip "Go" "go is missing"
	fi
	if java -version >/dev/null 2>&1; then
		works "Java" hello java "$work/Get.java" http://www.test/
		fails "Java" "$unknown" java "$work/Get.java" http://other.test/
	else
		skip "Java" "java is missing"
	fi
done
echo "1..$count"
