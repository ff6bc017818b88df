export { compileWorkflow } from './compile/compile-workflow.js';
export type { CompiledWorkflow, CompileResult, GraphTrigger } from './compile/graph.js';
export * from './expressions/index.js';
export * from './node-type.js';
export type { Ending, EnginePorts, RunControl, RunRequest } from './run/ports.js';
export { type NodeRecord, type RecordedError, recordKey } from './run/records.js';
export { storedWait } from './run/node-state.js';
export { runExecution } from './run/run-execution.js';
