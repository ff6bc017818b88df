export { compileExpression, type CompiledExpression } from './compile-expression.js';
export type { ExpressionIssue } from './compile-source.js';
export { ExpressionError } from './error.js';
export type { EvaluateJson } from './evaluate.js';
export type { ExpressionErrorCode } from './failure.js';
export { expressionFunctions, type ExpressionFunction } from './functions/catalogue.js';
export { defaultLimits, type ExpressionLimits } from './limits.js';
export {
  compileParameters,
  type CompiledParameters,
  type ParameterIssue,
  type ParameterOptions,
} from './parameters.js';
export type { ExpressionName, ExpressionReferences, ExpressionScope, LoopScope } from './scope.js';
export { exampleLink } from './links.js';
export { compileTemplate, type CompiledTemplate } from './template.js';
export { compileTriggerExpression, KEY_NAMES } from './trigger-expression.js';
