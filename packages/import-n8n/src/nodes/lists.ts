import type { JsonValue } from '@deckhand/contracts';
import { braced, isExpression, literal } from '../expressions/template.ts';
import { asList } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { list, object, show, text } from '../workflow.ts';
import { type Conversion, type Converted, incomplete, maybeEmpty, outputOf, single } from './converter.ts';
import { scriptNode } from './list-node.ts';
import { pathTo } from './lodash.ts';
import { sortNode } from './order.ts';
import { withoutDuplicates } from './remove-duplicates.ts';
import { fieldName } from './set.ts';
import { reviewOthers } from './triggers.ts';

/** The values of a field of each item become items: the elements of a list, the values of an object, or itself. */
export function splitOutNode(conversion: Conversion): Converted {
  return split(conversion, SPLIT_OUT);
}

/** Item Lists, of this version on, splits as Split Out does. */
const SPLIT_OUT = 3;

function split(conversion: Conversion, version: number): Converted {
  const { parameters, input, review } = conversion;
  const { fieldToSplitOut, fieldName: given = fieldToSplitOut, include = 'noOtherFields', options } = parameters;
  const { destinationFieldName, disableDotNotation, includeBinary: _, ...others } = object(options);
  const [named, destinations] = [literal(given ?? ''), literal(destinationFieldName ?? '')];
  if (typeof named !== 'string' || isExpression(named) || isExpression(destinations) || disableDotNotation === true) {
    return unsupported('a field to split out that is an expression');
  }
  const names =
    version < 2 ? [named] : namesIn(named).map((each) => (version < SPLIT_OUT ? each : each.replace(/^\$json\./, '')));
  const destination = show(destinations);
  const targets = version < 2 ? [destination].filter((each) => each !== '') : namesIn(destination);
  if (names.every((each) => each === '')) return incomplete(conversion, 'no field to split out');
  if (targets.length > 0 && targets.length !== names.length) {
    return unsupported('other names for some of the fields to split out');
  }
  if (names.some((each) => each === '$binary')) return unsupported('files that become items');
  reviewOthers(others, review);
  const failing = failsFor(version);
  if (failing !== undefined) review(`in n8n, this version fails for a field that is ${failing}`);
  const isSpread = names.length === 1 && targets.length === 0 && include === 'noOtherFields';
  const values = names.map((field) => `${valuesOf(field)}(item)`);
  const members = names.map((field, index) => {
    const element = names.length === 1 ? 'element' : `lists[${index}][index]`;
    const member = `{ [${JSON.stringify(targets[index] ?? field)}]: ${element} }`;
    return names.length === 1 ? member : `...(index < lists[${index}].length ? ${member} : {})`;
  });
  const isObject = `typeof element === 'object'${version < 2 ? '' : ' && element !== null'}`;
  const own = names.length === 1 ? (members[0] ?? '') : `{ ${members.join(', ')} }`;
  // Other fields that are chosen replace those of the same name, all other fields are replaced.
  const ordered = include === 'selectedOtherFields' ? `{ ...${own}, ...rest }` : `{ ...rest, ...${own} }`;
  const element = isSpread ? `(${isObject} ? { ...element } : ${own})` : ordered;
  const elements =
    names.length === 1
      ? `${values[0] ?? ''}.map((element) => (${element}))`
      : `((lists) => Array.from({ length: Math.max(...lists.map((list) => list.length)) }, (_, index) => (${element})))([${values.join(', ')}])`;
  const rest = restOf(conversion, { include, names });
  const script = isSpread ? elements : `((rest) => ${elements})(${rest})`;
  if (!conversion.usesPairs || input.shape === 'one') {
    return maybeEmpty(scriptNode(conversion, `return ${asList(input)}.flatMap((item) => ${script});`, 'list'));
  }
  const { id, node } = conversion;
  const source = [
    `const lists = ${input.text}.map((item) => ${script});`,
    '// The position of the item that each is made of.',
    'return { items: lists.flat(), at: lists.flatMap((list, index) => list.map(() => index)) };',
  ].join('\n');
  const list = { ...outputOf(id, 'list', '.items'), positions: `$nodes.${id}.output.at` };
  return maybeEmpty(single({ id, type: 'code', name: node.name, parameters: { source } }, list));
}

/** Returns a function of JavaScript that returns the values of a field of an item, each of which becomes an item. */
function valuesOf(field: string): string {
  const isObject = "value !== null && typeof value === 'object'";
  const values = `value === undefined ? [] : Array.isArray(value) ? value : ${isObject} ? Object.values(value) : [value]`;
  // A name with a dot may be that of a field itself.
  const quoted = JSON.stringify(field);
  const own = /[.[]/.test(field) ? `Object.hasOwn(Object(item), ${quoted}) ? item[${quoted}] : ` : '';
  return `((item) => [${own}item${pathTo(field)}].flatMap((value) => ${values}))`;
}

/** Returns JavaScript for the other fields that are kept of an item. */
function restOf(
  { parameters }: Conversion,
  { include, names }: { include: JsonValue; names: readonly string[] },
): string {
  if (include === 'noOtherFields') return '{}';
  if (include === 'allOtherFields') {
    if (names.some((each) => /[.[]/.test(each))) return unsupported('a field within another, beside other fields');
    return `(({ ${names.map((each, index) => `${JSON.stringify(each)}: _${index}`).join(', ')}, ...others }) => others)(item)`;
  }
  const kept = literal(parameters.fieldsToInclude ?? '');
  if (typeof kept !== 'string' || isExpression(kept)) return unsupported('other fields that an expression names');
  const fields = namesIn(kept).map((each) => `${JSON.stringify(each)}: item${pathTo(each)}`);
  return fields.length === 0 ? unsupported('no other field that is kept') : `{ ${fields.join(', ')} }`;
}

/** Returns names that commas separate. */
function namesIn(text: string): string[] {
  return text.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));
}

