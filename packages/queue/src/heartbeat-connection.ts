/** What a thread needs that only sends heartbeats: it loads little else, as every worker keeps one such thread. */
export { connectTarget } from './connect-target.js';
export { writeHeartbeat, BLOCKED_AFTER_MS, HEARTBEAT_INTERVAL_MS, leaveFleet } from './heartbeat.js';
