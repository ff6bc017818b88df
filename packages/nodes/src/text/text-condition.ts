import type { JsonValue, ValidationIssue } from '@deckhand/contracts';
import { isExpression } from '@deckhand/engine';

/**
 * Warns of a condition that is a text, which is always true unless it is empty: one without `{{ }}`, or with anything
 * outside of them, even a space.
 */
export function warnOfText(condition: JsonValue | undefined): ValidationIssue[] {
  if (typeof condition !== 'string' || condition === '' || isExpression(condition)) return [];
  const advice = condition.includes('{{')
    ? 'put all of it into one {{ }}, with nothing before and after'
    : 'an expression is in {{ }}';
  return [{ path: 'condition', message: `the condition is a text, which is always true: ${advice}` }];
}
