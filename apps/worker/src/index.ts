export { startWorker, type Worker, type WorkerOptions } from './worker.js';
export { WorkerSettings } from './settings.js';
