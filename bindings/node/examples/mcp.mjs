// SPDX-License-Identifier: MIT
// Launches an MCP server in a sandbox; put it before the server's command in
// the configuration of a client:
//
//     node mcp.mjs npx some-mcp-server --flag

import { spawn } from 'omega-sandbox';

const [command, ...args] = process.argv.slice(2);
if (command === undefined) {
  console.error('usage: mcp.mjs COMMAND [ARG...]');
  process.exit(125);
}
const server = spawn(command, args, { policy: 'mcp' });
process.stdin.pipe(server.stdin);
server.stdin.on('error', () => {}); // it has closed its input
server.stdout.pipe(process.stdout);
server.stderr.pipe(process.stderr);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => server.kill(signal));
server.on('error', (error) => {
  console.error(`mcp.mjs: ${error.message}`);
  process.exit(125);
});
server.on('close', (code) => {
  process.exitCode = code ?? 1;
  process.stdin.destroy();
});
