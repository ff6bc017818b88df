export { type ImportedWorkflow, importN8n, type ImportPort } from './import-n8n.ts';
export { toKeptReport } from './kept-report.ts';
export { NotAWorkflowError } from './workflow.ts';
