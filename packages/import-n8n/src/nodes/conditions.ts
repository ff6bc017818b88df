import type { JsonObject, JsonValue } from '@deckhand/contracts';
import type { Scope } from '../expressions/scope.ts';
import { isExpression, toExpression } from '../expressions/template.ts';
import { unsupported } from '../unsupported.ts';
import { list, lookup, object, show, text } from '../workflow.ts';

const EXISTS = ['exists', 'notExists'];
const EMPTY = [...EXISTS, 'empty', 'notEmpty'];
const EQUALS = [...EMPTY, 'equals', 'notEquals'];

/** The operations of n8n's filters by the type of their values: `check` has the same ones, with the same results. */
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  any: EXISTS,
  string: [
    ...EQUALS,
    ...['contains', 'notContains', 'startsWith', 'notStartsWith', 'endsWith', 'notEndsWith', 'regex', 'notRegex'],
  ],
  number: [...EQUALS, 'gt', 'lt', 'gte', 'lte'],
  boolean: [...EQUALS, 'true', 'false'],
  dateTime: [...EQUALS, 'after', 'before', 'afterOrEquals', 'beforeOrEquals'],
  array: [
    ...[...EMPTY, 'contains', 'notContains', 'lengthEquals', 'lengthNotEquals'],
    ...['lengthGt', 'lengthLt', 'lengthGte', 'lengthLte'],
  ],
  object: EMPTY,
};

/** How a node compares values. */
interface Comparison {
  readonly isLoose: boolean;
  readonly ignoresCase: boolean;
  /** The version of n8n's conversions, which is not that of the node. */
  readonly version: number;
}

/** Reads the options that are within conditions. Those of the node beside them are for the editor alone. */
function comparisonOf(options: JsonObject): Comparison {
  const { caseSensitive = true, typeValidation = 'strict', version = 1 } = options;
  if ([caseSensitive, typeValidation, version].some(isExpression)) {
    return unsupported('options of conditions that are expressions');
  }
  return { isLoose: typeValidation !== 'strict', ignoresCase: caseSensitive !== true, version: Number(version) };
}

/** Converts the conditions of If, Filter and Switch from version 2 on, to an expression. @throws UnsupportedError */
export function convertConditions(given: JsonValue | undefined, scope: Scope): string {
  const { conditions, combinator = 'and', options } = object(given);
  // Without a list, there is nothing that n8n could check.
  if (!Array.isArray(conditions)) return 'true';
  if (combinator !== 'and' && combinator !== 'or') return unsupported('conditions are combined by "and" or "or"');
  const comparison = comparisonOf(object(options));
  const rules = list(conditions).map((each) => convertCondition(object(each), scope, comparison));
  return combine(rules, combinator === 'and');
}

function combine(rules: readonly string[], isEvery: boolean): string {
  if (rules.length === 0) return String(isEvery);
  return rules.join(isEvery ? ' && ' : ' || ');
}

function convertCondition(
  { leftValue, rightValue, operator }: JsonObject,
  scope: Scope,
  { isLoose, ignoresCase, version }: Comparison,
): string {
  const { type, operation, singleValue, rightType } = object(operator);
  const operations = lookup(OPERATIONS, type);
  if (typeof type !== 'string' || !operations) {
    return unsupported(`the condition "${show(type)} ${show(operation)}" has no equivalent`);
  }
  const isKnown = operations.includes(show(operation));
  if (!isKnown) scope.review(`n8n has no condition "${type} ${show(operation)}": there and here, it is never met`);
  const name = isKnown ? show(operation) : 'exists';
  const hasLength = type === 'array' && name.startsWith('length');
  const expected = hasLength ? 'number' : type === 'array' && /contains$/i.test(name) ? 'any' : type;
  const isIgnored = singleValue === true || (EMPTY.includes(name) && rightType === 'any');
  const hasRight = !isIgnored && rightValue !== undefined && rightValue !== null;
  if (hasRight && (rightType ?? type) !== expected) {
    return unsupported(`the condition "${type} ${name}" with a value of the type ${show(rightType ?? type)}`);
  }
  reviewDifferences(type, name, isLoose, scope);
  const comparesTexts = !EMPTY.includes(name) && (type === 'string' || (type === 'array' && !hasLength));
  const flags = [
    ...(isLoose && type !== 'any' && type !== 'dateTime' ? ['loose'] : []),
    ...(ignoresCase && comparesTexts ? ['ignoreCase'] : []),
    ...(version >= 3 && (type === 'number' || hasLength) ? ['emptyIsNull'] : []),
    ...(version < 2 && isLoose && type === 'boolean' ? ['truthy'] : []),
  ].map((flag) => `'${flag}'`);
  // Null is not what a missing value is: they are not equal.
  const isNull = !isIgnored && rightValue === null;
  const right = hasRight ? [toExpression(rightValue, scope)] : isNull || flags.length > 0 ? ['null'] : [];
  const check = `check.${type}(${[toExpression(leftValue, scope), `'${name}'`, ...right, ...flags].join(', ')})`;
  return isKnown ? check : `(${check} && false)`;
}

