import { braced, isExpression } from '../expressions/template.ts';
import { asList } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { list, object, show, text } from '../workflow.ts';
import { type Conversion, type Converted, maybeEmpty, outputOf, single } from './converter.ts';
import { listNode, scriptNode } from './list-node.ts';
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
  const { fieldToSplitOut, fieldName = fieldToSplitOut, include = 'noOtherFields', options } = parameters;
  const { destinationFieldName, disableDotNotation, ...others } = object(options);
  const isName = typeof fieldName === 'string' && !isExpression(fieldName) && !/[,[]/.test(fieldName);
  const destination = text(destinationFieldName);
  if (!isName || disableDotNotation === true || isExpression(destination) || destination?.includes(',') === true) {
    return unsupported('a field to split out that is an expression or several');
  }
  const trimmed = version < 2 ? fieldName : fieldName.trim();
  const field = version < SPLIT_OUT ? trimmed : trimmed.replace(/^\$json\./, '');
  if (field === '$binary') return unsupported('files that become items');
  reviewOthers(others, review);
  const failing = failsFor(version);
  if (failing !== undefined) review(`in n8n, this version fails for a field that is ${failing}`);
  const to = (version < 2 ? destination : text(destination?.trim())) ?? field;
  const name = JSON.stringify(to);
  let element: string;
  if (include === 'allOtherFields') {
    if (field.includes('.')) return unsupported('a field within another, beside other fields');
    element = `{ ...item, ${field === to ? '' : `${JSON.stringify(field)}: undefined, `}${name}: element }`;
  } else if (include === 'noOtherFields') {
    const isObject = `typeof element === 'object'${version < 2 ? '' : ' && element !== null'}`;
    element = `${to === field && text(destination?.trim()) === undefined ? `${isObject} ? { ...element } : ` : ''}{ [${name}]: element }`;
  } else return unsupported('other fields that are chosen');
  const isObject = "value !== null && typeof value === 'object'";
  const values = `(value) => value === undefined ? [] : Array.isArray(value) ? value : ${isObject} ? Object.values(value) : [value]`;
  // A name with a dot may be that of a field itself.
  const quoted = JSON.stringify(field);
  const own = field.includes('.') ? `Object.hasOwn(Object(item), ${quoted}) ? item[${quoted}] : ` : '';
  const elements = `[${own}item${pathTo(field)}].flatMap(${values})`;
  return maybeEmpty(
    listNode(conversion, `${asList(input)}.flatMap((item) => ${elements}.map((element) => (${element})))`),
  );
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
export function aggregateNode({ id, node, parameters, input }: Conversion): Converted {
  const { aggregate = 'aggregateIndividualFields', destinationFieldName = 'data', include = 'allFields' } = parameters;
  if (aggregate === 'aggregateAllItemData') {
    if (include !== 'allFields') return unsupported('a part of the fields of each item');
    const fields = { [fieldName(destinationFieldName)]: braced(asList(input)) };
    return single({ id, type: 'set', name: node.name, parameters: { fields } }, outputOf(id, 'one'));
  }
  const { mergeLists, keepMissing, ...others } = object(parameters.options);
  if (Object.keys(others).length > 0) return unsupported(`the options ${Object.keys(others).join(', ')}`);
  const fields = list(object(parameters.fieldsToAggregate).fieldToAggregate).map((each) => {
    const { fieldToAggregate, renameField, outputFieldName } = object(each);
    const from = fieldName(text(fieldToAggregate) ?? unsupported('no field to aggregate'));
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
  if (fields.length === 0) return unsupported('no field to aggregate');
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
