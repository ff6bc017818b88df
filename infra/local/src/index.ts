export * from './free-port.js';
export * from './log-tail.js';
export * from './managed-process.js';
export * from './postgres.js';
export * from './redis.js';
export * from './redis-server.js';
export * from './wait-ready.js';
