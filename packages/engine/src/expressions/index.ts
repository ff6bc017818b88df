export { compileExpression, type CompiledExpression } from './compile-source.ts';
export type { ExpressionIssue } from './compile-source.ts';
export { explainNameOfN8n } from './compile/members.ts';
export { ExpressionError } from './error.ts';
export type { EvaluateJson } from './run.ts';
export type { ExpressionErrorCode } from './error.ts';
export { expressionFunctions, type ExpressionFunction } from './functions/catalogue.ts';
export { defaultLimits, type ExpressionLimits } from './limits.ts';
export {
  compileParameters,
  type CompiledParameters,
  type ParameterIssue,
  type ParameterOptions,
} from './parameters.ts';
export type { ExpressionName, ExpressionReferences, ExpressionScope, LoopScope } from './scope.ts';
export { exampleLink } from './links.ts';
export { compileTemplate, type CompiledTemplate, isExpression } from './template.ts';
export { compileTriggerExpression, KEY_NAMES } from './template.ts';
