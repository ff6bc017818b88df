export { credentialTypesOf } from './compile/check-credential.js';
export { compileInSteps, compileWorkflow } from './compile/compile-workflow.js';
export { findWarnings } from './compile/find-warnings.js';
export type { CompiledWorkflow, CompileResult, GraphTrigger } from './compile/graph.js';
export * from './expressions/index.js';
export { indexOfText } from './find-text.js';
export type { NodeFailure } from './node-failure.js';
export type * from './node-services.js';
export * from './node-type.js';
export type { Script, ScriptResult, ScriptRunner, SourceReferences } from './script.js';
export type { Ending, EnginePorts, RunControl, RunRequest } from './run/ports.js';
export {
  type LoopPosition,
  type AttemptRecord,
  type NodeRecord,
  openIterations,
  type RecordedError,
  recordKey,
} from './run/records.js';
export { begunWait, type BegunWait, waitKey } from './run/node-state.js';
export { idempotencyKeyOf } from './run/node-scope.js';
export { nodesUntil } from './run/nodes-until.js';
export { runExecution } from './run/run-execution.js';
export { reuseRecords } from './run/reuse-records.js';
