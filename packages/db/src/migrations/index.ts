export * from './apply-migrations.ts';
export * from './pending-migrations.ts';
