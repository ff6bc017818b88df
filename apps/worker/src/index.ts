export { consumeJobs, type Consumption, type ConsumeOptions } from './consume/consume-jobs.js';
export { createStandby } from './consume/standby.js';
export { createWorkspaceDeletion } from './maintenance/delete-workspaces.js';
export { createMaintenanceLease, type MaintenanceLease } from './maintenance/maintenance-lease.js';
export { createMaintenanceMetrics } from './maintenance/maintenance-metrics.js';
export { createLostJobRecovery } from './maintenance/recover-lost-jobs.js';
export { createFiring, type Firing } from './maintenance/schedules/create-firing.js';
export { startWorker, type Worker, type WorkerOptions } from './worker.js';
export { WorkerSettings } from './settings.js';
