// SPDX-License-Identifier: MIT

/*
 * index.test.js - the package as hosts use it, against the tool that
 * $OMEGA_SANDBOX_TOOL or PATH has; its configuration must have the policies
 * tool, mcp and shut. OMEGA_TEST_DATA_DIR has the file data/secret,
 * OMEGA_TEST_RUNS says how often something that may leak is done.
 */

'use strict';

const assert = require('node:assert/strict');
const { execFile, execFileSync, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test, after } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');
const { promisify } = require('node:util');

const { Sandbox, SandboxError, ...common } = require('omega-sandbox');

const here = path.join(__dirname, '..');
const dataDir = process.env.OMEGA_TEST_DATA_DIR;
const runs = Number(process.env.OMEGA_TEST_RUNS ?? 200);
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'node-'));
const { run, spawn, describe, check } = common;

after(async () => {
  await common.close();
  fs.rmSync(scratch, { recursive: true });
});

/** A program that stands in for the tool. */
function script(name, text) {
  const file = path.join(scratch, name);
  fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return file;
}

/** Who has this word as an argument? */
function withWord(word) {
  return fs.readdirSync('/proc').filter((pid) => {
    try {
      const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return /^\d+$/.test(pid) && words.split('\0').includes(word);
    } catch {
      return false;
    }
  });
}

async function until(isSo, what) {
  for (let i = 0; i < 600; i++) {
    if (await isSo()) return;
    await sleep(100);
  }
  assert.fail(`it never came to it: ${what}`);
}

// ---- The table that C, rpc and every binding agree on ------------------------

const camel = (name) => name.replace(/_[a-z]/g, (x) => x[1].toUpperCase());
const renamed = (object) =>
  Object.fromEntries(Object.entries(object).map(([n, v]) => [camel(n), v]));

test('the cases that bindings share', async (t) => {
  const file = path.join(here, '..', 'cases.json');
  if (!fs.existsSync(file)) return t.skip('cases.json is not beside us');
  const text = fs.readFileSync(file, 'utf8').replaceAll('@DATA_DIR@', dataDir);
  for (const { name, request, expect } of JSON.parse(text).cases) {
    const { argv, stdin, limits = {}, paths, ...others } = request;
    const { timeout_ms, grace_ms, max_output, ...more } = limits;
    const options = {
      ...renamed(others),
      input: stdin,
      timeout: timeout_ms,
      grace: grace_ms,
      maxOutput: max_output,
      limits: renamed(more),
      paths: paths && renamed(paths),
    };
    let end;
    try {
      end = await run(argv[0], argv.slice(1), options);
    } catch (error) {
      assert.ok(error instanceof SandboxError, `${name}: ${error}`);
      assert.equal(error.code, expect.code, `${name}: ${error}`);
      continue;
    }
    assert.equal(expect.code, undefined, name);
    const names = { exit: 'exitCode', sandbox_applied: 'protected' };
    for (const [field, value] of Object.entries(expect)) {
      const wanted =
        field === 'signal' && value !== null
          ? Object.entries(os.constants.signals).find((s) => s[1] === value)[0]
          : value;
      assert.equal(end[names[field] ?? camel(field)], wanted, `${name}: ${field}`);
    }
  }
});

// ---- run ---------------------------------------------------------------------

test('output as text or bytes, and input of any size', async () => {
  const say = ['-c', "printf '\\377\\0'; cat"];
  const end = await run('sh', say, { encoding: 'buffer', input: 'x' });
  assert.deepEqual(end.stdout, Buffer.from([0xff, 0, 0x78]));
  assert.equal((await run('sh', say)).stdout, '\ufffd\0');
  assert.equal((await run('sh', say, { encoding: 'hex' })).stdout, 'ff00');
  const input = Buffer.alloc(10 << 20, 'abc');
  const sum = await run('cksum', { input });
  const own = spawnSync('cksum', { input, encoding: 'utf8' });
  assert.equal(sum.stdout, own.stdout);
  assert.equal((await run('true', { input })).exitCode, 0); // and reads none
});

