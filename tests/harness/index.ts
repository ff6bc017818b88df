export * from './apps.js';
export * from './cleanup.js';
export * from './databases.js';
export * from './until.js';
export * from './receiver.js';
export * from './seed.js';
export * from './gateway.js';
export * from './worker.js';
