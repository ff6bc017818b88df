export * from './batcher.js';
export * from './logger.js';
export * from './secret-box.js';
export * from './settings.js';
export * from './shutdown.js';
