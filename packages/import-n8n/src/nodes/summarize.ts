import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { isExpression } from '../expressions/template.ts';
import { asList } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { list, lookup, object, show } from '../workflow.ts';
import { type Conversion, type Converted, incomplete, maybeEmpty } from './converter.ts';
import { scriptNode } from './list-node.ts';
import { fieldNames, GET, GET_OWN, plainName } from './lodash.ts';

/** Beginnings of the names of results. */
const PREFIXES: Readonly<Record<string, string>> = {
  append: 'appended_',
  average: 'average_',
  concatenate: 'concatenated_',
  count: 'count_',
  countUnique: 'unique_count_',
  max: 'max_',
  min: 'min_',
  sum: 'sum_',
};

/** JavaScript that computes each aggregation from the values of a group of items. */
const COMPUTE = [
  "const isEmpty = (value) => value === undefined || value === null || value === '';",
  "const textOf = (value) => (typeof value === 'object' ? JSON.stringify(value) : value === undefined ? 'undefined' : value);",
  'const best = (values, isBetter) =>',
  '  values.filter((value) => !isEmpty(value)).reduce((one, other) => (one === undefined || isBetter(other, one) ? other : one), undefined) ?? null;',
  'const sum = (values) => values.filter((value) => typeof value === "number").reduce((a, b) => a + b, 0);',
  'const compute = {',
  '  append: (values) => values,',
  '  concatenate: (values, separator) => values.map(textOf).join(separator),',
  '  average: (values) => sum(values) / values.filter((value) => typeof value === "number").length,',
  '  sum,',
  '  min: (values) => best(values, (a, b) => a < b),',
  '  max: (values) => best(values, (a, b) => a > b),',
  '  countUnique: (values) => new Set(values).size,',
  '  count: (values) => values.length,',
  '};',
];

/** Computes values of all items, or of each group of them. */
export function summarizeNode(conversion: Conversion): Converted {
  const { node, parameters, input } = conversion;
  // The values of fields that make groups keep their types, and fields may be missing.
  const isNewer = node.version > 1;
  const { fieldsToSplitBy, fieldsToSummarize, options } = parameters;
  const { disableDotNotation, outputFormat, skipEmptySplitFields, continueIfFieldNotFound, ...others } =
    object(options);
  const flags = [disableDotNotation, outputFormat, skipEmptySplitFields, continueIfFieldNotFound];
  if (Object.keys(others).length > 0) return unsupported(`the options ${Object.keys(others).join(', ')}`);
  if (flags.some(isExpression)) return unsupported('options that are expressions');
  const groups = fieldNames(fieldsToSplitBy);
  const entries = list(object(fieldsToSummarize).values).map((each) => entryOf(object(each)));
  if (!entries.some(({ field }) => field !== '')) return incomplete(conversion, 'no field to summarize');
  const isOne = outputFormat === 'singleItem' || groups.length === 0;
  const lines = [
    ...(disableDotNotation === true ? GET_OWN : GET),
    ...COMPUTE,
    `const entries = ${JSON.stringify(entries)};`,
    `const items = ${asList(input)};`,
    ...(isNewer || continueIfFieldNotFound === true
      ? []
      : [
          'for (const { field } of entries) {',
          "  if (field !== '' && items.every((item) => get(item, field) === undefined)) {",
          '    throw new Error(`no item has the field "${field}"`);',
          '  }',
          '}',
        ]),
    'const summarize = (group) =>',
    '  Object.fromEntries(',
    '    entries.map(({ name, field, aggregation, separator, skipsEmpty }) => {',
    '      const values = group.map((item) => get(item, field));',
    '      const used = skipsEmpty ? values.filter((value) => !isEmpty(value)) : values;',
    '      return [name, compute[aggregation](used, separator)];',
    '    }),',
    '  );',
    ...(groups.length > 0 ? grouping(groups, { isNewer, isOne, skipsEmpty: skipEmptySplitFields === true }) : []),
    groups.length > 0 ? 'return split(items, fields);' : 'return summarize(items);',
  ];
  const converted = scriptNode(conversion, lines.join('\n'), isOne ? 'one' : 'list');
  return isOne ? converted : maybeEmpty(converted);
}

function grouping(
  groups: readonly string[],
  { isNewer, isOne, skipsEmpty }: { isNewer: boolean; isOne: boolean; skipsEmpty: boolean },
): string[] {
  return [
    `const fields = ${JSON.stringify(groups)};`,
    `const keyOf = (value) => ${isNewer ? '' : 'String('}(value && typeof value === "object" ? JSON.stringify(value) : value)${isNewer ? '' : ')'};`,
    'const split = (group, [field, ...rest]) => {',
    `  if (field === undefined) return ${isOne ? 'summarize(group)' : '[summarize(group)]'};`,
    '  const byValue = Map.groupBy(group, (item) => keyOf(get(item, field)));',
    ...(skipsEmpty
      ? ['  for (const key of byValue.keys()) if (!key && typeof key !== "number") byValue.delete(key);']
      : []),
    ...(isOne
      ? ['  return Object.fromEntries([...byValue].map(([key, each]) => [key, split(each, rest)]));']
      : [
          '  const name = field.replace(/[\\]["]/g, "").replace(/[ .]/g, "_");',
          '  return [...byValue].flatMap(([key, each]) => split(each, rest).map((result) => ({ ...result, [name]: key })));',
        ]),
    '};',
  ];
}

interface Entry {
  /** The name of the result. */
  readonly name: string;
  readonly field: string;
  readonly aggregation: string;
  readonly separator?: string;
  readonly skipsEmpty: boolean;
}

function entryOf({
  aggregation = 'count',
  field = '',
  includeEmpty,
  separateBy = ',',
  customSeparator = '',
}: JsonObject): Entry {
  const kind = show(aggregation);
  const prefix = lookup(PREFIXES, kind) ?? unsupported(`the aggregation ${kind}`);
  if ([includeEmpty, separateBy, customSeparator].some(isExpression))
    return unsupported('options that are expressions');
  const separator: JsonValue = separateBy === 'other' ? customSeparator : separateBy;
  const skips = ['append', 'concatenate', 'count', 'countUnique'].includes(kind) && includeEmpty !== true;
  const name = `${prefix}${show(field)}`.replace(/[\][]|"/g, '').replace(/[ .]/g, '_');
  return {
    name,
    field: plainName(show(field)),
    aggregation: kind,
    ...(kind === 'concatenate' && { separator: show(separator) }),
    skipsEmpty: skips,
  };
}
