export type * from './agent.ts';
export { credentialTypesOf, issuesOfFixed } from './compile/check-nodes.ts';
export { compileInSteps, compileWorkflow } from './compile/compile-workflow.ts';
export type { CompiledWorkflow, CompileResult, GraphTrigger } from './compile/graph.ts';
export * from './expressions/index.ts';
export { indexOfText } from './find-text.ts';
export { type CredentialLoop, findCredentialLoops } from './lint/credential-loops.ts';
export { findWarnings, findWarningsInSteps } from './lint/find-warnings.ts';
export { MAX_WARNINGS } from './lint/rule.ts';
export type * from './node-context.ts';
export type { ExampleResponse, NodeExample } from './node-example.ts';
export type { NodeFailure } from './node-failure.ts';
export type * from './node-services.ts';
export * from './node-type.ts';
export * from './outcome.ts';
export type { Script, ScriptResult, ScriptRunner, SourceReferences } from './script.ts';
export type { Ending, EnginePorts, RunControl, RunRequest } from './run/ports.ts';
export {
  type LoopPosition,
  type AttemptRecord,
  type NodeRecord,
  openIterations,
  type RecordedError,
  recordKey,
  begunWait,
  type BegunWait,
  storedContainer,
  storedWait,
  waitKey,
} from './run/records.ts';
export { maskSecrets } from './run/secret-mask.ts';
export { idempotencyKeyOf } from './run/node-scope.ts';
export { nodesUntil } from './run/nodes-until.ts';
export { runExecution } from './run/run-execution.ts';
export { mayReach, type RecordedWay, reuseRecords, typesOfNodes } from './run/reuse-records.ts';