test('what is not to be misunderstood', async () => {
  await assert.rejects(run('true', [], { timeuot: 5 }), TypeError);
  await assert.rejects(run('true', [], { limits: { memroy: 5 } }), {
    code: 'request',
  });
  await assert.rejects(run('a\0b'), { code: 'request' });
  await assert.rejects(run(''), { code: 'request' });
  await assert.rejects(run('sh', ['-c', 'exit 4'], { check: true }), (error) => {
    assert.equal(error.code, 'exit');
    assert.equal(error.result.exitCode, 4);
    return true;
  });
  assert.equal((await run('pwd', { cwd: '/usr' })).stdout, '/usr\n');
  const before = process.cwd();
  process.chdir('/usr/bin');
  try {
    assert.equal((await run('pwd')).stdout, '/usr/bin\n');
  } finally {
    process.chdir(before);
  }
});

test('the work directory is that of the command unless it is named', async () => {
  const dir = fs.mkdtempSync(path.join(scratch, 'work-'));
  const write = (options) =>
    run('sh', ['-c', `: >${dir}/x`], { set: { write: ['{work_dir}'] }, ...options });
  assert.equal((await write({ cwd: dir })).exitCode, 0);
  assert.equal((await write({ cwd: '/', workDir: dir })).exitCode, 0);
  assert.notEqual((await write({ cwd: '/usr' })).exitCode, 0);
});

test('an AbortSignal ends all of its processes', async () => {
  const word = `600.${process.pid}`;
  const controller = new AbortController();
  const command = `setsid sleep ${word} & sleep ${word}`;
  const ended = run('sh', ['-c', command], { signal: controller.signal });
  await until(() => withWord(word).length === 2, 'it has started');
  controller.abort(new Error('enough'));
  await assert.rejects(ended, (error) => {
    assert.equal(error.name, 'AbortError');
    assert.equal(error.code, 'ABORT_ERR');
    assert.equal(error.cause.message, 'enough');
    return true;
  });
  assert.deepEqual(withWord(word), []);
  await assert.rejects(run('true', { signal: controller.signal }), {
    name: 'AbortError',
  });
  const late = AbortSignal.timeout(100);
  await assert.rejects(run('sleep', ['600'], { signal: late }), {
    name: 'AbortError',
  });
  // Before the tool has even answered.
  const other = new Sandbox();
  const first = new AbortController();
  const early = other.run('true', { signal: first.signal });
  first.abort();
  await assert.rejects(early, { name: 'AbortError' });
  await other.close();
});

test('many at a time', async () => {
  const ends = await Promise.all(
    Array.from({ length: 200 }, (_, i) => run('sh', ['-c', `echo ${i}`]))
  );
  ends.forEach((end, i) => assert.equal(end.stdout, `${i}\n`));
});

// ---- spawn -------------------------------------------------------------------

test('a process with streams, as child_process has it', async () => {
  const child = spawn('sh', ['-c', 'read x; echo "got $x"; cat >&2; exit 6']);
  const events = [];
  for (const name of ['spawn', 'exit', 'close'])
    child.on(name, (...words) => events.push([name, ...words]));
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (err += text));
  child.stdin.write('one\n');
  await once(child.stdout, 'data');
  assert.ok(child.pid > 0);
  assert.equal(child.exitCode, null);
  child.stdin.end('two');
  await once(child, 'close');
  assert.deepEqual(events, [['spawn'], ['exit', 6, null], ['close', 6, null]]);
  assert.deepEqual([out, err], ['got one\n', 'two']);
  assert.equal(child.exitCode, 6);
  assert.equal(child.kill(), false);
  const end = await child.done;
  assert.equal(end.protected, true);
  assert.equal(end.stdoutBytes, 8);
});

test('a command that cannot be started is an error', async () => {
  const child = spawn('no-such-program');
  const [error] = await once(child, 'error');
  assert.equal(error.code, 'not_found');
  await assert.rejects(child.done, { code: 'not_found' });
});

