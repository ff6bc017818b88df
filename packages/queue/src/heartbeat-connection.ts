/** Exports what the watchdog thread needs and nothing more, because every worker keeps such a thread in memory. */
export { connectTarget } from './connect-target.ts';
export {
  writeHeartbeat,
  BLOCKED_AFTER_MS,
  HEARTBEAT_INTERVAL_MS,
  heartbeatIntervalMs,
  leaveFleet,
} from './heartbeat.ts';
