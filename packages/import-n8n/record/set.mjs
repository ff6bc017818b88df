// Records what fields n8n's Set makes of every kind of value:
//   node packages/import-n8n/record/set.mjs <folder with n8n>
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute, version } from './n8n.mjs';
import { VALUES } from './values.mjs';

const items = VALUES.map((value) => (value === undefined ? {} : { value }));
/** Ways to write an expression, in every type of every version. */
const EXPRESSIONS = ['={{ $json.value }}', '=a {{ $json.value }}', '={{ $json.value }}{{ $json.value }}'];
const OLD = ['boolean', 'number', 'string'];
const NEW = ['string', 'number', 'boolean', 'array', 'object'];
const JSONS = ['={{ $json.value }}', '={"a": {{ $json.value }}}', '={"a": "{{ $json.value }}", "b": [1]}', '{"a": 1}'];

const one = (value, type, name = 'x') => ({ assignments: { assignments: [{ id: '1', name, value, type }] } });
const shapes = [
  ...[1, 2].flatMap((typeVersion) =>
    OLD.flatMap((type) =>
      EXPRESSIONS.map((value) => [typeVersion, { keepOnlySet: true, values: { [type]: [{ name: 'x', value }] } }]),
    ),
  ),
  ...[3, 3.1, 3.2].flatMap((typeVersion) =>
    NEW.flatMap((type) =>
      EXPRESSIONS.map((value) => {
        const values = [{ name: 'x', type: `${type}Value`, [`${type}Value`]: value }];
        return [typeVersion, { include: 'none', fields: { values } }];
      }),
    ),
  ),
  ...[3.3, 3.4, 3.5].flatMap((typeVersion) =>
    [...NEW, 'any'].flatMap((type) => EXPRESSIONS.map((value) => [typeVersion, one(value, type)])),
  ),
  ...[3, 3.4].flatMap((typeVersion) =>
    JSONS.map((jsonOutput) => [typeVersion, { mode: 'raw', include: 'none', jsonOutput }]),
  ),
  // Beside other fields, and within one.
  ...[...NEW, 'any'].flatMap((type) =>
    [3.3, 3.4].flatMap((typeVersion) =>
      EXPRESSIONS.slice(0, 2).flatMap((value) => [
        [typeVersion, { ...one(value, type), includeOtherFields: true }],
        [typeVersion, one(value, type, 'x.y')],
        [typeVersion, { ...one(value, type, 'x.y'), includeOtherFields: true }],
      ]),
    ),
  ),
  // Within what is there.
  [3.4, { ...one(1, 'number', 'value.y'), includeOtherFields: true }],
  [3.4, { ...one(1, 'number', 'value.y.z'), includeOtherFields: true }],
  [2, { values: { number: [{ name: 'value.y', value: 1 }] } }],
  ...[1, 2].flatMap((typeVersion) =>
    OLD.flatMap((type) => [
      [typeVersion, { values: { [type]: [{ name: 'x', value: EXPRESSIONS[0] }] } }],
      [typeVersion, { keepOnlySet: true, values: { [type]: [{ name: 'x.y', value: EXPRESSIONS[0] }] } }],
    ]),
  ),
  // Values that exports omit.
  ...[1, 2].map((typeVersion) => [
    typeVersion,
    { keepOnlySet: true, values: Object.fromEntries(OLD.map((type) => [type, [{ name: type }]])) },
  ]),
  ...[3, 3.2].flatMap((typeVersion) =>
    ['string', 'number', 'boolean', 'object'].map((type) => [
      typeVersion,
      { include: 'none', fields: { values: [{ name: 'x', ...(type !== 'string' && { type: `${type}Value` }) }] } },
    ]),
  ),
  [3.4, { mode: 'raw' }],
  [3.4, {}],
  // Literals.
  ...['5', '', 5, 'true', '1', true, '[1]', '{"a":1}', [1], { a: 1 }, null].flatMap((value) =>
    [...NEW, 'any'].map((type) => [3.4, one(value, type)]),
  ),
];

const outputs = [];
const indexOf = (output) => {
  const text = JSON.stringify(output);
  const index = outputs.indexOf(text);
  return index >= 0 ? index : outputs.push(text) - 1;
};
const rows = [];
for (const [typeVersion, parameters] of shapes) {
  const usesItem = /\$json|value\.y/.test(JSON.stringify(parameters));
  const results = [];
  for (const item of usesItem ? items : items.slice(0, 1)) {
    const { outputs: lists, error } = await execute('set', typeVersion, parameters, [item]);
    results.push(indexOf(error === undefined ? lists[0][0] : 'fails'));
  }
  rows.push(JSON.stringify({ version: typeVersion, parameters, results }));
}
const matrix = `{
  "n8n": ${JSON.stringify(version)},
  "items": ${JSON.stringify(items)},
  "shapes": [
    ${rows.join(',\n    ')}
  ],
  "outputs": [
    ${outputs.join(',\n    ')}
  ]
}
`;
writeFileSync(join(import.meta.dirname, '../matrices/set.json'), matrix);
