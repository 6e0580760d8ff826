// SPDX-License-Identifier: MIT
// Copyright (C) 2026 the omega-sandbox authors
// @ts-check

/*
 * index.js - commands in a sandbox, for hosts in Node: "omega-sandbox rpc",
 * started once and spoken to. index.d.ts says what each function is for; what
 * goes over the wire is in omega-sandbox(1) and rpc.schema.json.
 *
 * Plain JavaScript, so that nothing has to be built; tsc checks it against
 * the comments and index.d.ts.
 */

'use strict';

const { spawn: start } = require('node:child_process');
const { EventEmitter } = require('node:events');
const { constants } = require('node:os');
const path = require('node:path');
const { Readable, Writable } = require('node:stream');

/** @typedef {import('./index.js').UnderOptions} Under */
/** @typedef {import('./index.js').RunOptions} Run */
/** @typedef {import('./index.js').SpawnOptions} Spawn */
/** @typedef {Record<string, any>} Message */

/** What an answer, and what comes before it, is told to.
 * @typedef {{
 *   request: Message,
 *   event?: (event: Message) => void,
 *   done: (response: Message) => void,
 *   fail: (error: Error) => void,
 *   id?: number,
 *   later?: Message[],
 * }} Call; later is what waits until the request itself is sent */

const VERSION = 1;
/** Ten years: a command that is spawned has no time-out unless it is given. */
const NO_TIMEOUT = 315360000000;
/** Output that may be on its way to who does not read it. */
const WINDOW = 1 << 18;
/** Input that is sent at a time, and more than goes with a request. */
const SLICE = 1 << 18;

class SandboxError extends Error {
  /** @param {string} code @param {string} message @param {number} [number] */
  constructor(code, message, number = 0) {
    super(message);
    this.name = 'SandboxError';
    this.code = code;
    this.number = number;
    /** @type {import('./index.js').Result | undefined} */
    this.result = undefined;
  }
}

/** @param {AbortSignal} signal */
function aborted(signal) {
  const error = new Error('The operation was aborted', {
    cause: signal.reason,
  });
  error.name = 'AbortError';
  return Object.assign(error, { code: 'ABORT_ERR' });
}

/** @param {number | null} number */
function signalName(number) {
  const found = Object.entries(constants.signals).find(
    ([, value]) => value === number
  );
  return /** @type {NodeJS.Signals | null} */ (found ? found[0] : null);
}

/** "dataDir" is "data_dir" over there. @param {string} name */
function snake(name) {
  return name.replace(/[A-Z]/g, (letter) => '_' + letter.toLowerCase());
}

/** Of an object, with the names of the other side; nothing that is not set.
 * @param {object | undefined} object @param {readonly string[]} [names]
 * @returns {Message} */
function renamed(object, names) {
  const all = Object.entries(object ?? {});
  return Object.fromEntries(
    all
      .filter(([name, value]) => value !== undefined && value !== null)
      .filter(([name]) => names === undefined || names.includes(name))
      .map(([name, value]) => [snake(name), value])
  );
}

const UNDER = [
  'policy', 'tier', 'agent', 'backend', 'dataDir', 'workDir', 'network',
  'hosts', 'unixSockets', 'session', 'set',
];
const OTHERS = [
  'witness', 'paths', 'limits', 'cwd', 'env', 'context', 'timeout', 'grace',
  'maxOutput', 'input', 'encoding', 'check', 'signal', 'stdin', 'argv0',
];

/** What the policy depends on, as fields of a request.
 * @param {Under} options @param {string | undefined} cwd */
function under(options, cwd) {
  for (const name of Object.keys(options))
    // A misspelt limit must not be none.
    if (!UNDER.includes(name) && !OTHERS.includes(name))
      throw new TypeError(`omega-sandbox: there is no option '${name}'`);
  const fields = renamed(options, UNDER);
  const limits = renamed(options.limits);
  if (options.witness) fields.witness = true;
  if (options.paths) fields.paths = renamed(options.paths);
  if (Object.keys(limits).length > 0) fields.limits = limits;
  if (fields.work_dir === undefined) fields.work_dir = cwd;
  else fields.work_dir = path.resolve(fields.work_dir);
  return fields;
}

/** @param {string | undefined} [given] */
function directory(given) {
  try {
    return path.resolve(given ?? '.');
  } catch {
    return undefined; // the current one is gone
  }
}

/** @param {string} command @param {readonly string[]} args
 * @param {Run | Spawn} options @returns {Message} */
