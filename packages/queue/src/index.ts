export { advanceVirtualTime } from './bullmq/bullmq-layout.js';
export { openRunConsumer, type RunConsumerOptions } from './bullmq/bullmq-run-consumer.js';
export { createRunQueue } from './bullmq/bullmq-run-queue.js';
export * from './channels.js';
export { connectRedis, type Redis, type RedisRole } from './connect.js';
export * from './drain-request.js';
export {
  type CountExecution,
  createExecutionCounter,
  createExecutionRate,
  type ExecutionRate,
} from './execution-rate.js';
export * from './fleet-view.js';
export {
  writeHeartbeat,
  BLOCKED_AFTER_MS,
  HEARTBEAT_LIFETIME_MS,
  heartbeatIntervalMs,
  type WorkerDescription,
  type WorkerState,
} from './heartbeat.js';
export { JOB_VERSION, type JobData, readJob } from './job-format.js';
export * from './lease.js';
export { createLiveness, type Liveness } from './liveness.js';
export * from './names.js';
export * from './read-fleet.js';
export { openQueueShards, type QueueProducer, type QueueShards, shardOf } from './queue-shards.js';
export { readRedisUrl, type RedisTarget } from './redis-url.js';
export type { QueuedRun, RunJob, RunSnapshot } from './run-job.js';
export * from './run-queue.js';
export * from './traffic.js';
export { createWakeUps, MAX_WAIT_MS, type WakeUps } from './wake-ups.js';
export { createWindowRate, type RateLimit, type WindowCount, type WindowRate } from './window-rate.js';
export { isOutOfMemory, probeRedisWrites } from './write-probe.js';
