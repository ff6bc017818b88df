export { createFairSemaphore } from './code/fair-semaphore.js';
export { createScriptRunner, type PooledScriptRunner, type ScriptRunnerOptions } from './code/runner.js';
export { createHttpClient, type HttpClientOptions, type PooledHttpClient } from './http/client.js';
export type { ProxySettings } from './http/proxy.js';
export { createMailSender } from './email/send.js';
export { createPostgresClient, type PooledPostgresClient } from './postgres/client.js';
export { loadNodeTypes } from './load-node-types.js';
export { compileTriggerOptions } from './trigger/key-options.js';
export { type DueRule, nextDueTime } from './trigger/next-due.js';
