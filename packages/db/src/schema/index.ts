export * from './compare-schema.js';
export { readPrismaStatus } from './schema-engine.js';
export * from './write-migration.js';