/** Returns for which fields Item Lists of a version fails. */
function failsFor(version: number): string | undefined {
  if (version < 2) return 'not a list';
  if (version < 2.1) return 'neither a list nor an object';
  return version < 2.2 ? 'text, a number, a boolean or null' : undefined;
}

/** The first or the last items. */
export function limitNode({ id, node, parameters, input }: Conversion): Converted {
  const { maxItems = 1, keep = 'firstItems' } = parameters;
  if (!Number.isInteger(maxItems) || Number(maxItems) < 1) return unsupported(`a limit of ${show(maxItems)}`);
  const part = keep === 'lastItems' ? `slice(-${Number(maxItems)})` : `slice(0, ${Number(maxItems)})`;
  const set = {
    id,
    type: 'set',
    name: node.name,
    parameters: { fields: { items: braced(`${asList(input)}.${part}`) } },
  };
  return single(set, outputOf(id, 'list', '.items'));
}

/** All items become one: with the list of them, or with a list of the values of each field. */
export function aggregateNode({ id, node, parameters, input, review }: Conversion): Converted {
  const { aggregate = 'aggregateIndividualFields', destinationFieldName = 'data', include = 'allFields' } = parameters;
  if (aggregate === 'aggregateAllItemData') {
    const named = literal(
      (include === 'specifiedFields' ? parameters.fieldsToInclude : parameters.fieldsToExclude) ?? '',
    );
    if (typeof named !== 'string' || isExpression(named) || /[.[]/.test(named)) {
      return unsupported('a part of the fields of each item');
    }
    const test = `${include === 'specifiedFields' ? '' : '!'}${JSON.stringify(namesIn(named))}.includes(entry[0])`;
    const part = `.map((item) => Object.fromEntries(Object.entries(item).filter((entry) => ${test})))`;
    const all = `${asList(input)}${include === 'allFields' ? '' : part}`;
    const fields = { [fieldName(destinationFieldName)]: braced(all) };
    return single({ id, type: 'set', name: node.name, parameters: { fields } }, outputOf(id, 'one'));
  }
  const { mergeLists, keepMissing, ...others } = object(parameters.options);
  if (Object.keys(others).length > 0) return unsupported(`the options ${Object.keys(others).join(', ')}`);
  const { fieldToAggregate: named = [{}] } = object(parameters.fieldsToAggregate);
  const given = list(named).filter((each) => text(object(each).fieldToAggregate) !== undefined);
  if (given.length === 0) review('it names no field to aggregate, so that its item is empty, as in n8n');
  const fields = given.map((each) => {
    const { fieldToAggregate, renameField, outputFieldName } = object(each);
    const from = fieldName(fieldToAggregate);
    const to = (renameField === true ? text(outputFieldName) : undefined) ?? from.split('.').at(-1) ?? from;
    if (/[.[]/.test(to) || from.includes('[')) return unsupported(`the field "${to}"`);
    // A name with a dot may be that of a field itself.
    const own = from.includes('.')
      ? `Object.hasOwn(item, ${JSON.stringify(from)}) ? item[${JSON.stringify(from)}] : `
      : '';
    const values = `${asList(input)}.map((item) => ${own}item${pathTo(from)})`;
    if (keepMissing === true) return [to, mergeLists === true ? `${values}.flat()` : values] as const;
    const isThere = '(value) => value !== undefined && value !== null';
    if (mergeLists === true) return [to, `${values}.flat().filter(${isThere})`] as const;
    const cleaned = `(value) => (Array.isArray(value) ? value.filter((entry) => entry !== null) : value)`;
    return [to, `${values}.filter(${isThere}).map(${cleaned})`] as const;
  });
  const members = [...new Map(fields)].map(([name, values]) => `  ${JSON.stringify(name)}: ${values},`);
  return scriptNode({ id, node }, ['return {', ...members, '};'].join('\n'), 'one');
}

/** The node that had these operations before they were nodes of their own. */
export function itemListsNode(conversion: Conversion): Converted {
  const { operation = 'splitOutItems' } = conversion.parameters;
  const { version } = conversion.node;
  if (operation === 'splitOutItems') return split(conversion, version);
  if (operation === 'limit') return limitNode(conversion);
  if (version < 3) return unsupported(`the operation ${show(operation)} before version 3`);
  switch (operation) {
    case 'concatenateItems':
      return aggregateNode(conversion);
    case 'removeDuplicates':
      return withoutDuplicates(conversion, version < 3.1 ? 'all' : 'none');
    case 'sort':
      return sortNode(conversion);
    default:
      return unsupported(`the operation ${show(operation)}`);
  }
}
