// SPDX-License-Identifier: MIT
// A tool for an agent, in the shape that LangChain and its like take: a name,
// a description, a schema, and a function that answers with a text.

import { run, SandboxError } from 'omega-sandbox';

export const shell = {
  name: 'shell',
  description: 'Run a shell command in the work directory, without network.',
  schema: {
    type: 'object',
    properties: { command: { type: 'string' } },
    required: ['command'],
  },
  async invoke({ command }, { workDir = process.cwd(), signal } = {}) {
    try {
      const end = await run('sh', ['-c', command], {
        policy: 'tool',
        cwd: workDir,
        timeout: 60_000,
        maxOutput: 30_000,
        signal,
      });
      const how = end.timedOut ? 'timed out' : `exit ${end.exitCode ?? end.signal}`;
      return `${end.stdout}${end.stderr}[${how}]`;
    } catch (error) {
      if (error instanceof SandboxError) return `refused: ${error.message}`;
      throw error;
    }
  },
};
