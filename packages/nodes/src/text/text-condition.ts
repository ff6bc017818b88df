import type { JsonValue, ValidationIssue } from '@deckhand/contracts';

/** Warns of a condition that is a text without `{{ }}`: such a text is always true unless it is empty. */
export function warnOfText(condition: JsonValue | undefined): ValidationIssue[] {
  if (typeof condition !== 'string' || condition === '' || condition.includes('{{')) return [];
  const message = 'the condition is a text, which is always true: an expression is in {{ }}';
  return [{ path: 'condition', message }];
}