test('what is not read stops the command, and nothing is lost', async () => {
  const size = 8 << 20;
  const child = spawn('sh', ['-c', `head -c ${size} /dev/zero | tr '\\0' x; echo end >&2`]);
  let isOver = false;
  child.stderr.once('data', () => (isOver = true));
  await once(child, 'spawn');
  await run('sleep', ['0.5']); // others go on
  assert.equal(isOver, false);
  assert.ok(child.stdout.readableLength < 1 << 20);
  let seen = 0;
  for await (const chunk of child.stdout) {
    seen += chunk.length;
    if (seen % 7 === 0) await sleep(1);
  }
  assert.equal(seen, size);
  assert.equal((await child.done).exitCode, 0);
});

test('who does not read at all is told of the end', async () => {
  const child = spawn('sh', ['-c', 'head -c 100000 /dev/zero']);
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  const gone = spawn('sh', ['-c', 'head -c 3000000 /dev/zero']);
  gone.stdout.destroy();
  assert.deepEqual(await once(gone, 'close'), [0, null]);
});

test('input waits until it is read', async () => {
  const child = spawn('sh', ['-c', 'sleep 0.5; wc -c']);
  const input = Buffer.alloc(5 << 20);
  assert.equal(child.stdin.write(input), false);
  child.stdin.end();
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  assert.equal(text.trim(), String(input.length));
});

test('input that is closed is EPIPE', async () => {
  const child = spawn('sh', ['-c', 'exec <&-; echo shut; sleep 600']);
  await once(child.stdout, 'data');
  const failed = once(child.stdin, 'error');
  const timer = setInterval(() => child.stdin.write('x'), 20);
  const [error] = await failed;
  clearInterval(timer);
  assert.equal(error.code, 'EPIPE');
  child.kill('SIGKILL');
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
  // One that ends without reading is no error.
  const other = spawn('true');
  other.stdin.end('x'.repeat(100000));
  assert.deepEqual(await once(other, 'close'), [0, null]);
});

test('signals', async () => {
  const child = spawn(
    'sh',
    ['-c', "trap 'echo usr' USR1; echo go; while :; do sleep 0.05; done"],
    { stdin: 'ignore' }
  );
  assert.equal(child.stdin, null);
  await once(child.stdout, 'data');
  assert.ok(child.kill('SIGUSR1'));
  assert.equal(String((await once(child.stdout, 'data'))[0]), 'usr\n');
  assert.ok(child.kill('SIGSTOP'));
  assert.deepEqual(await once(child, 'stopped'), ['SIGSTOP']);
  assert.ok(child.kill(0));
  assert.throws(() => child.kill('SIGNONE'), TypeError);
  child.kill('SIGCONT');
  child.kill();
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGTERM']);
  const controller = new AbortController();
  const other = spawn('sleep', ['600'], { signal: controller.signal });
  await once(other, 'spawn');
  const told = once(other, 'error');
  controller.abort();
  const [error] = await told;
  assert.equal(error.name, 'AbortError');
  await once(other, 'close');
  assert.equal((await other.done).cancelled, true);
});

// ---- describe and check ------------------------------------------------------

test('describe and check', async () => {
  const report = await describe({ policy: 'shut' });
  assert.ok(report.guarantees.some(({ kind }) => kind === 'path'));
  const paths = [`${dataDir}/data/secret`, '/etc/passwd'];
  const read = await check('read', paths, { dataDir });
  assert.equal(read.blocked, true);
  assert.deepEqual(read.results.map((r) => r.blocked), [true, false]);
  assert.equal((await check('write', '/etc/passwd')).blocked, true);
  assert.equal((await check('read', 'relative')).blocked, false);
  await assert.rejects(check('see', '/'), { code: 'request' });
  await assert.rejects(describe({ policy: 'none' }), { code: 'invalid_policy' });
});

// ---- The tool behind it ------------------------------------------------------

test('a tool that dies is started again, and nobody waits for ever', async () => {
  const sandbox = new Sandbox();
  await sandbox.run('true');
  const first = sandbox._tool.pid;
  const waits = [1, 2, 3].map(() => sandbox.run('sleep', ['600']));
  const child = sandbox.spawn('sleep', ['600']);
  await once(child, 'spawn');
  child.on('error', () => {});
  process.kill(first, 'SIGKILL');
  for (const each of waits) await assert.rejects(each, { code: 'lost' });
  await assert.rejects(child.done, { code: 'lost' });
  assert.equal((await sandbox.run('echo', ['again'])).stdout, 'again\n');
  assert.notEqual(sandbox._tool.pid, first);
  await sandbox.close();
  await assert.rejects(sandbox.run('true'), { code: 'state' });
});

