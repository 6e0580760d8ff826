# SPDX-License-Identifier: MIT
#
# Everyday work, see use.sh: compilers, interpreters and their package tools.

use_python_venv() {
	python3 -m venv --without-pip "$W/venv"
	"$W/venv/bin/python" -c 'import sys; assert sys.prefix != sys.base_prefix'
}

use_pip() {
	python3 -m pip --version
	python3 -m venv "$W/venv"
	"$W/venv/bin/pip" --version
	mkdir "$W/package"
	printf 'from setuptools import setup\nsetup(name="everyday")\n' \
		>"$W/package/setup.py"
	"$W/venv/bin/pip" install -q --no-index --no-build-isolation \
		"$W/package"
}

use_python() {
	cat >"$W/work.py" <<'END'
import asyncio, mmap, multiprocessing as mp, os, subprocess, tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import shared_memory

def square(x):
    return x * x

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as d, \
            tempfile.NamedTemporaryFile(dir=d) as f, \
            tempfile.TemporaryFile() as unnamed:
        f.write(b"x"); unnamed.write(b"y")
    for how in "fork", "spawn", "forkserver":
        with mp.get_context(how).Pool(2) as pool:
            assert pool.map(square, range(5)) == [0, 1, 4, 9, 16]
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(square, [3])) == [9]
    q = mp.Queue(); q.put(1); assert q.get() == 1
    s = shared_memory.SharedMemory(create=True, size=4096)
    s.buf[0] = 7; s.close(); s.unlink()
    m = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE); m[0] = 1
    fd = os.memfd_create("x"); os.write(fd, b"x")
    os.pidfd_open(os.getpid())
    async def main():
        p = await asyncio.create_subprocess_exec("true")
        assert await p.wait() == 0
    asyncio.run(main())
    assert subprocess.check_output("echo hi | cat", shell=True) == b"hi\n"
END
	python3 "$W/work.py"
}

use_gcc() {
	cd "$W"
	cat >main.c <<'END'
#include <pthread.h>
#include <stdio.h>
static void *work(void *arg) { return arg; }
int main(void)
{
	pthread_t t;
	return pthread_create(&t, NULL, work, NULL) || pthread_join(t, NULL) ||
	    puts("compiled") < 0;
}
END
	gcc -O2 -g -pthread -o main main.c
	test "$(./main)" = compiled
	cp main "$T/main"
	test "$("$T/main")" = compiled
	echo 'int f(void) { return 0; }' >f.c
	gcc -shared -fPIC -o libf.so f.c
	ar rc libf.a f.c
}

use_make() {
	cd "$W"
	printf 'all: a b c d\n%%:\n\t+echo $@ >$@\n' >Makefile
	make -s -j4
	test "$(cat d)" = d
}

use_sanitizer() {
	cd "$W"
	echo 'int main(void) { return 0; }' >main.c
	gcc -fsanitize=address,undefined -o main main.c
	./main
}

use_node() {
	cat >"$W/work.js" <<'END'
const fs = require('fs'), net = require('net'), cp = require('child_process');
const { Worker } = require('worker_threads');
fs.writeFileSync(process.env.W + '/x', 'x');
new Worker('process.exit(0)', { eval: true }).on('exit', () => {
	fs.watch(process.env.W).close();
	cp.execFileSync('true');
	const s = net.createServer((c) => c.end('hi')).listen(0, '127.0.0.1',
		() => net.connect(s.address().port, '127.0.0.1')
			.on('data', () => s.close()));
});
END
	node "$W/work.js"
}

use_npm() {
	mkdir "$W/package" "$W/other"
	cd "$W/other"
	npm init -y
	cd "$W/package"
	npm init -y
	npm install --offline --no-audit --no-fund ../other
	npm pack
	npm run env
}

use_cargo() {
	cd "$W"
	cargo new --offline -q hello
	cargo run --offline -q --manifest-path hello/Cargo.toml
}

use_go() {
	cd "$W"
	printf 'package main\nfunc main() { println("hello") }\n' >main.go
	GOCACHE="$W/cache" GOFLAGS=-mod=mod go run main.go
}

use_java() {
	cd "$W"
	printf 'class A { public static void main(String[] a) %s }\n' \
		'{ new Thread(() -> System.out.println("hello")).start(); }' \
		>A.java
	javac A.java
	test "$(java A)" = hello
}

use_cmake() {
	cd "$W"
	printf 'project(p C)\nadd_executable(p main.c)\n' >CMakeLists.txt
	echo 'int main(void) { return 0; }' >main.c
	cmake -S . -B out
	cmake --build out -j 2
	out/p
}

use_autotools() {
	cd "$W"
	printf 'AC_INIT(p, 1)\nAC_PROG_CC\nAC_CONFIG_FILES(Makefile)\n%s\n' \
		AC_OUTPUT >configure.ac
	echo 'all: ; $(info @CC@)' >Makefile.in
	autoconf
	./configure -q
	make -s
}

use_valgrind() {
	valgrind -q --error-exitcode=1 true
}
