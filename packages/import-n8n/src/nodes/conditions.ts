import type { JsonObject, JsonValue } from '@deckhand/contracts';
import type { Scope } from '../expressions/scope.ts';
import { toExpression } from '../expressions/template.ts';
import { unsupported } from '../unsupported.ts';
import { list, lookup, object, show, text } from '../workflow.ts';

/** How values of a type are compared: the operation, by both sides. */
type Operations = Readonly<Record<string, (left: string, right: string) => string>>;

const exists = (left: string): string => `(${left} !== undefined && ${left} !== null)`;
const notExists = (left: string): string => `(${left} === undefined || ${left} === null)`;
const EXISTS: Operations = { exists, notExists };

const NUMBERS: Operations = {
  ...EXISTS,
  equals: (left, right) => `${left} === ${right}`,
  notEquals: (left, right) => `${left} !== ${right}`,
  gt: (left, right) => `${left} > ${right}`,
  lt: (left, right) => `${left} < ${right}`,
  gte: (left, right) => `${left} >= ${right}`,
  lte: (left, right) => `${left} <= ${right}`,
  empty: notExists,
  notEmpty: exists,
};

const OPERATIONS: Readonly<Record<string, Operations>> = {
  string: {
    ...EXISTS,
    equals: (left, right) => `${left} === ${right}`,
    notEquals: (left, right) => `${left} !== ${right}`,
    contains: (left, right) => `(${left}?.includes(${right}) ?? false)`,
    notContains: (left, right) => `!(${left}?.includes(${right}) ?? false)`,
    startsWith: (left, right) => `(${left}?.startsWith(${right}) ?? false)`,
    notStartsWith: (left, right) => `!(${left}?.startsWith(${right}) ?? false)`,
    endsWith: (left, right) => `(${left}?.endsWith(${right}) ?? false)`,
    notEndsWith: (left, right) => `!(${left}?.endsWith(${right}) ?? false)`,
    empty: (left) => `((${left} ?? '') === '')`,
    notEmpty: (left) => `((${left} ?? '') !== '')`,
  },
  number: NUMBERS,
  boolean: {
    ...EXISTS,
    true: (left) => `${left} === true`,
    false: (left) => `${left} === false`,
    equals: (left, right) => `${left} === ${right}`,
    notEquals: (left, right) => `${left} !== ${right}`,
    empty: notExists,
    notEmpty: exists,
  },
  dateTime: {
    ...EXISTS,
    equals: (left, right) => `date(${left}) === date(${right})`,
    notEquals: (left, right) => `date(${left}) !== date(${right})`,
    after: (left, right) => `date(${left}) > date(${right})`,
    before: (left, right) => `date(${left}) < date(${right})`,
    afterOrEquals: (left, right) => `date(${left}) >= date(${right})`,
    beforeOrEquals: (left, right) => `date(${left}) <= date(${right})`,
    empty: notExists,
    notEmpty: exists,
  },
  array: {
    ...EXISTS,
    contains: (left, right) => `(${left}?.includes(${right}) ?? false)`,
    notContains: (left, right) => `!(${left}?.includes(${right}) ?? false)`,
    lengthEquals: (left, right) => `${left}?.length === ${right}`,
    lengthNotEquals: (left, right) => `${left}?.length !== ${right}`,
    lengthGt: (left, right) => `${left}?.length > ${right}`,
    lengthLt: (left, right) => `${left}?.length < ${right}`,
    lengthGte: (left, right) => `${left}?.length >= ${right}`,
    lengthLte: (left, right) => `${left}?.length <= ${right}`,
    empty: (left) => `((${left} ?? []).length === 0)`,
    notEmpty: (left) => `((${left} ?? []).length > 0)`,
  },
  object: {
    ...EXISTS,
    empty: (left) => `(Object.keys(${left} ?? {}).length === 0)`,
    notEmpty: (left) => `(Object.keys(${left} ?? {}).length > 0)`,
  },
};

/** How values are compared, as options of the node say. */
interface Comparison {
  readonly isLoose: boolean;
  readonly ignoresCase: boolean;
}

