export { advanceVirtualTime } from './bullmq/bullmq-layout.ts';
export { openRunConsumer, type RunConsumerOptions } from './bullmq/bullmq-run-consumer.ts';
export { createRunQueue } from './bullmq/bullmq-run-queue.ts';
export * from './channels.ts';
export { connectRedis, type Redis, type RedisRole } from './connect.ts';
export * from './drain-request.ts';
export * from './fleet-view.ts';
export {
  writeHeartbeat,
  BLOCKED_AFTER_MS,
  HEARTBEAT_LIFETIME_MS,
  heartbeatIntervalMs,
  type WorkerDescription,
  type WorkerState,
} from './heartbeat.ts';
export { JOB_VERSION, type JobData, readJob } from './run-job.ts';
export * from './lease.ts';
export { createLiveness, type Liveness } from './liveness.ts';
export * from './names.ts';
export * from './read-fleet.ts';
export { openQueueShards, type QueueProducer, type QueueShards, shardOf } from './queue-shards.ts';
export { readRedisUrl, type RedisTarget } from './redis-url.ts';
export type { QueuedRun, RunJob, RunSnapshot } from './run-job.ts';
export * from './run-queue.ts';
export { createTrafficControl } from './traffic-control.ts';
export * from './traffic.ts';
export { createWakeUps, MAX_WAIT_MS, type WakeUps } from './wake-ups.ts';
export {
  createExecutionRate,
  createWindowRate,
  type RateLimit,
  type WindowCount,
  type WindowRate,
} from './window-rate.ts';
export { isOutOfMemory, probeRedisWrites } from './write-probe.ts';
