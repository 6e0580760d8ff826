// SPDX-License-Identifier: MIT
// Copyright (C) 2026 the omega-sandbox authors

/*
 * index.d.ts - what the package has. Commands run in a sandbox that the policy
 * of the system and of the call describe, or not at all.
 */

import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';

/** Lists of sandbox.conf(5): what a list does not have is refused. */
export interface Paths {
  read?: string[];
  write?: string[];
  execute?: string[];
  deny?: string[];
  denyRead?: string[];
  denyWrite?: string[];
}

export interface Limits {
  /** Bytes of memory of each process. */
  memory?: number;
  processes?: number;
  openFiles?: number;
  cpuSeconds?: number;
  /** Bytes of a file that is written. */
  fileSize?: number;
}

/** Under which policy. All of it only takes away from what is allowed. */
export interface UnderOptions {
  policy?: string;
  /** A tier of trust, which names its policy. */
  tier?: string;
  /** The profile of an agent program. */
  agent?: string;
  /** These backends, comma-separated; "noop" protects nothing. */
  backend?: string;
  /** The agent's data, which no command reads or changes. */
  dataDir?: string;
  /** What policies call {work_dir}; the directory of the command if absent. */
  workDir?: string;
  network?: 'allow' | 'unix-only' | 'deny';
  /** The hosts that can be reached, and nothing else outside. */
  hosts?: string[];
  unixSockets?: 'all' | 'own' | 'none';
  session?: 'new' | 'pty' | 'keep';
  /** Have the command's process try its sandbox before it begins. */
  witness?: boolean;
  paths?: Paths;
  limits?: Limits;
  /** Any other rules of a policy, by their names in sandbox.conf(5). */
  set?: Record<
    string,
    string | number | boolean | (string | number | boolean)[]
  >;
}

export interface CommandOptions extends UnderOptions {
  /** The current directory if absent. */
  cwd?: string;
  /** If absent, what this program's was when the sandbox was started. Secrets
   * are taken out in any case. */
  env?: NodeJS.ProcessEnv;
  /** Words for the audit log. */
  context?: string;
  /** Milliseconds, after which all of its processes are ended. */
  timeout?: number;
  /** Milliseconds between SIGTERM and SIGKILL. */
  grace?: number;
  /** Bytes of both streams that are kept, or passed on. */
  maxOutput?: number;
  /** Ends the command with all of its processes. */
  signal?: AbortSignal;
}

export interface RunOptions extends CommandOptions {
  /** Standard input; nothing if absent. */
  input?: string | Uint8Array;
  /** Of the output; "utf8" if absent, "buffer" for a Buffer. */
  encoding?: BufferEncoding | 'buffer';
  /** Reject, with code "exit", unless the command exits with 0. */
  check?: boolean;
}

export interface SpawnOptions extends CommandOptions {
  /** "pipe" if absent; "ignore": there is none. */
  stdin?: 'pipe' | 'ignore';
}

/** One sentence about what is held, as omega-sandbox describe has it. */
export interface Guarantee {
  text: string;
  kind: string;
  [more: string]: unknown;
}

export interface End {
  /** null when a signal ended it. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Was every required guarantee enforced? */
  protected: boolean;
  truncated: boolean;
  timedOut: boolean;
  cancelled: boolean;
  durationMs: number;
  cpuMs: number;
  peakMemory: number;
  /** So many processes could not be ended. */
  processesLeft: number;
  /** Hosts that were not reached, by the rule hosts. */
  refusedHosts: {
    host: string;
    port: number | null;
    count: number;
    why: string;
  }[];
  stdoutBytes: number;
  stderrBytes: number;
  guarantees: Guarantee[];
}

export interface Result<T = string> extends End {
  stdout: T;
  stderr: T;
}

export interface Report {
  guarantees: Guarantee[];
  [more: string]: unknown;
}

export interface Checked {
  access: 'read' | 'write' | 'execute';
  /** Is any of them? */
  blocked: boolean;
  results: {
    path: string;
    blocked: boolean;
    reason: string;
    rule?: string;
    origin?: string;
    line?: number;
    resolved?: string;
    error?: string;
  }[];
}

/**
 * The command was not run, or its end is not known. code is that of the
 * library in small letters ("not_found", "refused", "required",
 * "invalid_policy", ...), "lost" when omega-sandbox itself was ended,
 * "unavailable" when it could not be started, "exit" with the option check.
 */
export class SandboxError extends Error {
  constructor(code: string, message: string, number?: number);
  code: string;
  /** That of the library, or 0. */
  number: number;
  /** With code "exit". */
  result?: Result<any>;
}

/** As a ChildProcess of node:child_process. */
export interface SandboxProcess extends EventEmitter {
  readonly pid?: number;
  readonly spawnfile: string;
  readonly spawnargs: string[];
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly stdio: readonly [Writable | null, Readable, Readable];
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  readonly killed: boolean;
  /** How it ended; rejected as 'error' is told. */
  readonly done: Promise<End>;
  /** Send its process a signal. False: it has ended. */
  kill(signal?: NodeJS.Signals | number): boolean;
  on(event: 'spawn', listener: () => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  on(event: 'stopped', listener: (signal: NodeJS.Signals) => void): this;
  on(
    event: 'exit' | 'close',
    listener: (code: number | null, signal: NodeJS.Signals | null) => void
  ): this;
  on(event: string | symbol, listener: (...args: any[]) => void): this;
}

export interface SandboxOptions {
  /** The program; $OMEGA_SANDBOX_TOOL or "omega-sandbox" if absent. */
  tool?: string;
  /** A configuration instead of the installed one. */
  config?: string;
  /** Commands at a time; 128 if absent, 256 at most. Others wait. */
  jobs?: number;
  /** The environment of the program, and of commands without their own. */
  env?: NodeJS.ProcessEnv;
  /** Told what it says on standard error; else that is passed on. */
  onLog?: (text: string) => void;
}

/**
 * One omega-sandbox rpc, started by the first request, and again when it has
 * ended; whoever waited for an answer then is told (code "lost"). It does not
 * keep the program running while nothing is under way.
 */
export class Sandbox {
  constructor(options?: SandboxOptions);
  /** Run a command to its end. */
  run(
    command: string,
    args: readonly string[],
    options: RunOptions & { encoding: 'buffer' }
  ): Promise<Result<Buffer>>;
  run(
    command: string,
    args?: readonly string[],
    options?: RunOptions
  ): Promise<Result>;
  run(command: string, options: RunOptions): Promise<Result>;
  /** Start a command, as child_process.spawn does. */
  spawn(
    command: string,
    args?: readonly string[],
    options?: SpawnOptions
  ): SandboxProcess;
  spawn(command: string, options: SpawnOptions): SandboxProcess;
  /** What would be held, by whom, and what not. Nothing is started. */
  describe(options?: UnderOptions): Promise<Report>;
  /** May these paths be touched? */
  check(
    access: 'read' | 'write' | 'execute',
    paths: string | readonly string[],
    options?: UnderOptions
  ): Promise<Checked>;
  /** Wait for what is under way and end it. */
  close(): Promise<void>;
}

/** Of a Sandbox that the whole program shares. */
export const run: Sandbox['run'];
export const spawn: Sandbox['spawn'];
export const describe: Sandbox['describe'];
export const check: Sandbox['check'];
export const close: Sandbox['close'];
