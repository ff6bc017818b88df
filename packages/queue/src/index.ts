export * from './channels.js';
export * from './connect.js';
export * from './fleet-view.js';
export * from './heartbeat.js';
export * from './lease.js';
export * from './names.js';
export * from './run-queue.js';
export { isOutOfMemory, probeRedisWrites } from './write-probe.js';
