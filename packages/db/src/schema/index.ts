export * from './compare-schema.ts';
export { readPrismaStatus } from './schema-engine.ts';
export * from './write-migration.ts';
