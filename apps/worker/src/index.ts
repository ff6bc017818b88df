export { startWorker, type Worker, type WorkerOptions } from './worker.js';