function request(command, args, options) {
  const cwd = directory(options.cwd);
  const fields = under(options, cwd);
  const limits = { ...fields.limits };
  if (options.timeout) limits.timeout_ms = Math.ceil(options.timeout);
  if (options.grace !== undefined) limits.grace_ms = Math.ceil(options.grace);
  if (options.maxOutput) limits.max_output = options.maxOutput;
  return {
    argv: [command, ...args].map(String),
    ...fields,
    cwd,
    limits,
    env: options.env && renameNothing(options.env),
    context: options.context,
  };
}

/** As child_process does: what is not set is left out, all else is a text.
 * @param {NodeJS.ProcessEnv} env */
function renameNothing(env) {
  return Object.fromEntries(
    Object.entries(env)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)])
  );
}

/** @param {Message} from @param {string} name */
function bytes(from, name) {
  return from[name] === undefined
    ? Buffer.from(from[`${name}_base64`] ?? '', 'base64')
    : Buffer.from(from[name]);
}

/** @param {Message} from @param {BufferEncoding | 'buffer'} encoding
 * @returns {any} */
function resultOf(from, encoding) {
  /** @param {string} name */
  const stream = (name) =>
    encoding === 'buffer'
      ? bytes(from, name)
      : encoding === 'utf8' && from[name] !== undefined
        ? from[name]
        : bytes(from, name).toString(encoding);
  return {
    exitCode: from.exit,
    signal: signalName(from.signal),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    protected: from.sandbox_applied,
    truncated: from.truncated,
    timedOut: from.timed_out,
    cancelled: from.cancelled,
    durationMs: from.duration_ms,
    cpuMs: from.cpu_ms,
    peakMemory: from.peak_memory,
    processesLeft: from.processes_left,
    stdoutBytes: from.stdout_bytes,
    stderrBytes: from.stderr_bytes,
    refusedHosts: from.refused_hosts ?? [],
    guarantees: from.guarantees,
  };
}

/** The input of a command that runs. */
class Input extends Writable {
  /** @param {(message: Message) => void} send */
  constructor(send) {
    super({ decodeStrings: true });
    this.send = send;
    /** @type {(() => void) | undefined} */
    this.taken = undefined;
    this.isClosed = false;
    this.isOver = false;
  }

  /** @override @param {Buffer} chunk @param {string} _encoding
   * @param {(error?: Error | null) => void} done */
  _write(chunk, _encoding, done) {
    let at = 0;
    if (this.isClosed) return done(closed());
    const next = () => {
      this.taken = undefined;
      // What was on its way when the command closed it is lost without a
      // word, as it is in a pipe; the next write fails.
      if (this.isClosed || this.isOver || at >= chunk.length) return done();
      const slice = chunk.subarray(at, at + SLICE);
      at += slice.length;
      this.taken = next;
      this.send({ input_base64: slice.toString('base64') });
    };
    next();
  }

  /** @override @param {(error?: Error | null) => void} done */
  _final(done) {
    if (!this.isClosed) this.send({ input_end: true });
    done();
  }

  /** What the other side says about it. @param {Message} event */
  hear(event) {
    if (event.kind === 'written') this.taken?.();
    if (event.kind !== 'input_closed') return;
    this.isClosed = true;
    this.taken?.();
  }

  /** The command has ended. */
  finish() {
    this.isOver = true;
    this.taken?.();
    this.destroy();
  }
}

function closed() {
  const error = new Error('write EPIPE');
  return Object.assign(error, { code: 'EPIPE', syscall: 'write' });
}

/** One stream of output, which tells how much of it is dealt with. */
class Output extends Readable {
  /** @param {(bytes: number) => void} release */
  constructor(release) {
    super();
    this.release = release;
    this.held = 0;
  }

  /** @param {Buffer} chunk */
  pass(chunk) {
    if (this.destroyed || this.push(chunk)) this.release(chunk.length);
    else this.held += chunk.length;
  }

  /** @override */
  _read() {
    const held = this.held;
    this.held = 0;
    if (held > 0) this.release(held);
  }

  /** @override @param {Error | null} error @param {(e: Error | null) => void} done */
  _destroy(error, done) {
    this._read();
    done(error);
  }
}