/** Names what differs from n8n, where `check` is not the same. */
function reviewDifferences(type: string, operation: string, isLoose: boolean, scope: Scope): void {
  if (type === 'dateTime') {
    scope.review('dates fail here if they are not text such as 2026-11-20 or 2026-11-20T08:15:00Z');
    if (scope.timezone !== 'UTC') scope.review('dates without a time zone are in UTC here');
  }
  if (/regex$/i.test(operation)) reviewPatterns(scope);
  if (type === 'object' && isLoose) scope.review('text fails here if it is an object of JavaScript, but not JSON');
}

function reviewPatterns(scope: Scope): void {
  scope.review(
    'regular expressions fail here if they have look-around, back references or the flag y; \\s, \\w and "." differ for characters beyond ASCII',
  );
}

const falsy = (side: string, otherwise: string): string =>
  /^(?:-?[\d.]+|"[^"\\]+")$/.test(side) ? side : `(${side} || ${otherwise})`;
const compareNumbers =
  (operator: string) =>
  (left: string, right: string): string =>
    `${falsy(left, '0')} ${operator} ${falsy(right, '0')}`;
const asText = (side: string): string => (/^"[^"\\]+"$/.test(side) ? side : `String(${falsy(side, "''")})`);

/** The operations before version 2, which are those of JavaScript, whatever the type. */
const OLD_OPERATIONS: Readonly<Record<string, (left: string, right: string) => string>> = {
  equal: (left, right) => `${left} === ${right}`,
  notEqual: (left, right) => `${left} !== ${right}`,
  larger: compareNumbers('>'),
  largerEqual: compareNumbers('>='),
  smaller: compareNumbers('<'),
  smallerEqual: compareNumbers('<='),
  after: compareNumbers('>'),
  before: compareNumbers('<'),
  contains: (left, right) => `${asText(left)}.includes(${asText(right)})`,
  notContains: (left, right) => `!${asText(left)}.includes(${asText(right)})`,
  startsWith: (left, right) => `(${left}).startsWith(${right})`,
  notStartsWith: (left, right) => `!(${left}).startsWith(${right})`,
  endsWith: (left, right) => `(${left}).endsWith(${right})`,
  notEndsWith: (left, right) => `!(${left}).endsWith(${right})`,
  isEmpty: (left) => `check.any(${left}, 'empty')`,
  isNotEmpty: (left) => `check.any(${left}, 'notEmpty')`,
  regex: (left, right) => `check.string(${asText(left)}, 'regex', ${asText(right)})`,
  notRegex: (left, right) => `check.string(${asText(left)}, 'notRegex', ${asText(right)})`,
};

/** What exports omit of a rule before version 2, in the order in which n8n checks the types. */
const OLD_DEFAULTS = {
  boolean: { operation: 'equal', value: false },
  dateTime: { operation: 'after', value: '' },
  number: { operation: 'smaller', value: 0 },
  string: { operation: 'equal', value: '' },
} as const;

const rank = (type: string): number => Object.keys(OLD_DEFAULTS).indexOf(type);

/**
 * Converts a rule of If, Filter and Switch before version 2 (Switch: 3).
 * @param left the first value, if it is not the rule's own.
 * @throws UnsupportedError
 */
export function convertOldRule(type: string, rule: JsonObject, scope: Scope, left = rule.value1): string {
  const defaults = lookup(OLD_DEFAULTS, type) ?? unsupported(`conditions on values of the type "${type}"`);
  const operation = text(rule.operation) ?? defaults.operation;
  const build = lookup(OLD_OPERATIONS, operation);
  if (!build) return unsupported(`the condition "${type} ${operation}" has no equivalent`);
  if (operation.endsWith('egex')) reviewPatterns(scope);
  const sides = [left, rule.value2].map((side) => toExpression(side ?? defaults.value, scope));
  const [one = '', other = ''] = sides;
  if (type !== 'dateTime') return build(one, other);
  scope.review('dates fail here if they are neither numbers nor text such as 2026-11-20 or 2026-11-20T08:15:00Z');
  if (scope.timezone !== 'UTC') scope.review('dates without a time zone are in UTC here');
  return `date(${one}) ${operation === 'before' ? '<' : '>'} date(${other})`;
}

/**
 * Converts the conditions of If and Filter before version 2: lists of rules by the type of the values.
 * @param isEvery whether all rules must be met, or any.
 * @throws UnsupportedError
 */
export function convertOldConditions(parameters: JsonObject, scope: Scope, isEvery: boolean): string {
  const byType = Object.entries(object(parameters.conditions)).toSorted(([one], [other]) => rank(one) - rank(other));
  const rules = byType.flatMap(([type, given]) =>
    list(given).map((rule) => `(${convertOldRule(type, object(rule), scope)})`),
  );
  return combine(rules, isEvery);
}
