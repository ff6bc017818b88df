export { createHttpClient, type PooledHttpClient } from './http/client.js';
export { loadNodeTypes } from './load-node-types.js';
