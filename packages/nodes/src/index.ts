export { loadNodeTypes } from './load-node-types.js';
