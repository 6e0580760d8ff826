// SPDX-License-Identifier: MIT
// index.mjs - the same package for import.

import sandbox from './index.js';

export const { Sandbox, SandboxError, run, spawn, describe, check, close } =
  sandbox;
export default sandbox;
