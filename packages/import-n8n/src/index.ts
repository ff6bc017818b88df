export { type ImportedWorkflow, importN8n, type ImportPort } from './import-n8n.js';
export { NotAWorkflowError } from './workflow.js';
