// Records how n8n decides conditions, for every operation and kind of value:
//   node packages/import-n8n/record/conditions.mjs <folder with n8n>
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute, prepare, version } from './n8n.mjs';
import { VALUES } from './values.mjs';

const LEFT = VALUES;
const RIGHT = [
  ...[
    undefined,
    null,
    true,
    false,
    '',
    'a',
    'A',
    'b',
    '^A',
    '/^a/i',
    '5',
    'true',
    '2024-01-15',
    '2024-01-15T10:00:00Z',
  ],
  ...['15 Jan 2024', '[1]', 0, 1, 2, 5, 1705312800000, [], [1], ['a'], {}, { a: 1 }],
];

const EQUALS = ['equals', 'notEquals'];
const ONE = ['exists', 'notExists', 'empty', 'notEmpty'];
/** Operations of one value and of two, and the versions of the filter that differ. */
const TYPES = {
  any: { one: ['exists', 'notExists'], two: [], versions: [1] },
  string: {
    one: ONE,
    two: [
      ...[...EQUALS, 'contains', 'notContains', 'startsWith', 'notStartsWith', 'endsWith', 'notEndsWith'],
      ...['regex', 'notRegex'],
    ],
    versions: [1],
  },
  number: { one: ONE, two: [...EQUALS, 'gt', 'lt', 'gte', 'lte'], versions: [1, 3] },
  boolean: { one: [...ONE, 'true', 'false'], two: EQUALS, versions: [1, 2] },
  dateTime: { one: ONE, two: [...EQUALS, 'after', 'before', 'afterOrEquals', 'beforeOrEquals'], versions: [1] },
  array: { one: ONE, two: ['contains', 'notContains'], versions: [1], rightType: 'any' },
  object: { one: ONE, two: [], versions: [1] },
};
/** Those whose second value is a number. */
const LENGTHS = ['lengthEquals', 'lengthNotEquals', 'lengthGt', 'lengthLt', 'lengthGte', 'lengthLte'];

const itemOf = (left, right) => ({ ...(left !== undefined && { left }), ...(right !== undefined && { right }) });
const ofOne = LEFT.map((left) => itemOf(left));
const ofTwo = LEFT.flatMap((left) => RIGHT.map((right) => itemOf(left, right)));

/** Returns a letter for each item: whether the condition is true or false, or fails. */
function decide(parameters, typeVersion, type, items) {
  const { context } = prepare(type, typeVersion, parameters, items);
  return items
    .map((_item, index) => {
      try {
        return context.getNodeParameter('conditions', index, false, { extractValue: true }) ? 't' : 'f';
      } catch {
        return 'x';
      }
    })
    .join('');
}

const conditions = [];
function record(operator, options, items) {
  const condition = {
    leftValue: '={{ $json.left }}',
    ...(operator.singleValue !== true && { rightValue: '={{ $json.right }}' }),
    operator,
  };
  const given = { options, combinator: 'and', conditions: [condition] };
  conditions.push({ ...given, results: decide({ conditions: given }, 2.2, 'if', items) });
}

for (const [type, { one, two, versions, rightType }] of Object.entries(TYPES)) {
  for (const typeValidation of ['strict', 'loose']) {
    for (const filterVersion of versions) {
      const options = { caseSensitive: true, typeValidation, version: filterVersion };
      for (const operation of one) record({ type, operation, singleValue: true }, options, ofOne);
      for (const operation of two) {
        const operator = { type, operation, ...(rightType && { rightType }) };
        record(operator, options, ofTwo);
        if (type === 'string' || type === 'array') record(operator, { ...options, caseSensitive: false }, ofTwo);
      }
    }
  }
}
for (const typeValidation of ['strict', 'loose']) {
  for (const filterVersion of [1, 3]) {
    for (const operation of LENGTHS) {
      const options = { caseSensitive: true, typeValidation, version: filterVersion };
      record({ type: 'array', operation, rightType: 'number' }, options, ofTwo);
    }
  }
}

/** The operations before version 2, which mean the same for every type but dates. */
const OLD = {
  string: [
    ...['equal', 'notEqual', 'larger', 'largerEqual', 'smaller', 'smallerEqual', 'contains', 'notContains', 'isEmpty'],
    ...['startsWith', 'notStartsWith', 'endsWith', 'notEndsWith', 'isNotEmpty', 'regex', 'notRegex'],
  ],
  dateTime: ['after', 'before'],
};
const rules = [];
for (const [type, operations] of Object.entries(OLD)) {
  for (const operation of operations) {
    const value1 = '={{ $json.left }}';
    const singleValue = operation.startsWith('is');
    const rule = { value1, operation, ...(!singleValue && { value2: '={{ $json.right }}' }) };
    let letters = '';
    for (const item of singleValue ? ofOne : ofTwo) {
      const { outputs } = await execute('if', 1, { conditions: { [type]: [rule] } }, [item]);
      letters += outputs === undefined ? 'x' : outputs[0].length > 0 ? 't' : 'f';
    }
    rules.push({ type, operation, ...(singleValue && { singleValue }), letters });
  }
}

/** Repeated letters as a letter and how often. */
const shorten = (letters) => letters.replace(/(.)\1+/g, (all, letter) => `${letter}${all.length}`);
const results = [
  ...new Set([...conditions.map((each) => each.results), ...rules.map(({ letters }) => letters)].map(shorten)),
];
const rows = conditions.map(({ conditions: [{ operator }], options, results: letters }) => {
  const { type, operation, rightType, singleValue } = operator;
  const { caseSensitive, typeValidation, version: filterVersion } = options;
  const index = results.indexOf(shorten(letters));
  return JSON.stringify({
    ...{ type, operation, ...(rightType && { rightType }), ...(singleValue && { singleValue }) },
    ...{ caseSensitive, typeValidation, version: filterVersion, results: index },
  });
});
const oldRows = rules.map(({ letters, ...rule }) =>
  JSON.stringify({ ...rule, results: results.indexOf(shorten(letters)) }),
);
const values = (list) => JSON.stringify(list.map((value) => (value === undefined ? {} : { value })));
const matrix = `{
  "n8n": ${JSON.stringify(version)},
  "left": ${values(LEFT)},
  "right": ${values(RIGHT)},
  "conditions": [
    ${rows.join(',\n    ')}
  ],
  "rules": [
    ${oldRows.join(',\n    ')}
  ],
  "results": [
    ${results.map((each) => JSON.stringify(each)).join(',\n    ')}
  ]
}
`;
writeFileSync(join(import.meta.dirname, '../matrices/conditions.json'), matrix);
