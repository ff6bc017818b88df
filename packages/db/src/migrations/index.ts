export * from './apply-migrations.js';
export * from './compare-migrations.js';
export * from './pending-migrations.js';
