// SPDX-License-Identifier: MIT
export * from './index.js';
import * as sandbox from './index.js';
export default sandbox;