class SandboxProcess extends EventEmitter {
  /** @param {Sandbox} sandbox @param {Message} fields
   * @param {Spawn} options */
  constructor(sandbox, fields, options) {
    super();
    this.spawnfile = /** @type {string} */ (fields.argv[0]);
    this.spawnargs = /** @type {string[]} */ (fields.argv);
    /** @type {number | undefined} */
    this.pid = undefined;
    /** @type {number | null} */
    this.exitCode = null;
    /** @type {NodeJS.Signals | null} */
    this.signalCode = null;
    this.killed = false;
    this.isOver = false;
    this.owed = 0;
    /** @param {Message} message */
    this.send = (message) => sandbox._tell(call, message);
    /** @param {number} count */
    const release = (count) => {
      this.owed += count;
      if (this.owed < WINDOW / 4 || this.isOver) return;
      this.send({ read: this.owed });
      this.owed = 0;
    };
    this.stdin = fields.stdin_open ? new Input(this.send) : null;
    this.stdout = new Output(release);
    this.stderr = new Output(release);
    this.stdio = /** @type {const} */ ([this.stdin, this.stdout, this.stderr]);
    /** @type {Promise<any>} */
    this.done = new Promise((resolve, reject) => {
      this.once('_result', resolve);
      this.once('_error', reject);
    });
    this.done.catch(() => {}); // who wants to know listens to 'error' or it
    /** @type {Call} */
    const call = {
      request: fields,
      event: (event) => this._hear(event),
      done: (response) => this._end(response.result),
      fail: (error) => this._fail(error),
    };
    const { signal } = options;
    if (signal) {
      const abort = () => {
        this._cancel();
        this.emit('error', aborted(signal));
      };
      if (signal.aborted) process.nextTick(abort);
      else signal.addEventListener('abort', abort, { once: true });
      this.once('close', () => signal.removeEventListener('abort', abort));
    }
    sandbox._call(call);
  }

  /** @param {Message} event */
  _hear(event) {
    if (event.kind === 'started') {
      this.pid = event.pid;
      this.emit('spawn');
    } else if (event.kind === 'output') {
      this[event.stream === 'stdout' ? 'stdout' : 'stderr'].pass(
        bytes(event, 'data')
      );
    } else if (event.kind === 'stopped') {
      this.emit('stopped', signalName(event.signal));
    } else {
      this.stdin?.hear(event);
    }
  }

  _close() {
    this.isOver = true;
    this.stdin?.finish();
    let open = 2;
    const ended = () => {
      if (--open === 0) this.emit('close', this.exitCode, this.signalCode);
    };
    for (const stream of [this.stdout, this.stderr]) {
      if (stream.closed || stream.destroyed) process.nextTick(ended);
      else stream.once('close', ended);
      if (!stream.destroyed) stream.push(null);
      // As child_process has it: what nobody reads is no reason to stay open.
      process.nextTick(() => {
        if (stream.readableFlowing === null && !stream.listenerCount('readable'))
          stream.resume();
      });
    }
  }

  /** @param {Message} from */
  _end(from) {
    this.exitCode = from.exit;
    this.signalCode = signalName(from.signal);
    const { stdout, stderr, ...result } = resultOf(from, 'buffer');
    this.emit('_result', result);
    this.emit('exit', this.exitCode, this.signalCode);
    this._close();
  }

  /** @param {Error} error */
  _fail(error) {
    this.emit('_error', error);
    this._close();
    // Somebody who aborts it has been told.
    if (/** @type {any} */ (error).code !== 'cancelled')
      this.emit('error', error);
  }

  _cancel() {
    if (!this.isOver) this.send({ cancel: true });
  }

  /** @param {NodeJS.Signals | number} [signal] */
  kill(signal = 'SIGTERM') {
    const number =
      typeof signal === 'number' ? signal : constants.signals[signal];
    if (number === undefined)
      throw new TypeError(`omega-sandbox: unknown signal ${signal}`);
    if (this.isOver) return false;
    if (number > 0) {
      this.send({ signal: number });
      this.killed = true;
    }
    return true;
  }
}

class Sandbox {
  /** @param {import('./index.js').SandboxOptions} [options] */
  constructor(options = {}) {
    this.options = options;
    /** @type {import('node:child_process').ChildProcess | null} */
    this._tool = null;
    this._isGreeted = false;
    this._isClosing = false;
    this._last = 0;
    /** Under way, by id. @type {Map<number, Call>} */
    this._calls = new Map();
    /** @type {string[]} */
    this._parts = [];
    this._said = '';
  }

