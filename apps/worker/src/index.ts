export { createFiring, type Firing } from './schedules/create-firing.js';
export { startWorker, type Worker, type WorkerOptions } from './worker.js';
export { WorkerSettings } from './settings.js';
