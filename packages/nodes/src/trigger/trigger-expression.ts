import type { JsonValue, ValidationIssue } from '@deckhand/contracts';
import {
  type CompiledTemplate,
  compileTriggerExpression,
  ExpressionError,
  type ExpressionLimits,
} from '@deckhand/engine';

/** The maximum length of the text of such an expression, in characters. */
export const MAX_TRIGGER_EXPRESSION_LENGTH = 1_000;

/**
 * Lower than those of nodes: they are evaluated by processes that serve many callers, a few milliseconds of work at
 * most.
 */
const LIMITS: ExpressionLimits = { steps: 5_000, producedBytes: 262_144, resultBytes: 16_384 };

/** Returns the issues of the parameter that such an expression is in. */
export function findTriggerExpressionIssues(path: string, text: unknown): ValidationIssue[] {
  if (typeof text !== 'string') return [];
  const compiled = compileTriggerExpression(text);
  return 'message' in compiled ? [{ path, message: compiled.message }] : [];
}

/** The value of such an expression, or why there is none: a message without data. */
type TriggerValue = { readonly value: JsonValue } | { readonly failure: string };

/** Evaluates such an expression within limits of work and size. */
export function evaluateOnTrigger(template: CompiledTemplate, trigger: JsonValue): TriggerValue {
  try {
    const value = template.evaluate(
      {
        trigger,
        input: undefined,
        node: () => undefined,
        vars: {},
        execution: { id: '', mode: 'normal' },
        now: () => new Date().toISOString(),
      },
      LIMITS,
    );
    return { value };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { failure: error.message };
  }
}

/**
 * Evaluates such an expression to a key: a text, number or boolean as text, or undefined for null and the empty text.
 * A key has at most `maxLength` characters.
 */
export function evaluateKey(
  template: CompiledTemplate,
  trigger: JsonValue,
  maxLength: number,
): { readonly key: string | undefined } | { readonly failure: string } {
  const evaluated = evaluateOnTrigger(template, trigger);
  if ('failure' in evaluated) return evaluated;
  const { value } = evaluated;
  if (value === null || value === '') return { key: undefined };
  if (typeof value === 'object') return { failure: 'the result is not text, number or boolean' };
  const key = String(value);
  if (key.length > maxLength) return { failure: `the result has more than ${maxLength} characters` };
  if (!key.isWellFormed()) return { failure: 'the result has half a surrogate pair' };
  return key.includes('\0') ? { failure: 'the result contains a NUL character' } : { key };
}
