import { type ValidationIssue, isJsonObject, type JsonValue } from '@deckhand/contracts';

/**
 * Returns the issues of expressions in a trigger's parameters: these are read before there is a run, so expressions
 * have no values.
 */
export function findExpressions(value: JsonValue, path = ''): ValidationIssue[] {
  if (typeof value === 'string') {
    return value.includes('{{')
      ? [{ path, message: 'is read before a run starts: no expression is possible here' }]
      : [];
  }
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([name, member]) =>
      findExpressions(member, path === '' ? name : `${path}.${name}`),
    );
  }
  if (!Array.isArray(value)) return [];
  const elements: readonly JsonValue[] = value;
  return elements.flatMap((element, index) => findExpressions(element, `${path}[${index}]`));
}
