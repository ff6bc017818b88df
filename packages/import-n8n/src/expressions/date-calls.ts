import type { Expression, SpreadElement } from 'acorn';
import { unsupported } from '../unsupported.ts';
import { convertFormat, unitOf } from './dates.ts';
import { data, date, type Part } from './parts.ts';
import type { Scope } from './scope.ts';
import { literalText, nameOf } from './syntax.ts';

/** What the translation of a call of a date needs of the expression around it. */
export interface DateContext {
  readonly scope: Scope;
  readonly argument: (node: Expression | SpreadElement) => string;
  readonly textOf: (node: Expression) => string;
}

/**
 * Translates a call of a method of a date.
 * @throws UnsupportedError for a method that has no equivalent.
 */
export function callDate(
  of: string,
  { method, given }: { readonly method: string; readonly given: readonly (Expression | SpreadElement)[] },
  context: DateContext,
): Part {
  const [first, second] = given;
  const { scope, argument } = context;
  switch (method) {
    case 'toISO':
      if (scope.timezone !== 'UTC') scope.review('toISO() writes the time in UTC here');
      return data(`${of}.toISOString()`);
    case 'toISOString':
    case 'toString':
    case 'toJSON':
      return data(`${of}.toISOString()`);
    case 'toMillis':
    case 'valueOf':
    case 'getTime':
      return data(`${of}.getTime()`);
    case 'toSeconds':
      return data(`(${of}.getTime() / 1000)`);
    case 'toISODate':
      return data(`${of}.format('yyyy-MM-dd'${zone(scope)})`);
    case 'toFormat':
    case 'format': {
      const format = literalText(first) ?? unsupported('formats of dates are literal texts');
      return data(`${of}.format(${JSON.stringify(convertFormat(format))}${zone(scope)})`);
    }
    case 'plus':
    case 'minus':
      return date(of + moves(method, [first, second], context));
    case 'startOf': {
      const unit = unitOf(literalText(first) ?? '').slice(0, -1);
      if (unit !== 'second' && unit !== 'minute') scope.review('days and hours begin as in UTC here');
      return date(`${of}.startOf('${unit}')`);
    }
    case 'diff': {
      const unit = second ? unitOf(literalText(second) ?? '') : 'milliseconds';
      if (!first) return unsupported('diff() without a date');
      return { kind: 'duration', text: `${of}.diff(${argument(first)}, '${unit}')`, unit };
    }
    default:
      return unsupported(`dates have no ${method}() here`);
  }
}

/** The time zone that dates are written in. */
function zone({ timezone, review }: Scope): string {
  if (timezone !== undefined) return `, ${JSON.stringify(timezone)}`;
  review('dates are written in UTC here, in n8n in the time zone of the instance');
  return '';
}

/** `{ days: 1, hours: 2 }`, or an amount and its unit. */
function moves(
  method: string,
  [first, second]: readonly (Expression | SpreadElement | undefined)[],
  { argument, textOf }: DateContext,
): string {
  if (first?.type !== 'ObjectExpression') {
    if (!first || !second) return unsupported(`${method}() without a unit`);
    return `.${method}(${argument(first)}, '${unitOf(literalText(second) ?? '')}')`;
  }
  return first.properties
    .map((property) => {
      if (property.type !== 'Property' || property.computed) return unsupported(`${method}() with computed units`);
      return `.${method}(${textOf(property.value)}, '${unitOf(nameOf(property.key) ?? literalText(property.key) ?? '')}')`;
    })
    .join('');
}

/** Translates `DateTime.now()` and its like. @throws UnsupportedError */
export function createDate(
  method: string,
  given: readonly (Expression | SpreadElement)[],
  { argument }: Pick<DateContext, 'argument'>,
): Part {
  const [first, ...rest] = given;
  if (rest.length > 0) return unsupported(`DateTime.${method}() with options`);
  if (!first && (method === 'now' || method === 'utc' || method === 'local')) return date('date($now)');
  if (first && ['fromISO', 'fromMillis', 'fromJSDate'].includes(method)) return date(`date(${argument(first)})`);
  return unsupported(`DateTime.${method}() has no equivalent`);
}
