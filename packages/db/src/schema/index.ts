export * from './compare-schema.js';
export * from './write-migration.js';