test('a tool that cannot be used says why', async () => {
  const fault = async (tool, options) => {
    const sandbox = new Sandbox({ tool, onLog: () => {}, ...options });
    const error = await sandbox.run('true').catch((e) => e);
    assert.ok(error instanceof SandboxError, String(error));
    // It is tried again, and fails again.
    await assert.rejects(sandbox.run('true'), { code: error.code });
    return `${error.code}: ${error.message}`;
  };
  assert.match(await fault('/no/such/tool'), /^unavailable: .*ENOENT/);
  assert.match(await fault(script('bad', 'echo oops >&2; exit 2')), /oops/);
  assert.match(
    await fault(script('loud', 'echo hello; exec sleep 60')),
    /^unavailable: .*no JSON/
  );
  const other = '{"version":2,"id":0,"error":{"code":"version","number":0,';
  assert.match(
    await fault(
      script('new', `echo '${other}"message":"only 2"}}'; exec sleep 60`)
    ),
    /another version: only 2/
  );
  assert.match(
    await fault(undefined, { config: '/no/such/file' }),
    /^unavailable: .*\/no\/such\/file/
  );
});

test('the program ends by itself when nothing is under way', async () => {
  const text = `const { run } = require('omega-sandbox');
    run('echo', ['fine']).then((end) => process.stdout.write(end.stdout));`;
  const out = execFileSync(process.execPath, ['-e', text], {
    cwd: here,
    timeout: 60000,
    encoding: 'utf8',
  });
  assert.equal(out, 'fine\n');
});

test('a program that is killed leaves nothing running', async () => {
  const word = `601.${process.pid}`;
  const text = `require('omega-sandbox').spawn('sleep', ['${word}'],
    { stdin: 'ignore' })`;
  const host = execFile(process.execPath, ['-e', text], { cwd: here });
  await until(() => withWord(word).some((pid) => pid !== `${host.pid}`), 'it runs');
  host.kill('SIGKILL');
  await until(() => withWord(word).length === 0, 'it has ended');
});

/** Descriptors and children of the tool, and of this program. */
function counted(sandbox) {
  const pid = sandbox._tool.pid;
  const count = (name) => fs.readdirSync(name).length;
  return {
    own: count('/proc/self/fd'),
    tool: count(`/proc/${pid}/fd`),
    children: fs
      .readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim(),
  };
}

test(`nothing is left of ${runs} runs`, async (t) => {
  const sandbox = new Sandbox({ jobs: 8 });
  const batch = (size) =>
    Promise.all(
      Array.from({ length: size }, async (_, i) => {
        if (i % 5 > 0) return sandbox.run('true');
        const child = sandbox.spawn('cat');
        child.stdin.end('x');
        child.stdout.resume();
        await once(child, 'close');
      })
    );
  await batch(50);
  const before = counted(sandbox);
  const heap = process.memoryUsage().heapUsed;
  for (let done = 0; done < runs; done += 50) await batch(50);
  await until(
    () => JSON.stringify(counted(sandbox)) === JSON.stringify(before),
    `${JSON.stringify(counted(sandbox))} is ${JSON.stringify(before)}`
  );
  assert.equal(sandbox._calls.size, 0);
  t.diagnostic(`${JSON.stringify(before)}, heap ${heap} to ` +
    `${process.memoryUsage().heapUsed}`);
  await sandbox.close();
});

// ---- The package -------------------------------------------------------------

const words = promisify(execFile);
const hasNpm = spawnSync('npm', ['--version']).status === 0;