  /** Start the tool, unless it runs. */
  _start() {
    if (this._tool !== null) return;
    const { options } = this;
    const words = ['rpc', '--jobs', String(options.jobs ?? 128)];
    if (options.config !== undefined) words.push('--config', options.config);
    const name =
      options.tool ?? process.env.OMEGA_SANDBOX_TOOL ?? 'omega-sandbox';
    const tool = start(name, words, { stdio: 'pipe', env: options.env });
    this._tool = tool;
    this._isGreeted = false;
    this._parts = [];
    this._said = '';
    tool.stdin.on('error', () => {}); // its end is told by 'close'
    tool.stdout.setEncoding('utf8');
    tool.stdout.on('data', (text) => {
      if (this._tool === tool) this._read(text);
    });
    tool.stderr.setEncoding('utf8');
    tool.stderr.on('data', (text) => {
      this._said = (this._said + text).slice(-4096);
      if (options.onLog) options.onLog(text);
      else process.stderr.write(text);
    });
    tool.on('error', (error) => {
      this._said = `${name}: ${error.message}`;
      if (tool.pid === undefined) this._lost(tool, 'unavailable');
    });
    tool.on('close', () => this._lost(tool, 'lost'));
    this._write({ id: 0, hello: [VERSION] });
  }

  /** The tool is gone; whoever waits for an answer is told.
   * @param {unknown} tool @param {string} code */
  _lost(tool, code) {
    if (this._tool !== tool) return;
    const calls = [...this._calls.values()];
    const isGreeted = this._isGreeted;
    this._tool = null;
    this._isGreeted = false;
    this._calls.clear();
    const why = this._said.trim().split('\n').pop();
    for (const call of calls)
      call.fail(
        isGreeted
          ? new SandboxError(
              code,
              'omega-sandbox ended while the command was under way, and ' +
                'ended what it ran' + (why ? `: ${why}` : '')
            )
          : new SandboxError(
              'unavailable',
              'omega-sandbox could not be started' + (why ? `: ${why}` : '')
            )
      );
  }

  /** It is not what we take it for. @param {string} why */
  _giveUp(why) {
    const tool = this._tool;
    this._said = why;
    tool?.kill();
    this._lost(tool, 'lost');
  }

  /** @param {string} text */
  _read(text) {
    let from = 0;
    for (;;) {
      const end = text.indexOf('\n', from);
      if (end < 0) break;
      this._parts.push(text.slice(from, end));
      const line = this._parts.join('');
      this._parts = [];
      from = end + 1;
      let response;
      try {
        response = JSON.parse(line);
      } catch {
        return this._giveUp('what it says is no JSON');
      }
      this._hear(response);
    }
    if (from < text.length) this._parts.push(text.slice(from));
  }

  /** @param {Message} response */
  _hear(response) {
    if (response.id === 0) return this._greet(response);
    const call = this._calls.get(response.id);
    if (call === undefined) return; // about a call that is over
    if (response.event !== undefined) return call.event?.(response.event);
    this._calls.delete(response.id);
    this._rest();
    const { error } = response;
    if (error === undefined) call.done(response);
    else call.fail(new SandboxError(error.code, error.message, error.number));
  }

  /** @param {Message} response */
  _greet(response) {
    if (response.error !== undefined)
      return this._giveUp(
        `it speaks another version: ${response.error.message}`
      );
    this._isGreeted = true;
    for (const call of this._calls.values()) this._send(call);
    if (this._isClosing) this._tool?.stdin?.end();
  }

  /** Let the program end, or not, whether it waits for something. */
  _rest() {
    const tool = /** @type {any} */ (this._tool);
    if (tool === null) return;
    const what = this._calls.size > 0 ? 'ref' : 'unref';
    for (const each of [tool, tool.stdin, tool.stdout, tool.stderr])
      each[what]?.();
  }

  /** @param {Message} message */
  _write(message) {
    this._tool?.stdin?.write(JSON.stringify(message) + '\n');
  }

  /** A request, and what was to be said about it. @param {Call} call */
  _send(call) {
    const { id, later } = call;
    call.later = undefined;
    this._write({ id, ...call.request });
    for (const message of later ?? []) this._write({ id, ...message });
  }

  /** A new request. @param {Call} call */
  _call(call) {
    if (this._isClosing)
      return process.nextTick(() =>
        call.fail(new SandboxError('state', 'the sandbox is closed'))
      );
    call.id = ++this._last;
    call.later ??= [];
    this._calls.set(call.id, call);
    this._start();
    this._rest();
    if (this._isGreeted) this._send(call);
  }

  /** Something about a request under way. @param {Call} call
   * @param {Message} message */
  _tell(call, message) {
    if (call.id === undefined) {
      call.later = [...(call.later ?? []), message];
    } else if (this._calls.get(call.id) !== call) {
      return; // it is over
    } else if (call.later === undefined) {
      this._write({ id: call.id, ...message });
    } else if (message.cancel) {
      this._calls.delete(call.id);
      this._rest();
      call.fail(new SandboxError('cancelled', 'cancelled before it began'));
    } else {
      call.later.push(message);
    }
  }