/** Returns how a node compares values. Some versions have this beside their options. */
export function comparisonOf(parameters: JsonObject): Comparison {
  const { looseTypeValidation, ignoreCase } = object(parameters.options);
  return {
    isLoose: looseTypeValidation === true || parameters.looseTypeValidation === true,
    ignoresCase: ignoreCase === true,
  };
}

/** Converts the conditions of If, Filter and Switch from version 2 on, to an expression. @throws UnsupportedError */
export function convertConditions(
  given: JsonValue | undefined,
  scope: Scope,
  { isLoose, ignoresCase }: Comparison,
): string {
  const { conditions, combinator = 'and', options } = object(given);
  const { caseSensitive = true, typeValidation = 'strict' } = object(options);
  const rules = list(conditions).map((each) =>
    convertCondition(object(each), scope, {
      ignoresCase: ignoresCase || caseSensitive === false,
      isLoose: isLoose || typeValidation === 'loose',
    }),
  );
  if (rules.length === 0) return 'true';
  if (combinator !== 'and' && combinator !== 'or') return unsupported('conditions are combined by "and" or "or"');
  return rules.map((each) => `(${each})`).join(combinator === 'and' ? ' && ' : ' || ');
}

function convertCondition(
  { leftValue, rightValue, operator }: JsonObject,
  scope: Scope,
  { ignoresCase, isLoose }: Comparison,
): string {
  const { type, operation } = object(operator);
  const build = lookup(lookup(OPERATIONS, type) ?? {}, operation);
  if (!build) return unsupported(`the condition "${show(type)} ${show(operation)}" has no equivalent`);
  const [left, right] = [toExpression(leftValue, scope), toExpression(rightValue, scope)];
  if (!isLoose) scope.review('n8n fails if a value has not the type that the condition names, here it is false');
  const cast = (side: string): string => (isLoose ? loosely(type, side) : side);
  const fold = (side: string): string =>
    ignoresCase && type === 'string' ? `String(${side} ?? '').toLowerCase()` : side;
  return build(fold(cast(left)), fold(cast(right)));
}

function loosely(type: JsonValue | undefined, side: string): string {
  if (type === 'number') return `Number(${side})`;
  if (type === 'string') return `String(${side} ?? '')`;
  return side;
}

const OLD_NAMES: Readonly<Record<string, string>> = {
  equal: 'equals',
  notEqual: 'notEquals',
  larger: 'gt',
  largerEqual: 'gte',
  smaller: 'lt',
  smallerEqual: 'lte',
  contains: 'contains',
  notContains: 'notContains',
  startsWith: 'startsWith',
  notStartsWith: 'notStartsWith',
  endsWith: 'endsWith',
  notEndsWith: 'notEndsWith',
  isEmpty: 'empty',
  isNotEmpty: 'notEmpty',
  after: 'after',
  before: 'before',
};

/** The operation of conditions of version 1 that name none. */
const OLD_DEFAULTS: Readonly<Record<string, string>> = {
  string: 'equal',
  number: 'smaller',
  boolean: 'equal',
  dateTime: 'after',
};

/** Converts a rule of If and Switch before version 2. @throws UnsupportedError */
export function convertOldRule(type: string, rule: JsonObject, left: JsonValue | undefined, scope: Scope): string {
  const operation = lookup(OLD_NAMES, text(rule.operation) ?? lookup(OLD_DEFAULTS, type));
  const build = lookup(lookup(OPERATIONS, type) ?? {}, operation);
  if (!build) return unsupported(`the condition "${type} ${show(rule.operation)}" has no equivalent`);
  const side = (value: JsonValue | undefined): string => {
    const expression = toExpression(value, scope);
    return type === 'boolean' || type === 'dateTime' ? expression : loosely(type, expression);
  };
  return build(side(left), side(rule.value2));
}

/**
 * Converts the conditions of If before version 2: lists of rules by the type of the values.
 * @throws UnsupportedError
 */
export function convertOldConditions(parameters: JsonObject, scope: Scope): string {
  const rules = Object.entries(object(parameters.conditions)).flatMap(([type, each]) =>
    list(each).map((rule) => `(${convertOldRule(type, object(rule), object(rule).value1, scope)})`),
  );
  if (rules.length === 0) return 'true';
  return rules.join(parameters.combineOperation === 'any' ? ' || ' : ' && ');
}
