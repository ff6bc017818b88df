export * from './apply-migrations.js';
export * from './pending-migrations.js';
