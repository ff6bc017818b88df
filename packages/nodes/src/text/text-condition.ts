import type { JsonValue, ValidationIssue } from '@deckhand/contracts';

/** Warns of a condition that is a text without an expression: any text but the empty one counts as true. */
export function warnOfText(condition: JsonValue | undefined): ValidationIssue[] {
  if (typeof condition !== 'string' || condition === '' || condition.includes('{{')) return [];
  const message = 'the condition is a text, which is always true: an expression is in {{ }}';
  return [{ path: 'condition', message }];
}