test('the package has what it needs and installs', async (t) => {
  if (!hasNpm) return t.skip('npm is not installed');
  const env = { ...process.env, HOME: scratch, npm_config_offline: 'true' };
  const place = path.join(scratch, 'user');
  fs.mkdirSync(place);
  const packed = await words(
    'npm', ['pack', '--json', '--pack-destination', scratch], { cwd: here, env }
  );
  const [{ filename, files }] = JSON.parse(packed.stdout);
  assert.deepEqual(files.map((file) => file.path).sort(), [
    'README.md', 'examples/mcp.mjs', 'examples/tool.mjs', 'index.d.mts',
    'index.d.ts', 'index.js', 'index.mjs', 'package.json',
  ]);
  fs.writeFileSync(path.join(place, 'package.json'), '{}');
  await words(
    'npm', ['install', '--no-audit', '--no-fund', path.join(scratch, filename)],
    { cwd: place, env }
  );
  for (const [name, text] of [
    ['a.cjs', "const { run } = require('omega-sandbox');"],
    ['a.mjs', "import { run } from 'omega-sandbox';"],
    ['b.mjs', "import sandbox from 'omega-sandbox'; const { run } = sandbox;"],
  ]) {
    const end = "run('echo', ['it works']).then((e) => console.log(e.stdout));";
    fs.writeFileSync(path.join(place, name), text + end);
    const { stdout } = await words(process.execPath, [name], { cwd: place });
    assert.equal(stdout.trim(), 'it works', name);
  }
});

test('types', async (t) => {
  const tsc = path.join(here, 'node_modules', '.bin', 'tsc');
  if (!fs.existsSync(tsc))
    return t.skip('typescript and @types/node are not in node_modules');
  const { stdout } = await words(tsc, ['-p', here]).catch((error) => error);
  assert.equal(stdout, '');
});

test('README.md shows what works', async () => {
  const text = fs.readFileSync(path.join(here, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/```js\n([^]*?)```\n\n?(?:```text\n([^]*?)```)?/g)];
  assert.ok(blocks.length >= 2);
  const dir = fs.mkdtempSync(path.join(here, 'test', 'readme-'));
  try {
    for (const [, code, shown] of blocks) {
      fs.writeFileSync(path.join(dir, 'block.mjs'), code);
      const done = await words(process.execPath, ['block.mjs'], { cwd: dir });
      if (shown !== undefined) assert.equal(done.stdout, shown);
    }
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
});

// ---- The examples ------------------------------------------------------------

test('examples/tool.mjs, called as an agent would', async () => {
  const { shell } = await import('../examples/tool.mjs');
  const workDir = fs.mkdtempSync(path.join(scratch, 'agent-'));
  assert.deepEqual(shell.schema.required, ['command']);
  const call = (command) => shell.invoke({ command }, { workDir });
  assert.equal(await call('echo 1 >note && cat note'), '1\n[exit 0]');
  assert.match(await call(`cat ${dataDir}/data/secret`), /denied.*\[exit 1\]/s);
  assert.match(await call(': >/etc/passwd'), /\[exit 2\]/);
  assert.equal(await call('sleep 600 & exit 3'), '[exit 3]');
});

test('examples/mcp.mjs, between a client and a server', async () => {
  const server = `
    require('readline').createInterface({ input: process.stdin })
      .on('line', (line) => {
        const { id, method } = JSON.parse(line);
        let result = { serverInfo: { name: 'played' } };
        try {
          if (method === 'tools/call')
            result = require('fs').readFileSync('${dataDir}/data/secret', 'utf8');
        } catch (error) { result = error.code; }
        console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });`;
  const launcher = path.join(here, 'examples', 'mcp.mjs');
  const client = execFile(process.execPath, [
    launcher, process.execPath, '-e', server,
  ]);
  const lines = require('node:readline')
    .createInterface({ input: client.stdout })
    [Symbol.asyncIterator]();
  const ask = async (id, method) => {
    client.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method }) + '\n');
    return JSON.parse((await lines.next()).value);
  };
  const ended = once(client, 'exit');
  const hello = await ask(1, 'initialize');
  assert.equal(hello.result.serverInfo.name, 'played');
  assert.equal((await ask(2, 'tools/call')).result, 'EACCES');
  client.stdin.end();
  assert.deepEqual(await ended, [0, null]);
  const none = spawnSync(process.execPath, [launcher, 'no-such-server'], {
    encoding: 'utf8',
    input: '',
  });
  assert.equal(none.status, 125);
  assert.match(none.stderr, /mcp\.mjs: .*not found/);
});