  /** An answer, as a promise. @param {Message} fields
   * @param {AbortSignal} [signal]
   * @param {(call: Call) => void} [begun]
   * @returns {Promise<Message>} */
  _ask(fields, signal, begun) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(aborted(signal));
      const abort = () => this._tell(call, { cancel: true });
      const over = () => signal?.removeEventListener('abort', abort);
      /** @type {Call} */
      const call = {
        request: fields,
        done: (response) => {
          over();
          if (signal?.aborted && response.result?.cancelled)
            reject(aborted(signal));
          else resolve(response);
        },
        fail: (error) => {
          over();
          const isOurs = /** @type {any} */ (error).code === 'cancelled';
          reject(signal?.aborted && isOurs ? aborted(signal) : error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      begun?.(call);
      this._call(call);
    });
  }

  /** @param {string} command
   * @param {readonly string[] | Run} [args]
   * @param {Run} [options] @returns {Promise<any>} */
  async run(command, args, options) {
    const [list, how] = split(args, options);
    const fields = request(command, list, how);
    const input =
      how.input === undefined ? undefined : Buffer.from(how.input);
    const isLong = input !== undefined && input.length > SLICE;
    if (isLong) fields.stdin_open = true;
    else if (input) fields.stdin_base64 = input.toString('base64');
    const { result } = await this._ask(fields, how.signal, (call) => {
      if (!isLong) return;
      const stream = new Input((message) => this._tell(call, message));
      stream.on('error', () => {}); // a command need not read all of it
      call.event = (event) => stream.hear(event);
      stream.end(input);
    });
    const end = resultOf(result, how.encoding ?? 'utf8');
    if (!how.check || end.exitCode === 0) return end;
    const error = new SandboxError(
      'exit',
      `${command}: ` +
        (end.timedOut
          ? 'its time was over'
          : end.signal
            ? `ended by ${end.signal}`
            : `exit ${end.exitCode}`)
    );
    error.result = end;
    throw error;
  }

  /** @param {string} command
   * @param {readonly string[] | Spawn} [args]
   * @param {Spawn} [options] */
  spawn(command, args, options) {
    const [list, how] = split(args, options);
    const fields = request(command, list, how);
    fields.stream = true;
    fields.window = WINDOW;
    if ((how.stdin ?? 'pipe') === 'pipe') fields.stdin_open = true;
    fields.limits.timeout_ms ??= NO_TIMEOUT;
    return new SandboxProcess(this, fields, how);
  }

  /** @param {Under} [options] @returns {Promise<any>} */
  async describe(options = {}) {
    const fields = under(options, directory());
    return (await this._ask({ describe: true, ...fields })).report;
  }

  /** @param {'read' | 'write' | 'execute'} access
   * @param {string | readonly string[]} paths @param {Under} [options]
   * @returns {Promise<any>} */
  async check(access, paths, options = {}) {
    const list = typeof paths === 'string' ? [paths] : paths;
    const check = { access, paths: list.map((name) => path.resolve(name)) };
    const fields = under(options, directory());
    return (await this._ask({ check, ...fields })).check;
  }

  /** No other request; those under way are waited for.
   * @returns {Promise<void>} */
  close() {
    const tool = this._tool;
    this._isClosing = true;
    if (tool === null) return Promise.resolve();
    return new Promise((resolve) => {
      tool.ref();
      tool.once('close', () => resolve());
      if (this._isGreeted || this._calls.size === 0) tool.stdin?.end();
    });
  }
}

/** @template {object} T @param {readonly string[] | T | undefined} args
 * @param {T | undefined} options @returns {[readonly string[], T]} */
function split(args, options) {
  if (Array.isArray(args) || args === undefined)
    return [args ?? [], options ?? /** @type {T} */ ({})];
  return [[], /** @type {T} */ (args)];
}

/** The one of this program. @type {Sandbox | undefined} */
let common;

function shared() {
  common ??= new Sandbox();
  return common;
}

/** @type {typeof import('./index.js')} */
const all = {
  Sandbox,
  SandboxError,
  /** @param {[any, any?, any?]} words */
  run: (...words) => shared().run(...words),
  /** @param {[any, any?, any?]} words */
  spawn: (...words) => shared().spawn(...words),
  describe: (...words) => shared().describe(...words),
  check: (...words) => shared().check(...words),
  close: async () => {
    const old = common;
    common = undefined;
    await old?.close();
  },
};
module.exports = all;
