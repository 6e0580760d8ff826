// SPDX-License-Identifier: MIT
// As types.mts, for CommonJS.

import sandbox = require('omega-sandbox');

const end: Promise<sandbox.Result> = sandbox.run('true');
export = end;
