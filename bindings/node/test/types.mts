// SPDX-License-Identifier: MIT
// What users write, for tsc; it is never run.

import sandbox, { run, spawn, check, SandboxError } from 'omega-sandbox';
import type { Result, RunOptions } from 'omega-sandbox';

const options: RunOptions = {
  policy: 'tool',
  timeout: 1000,
  limits: { memory: 1 << 30 },
  paths: { write: ['/tmp'] },
  set: { fork: false, connect: ['443'] },
};
const end: Result = await run('make', ['test'], options);
const text: string = end.stdout;
const raw: Buffer = (await run('make', [], { encoding: 'buffer' })).stdout;
const child = spawn('cat', { signal: new AbortController().signal });
child.stdout.on('data', (data) => data.length);
child.stdin?.end('x');
child.on('exit', (code, signal) => [code, signal]);
const isBlocked: boolean = (await check('read', '/etc/passwd')).blocked;
const another = new sandbox.Sandbox({ jobs: 4 });
await another.run('true', { cwd: '/' });
if (new SandboxError('x', 'y').code === 'z') child.kill('SIGINT');
// @ts-expect-error: a misspelt option is found
await run('true', [], { timeuot: 1 });
// @ts-expect-error: and so is a value that is none
await run('true', [], { network: 'perhaps' });
export { text, raw, isBlocked };
