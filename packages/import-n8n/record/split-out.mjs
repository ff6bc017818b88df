// Records what items n8n's Split Out, and Item Lists before it, make of every kind of field:
//   node packages/import-n8n/record/split-out.mjs <folder with n8n>
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute, version } from './n8n.mjs';

const VALUES = [
  ...[undefined, null, true, false, 0, 5, '', 'abc', '[1]', [], [1, 'a'], [null], [[1, 2]], [[]], [{ a: 1 }]],
  ...[[{ o: 1, k: 2 }], [1, null, { a: 1 }, [3]], {}, { a: 1, b: 2 }, { a: { x: 1 }, b: [2], c: null }],
];
const items = [
  ...VALUES.map((o) => (o === undefined ? { k: 9 } : { k: 9, o })),
  ...[
    { k: 9, o: { p: [1, 2] } },
    { k: 9, 'o.p': [3], o: { p: [4] } },
    { k: 9, o: { p: { x: 1 } } },
  ],
];
const SHAPES = [
  { fieldToSplitOut: 'o' },
  { fieldToSplitOut: '$json.o' },
  { fieldToSplitOut: ' o ' },
  { fieldToSplitOut: 'o.p' },
  { fieldToSplitOut: 'o', options: { destinationFieldName: 'd' } },
  { fieldToSplitOut: 'o', options: { destinationFieldName: ' d ' } },
  { fieldToSplitOut: 'o', options: { destinationFieldName: '' } },
  { fieldToSplitOut: 'o', include: 'allOtherFields' },
  { fieldToSplitOut: 'o', include: 'allOtherFields', options: { destinationFieldName: '' } },
  { fieldToSplitOut: 'o', include: 'allOtherFields', options: { destinationFieldName: 'k' } },
  { fieldToSplitOut: 'o', include: 'allOtherFields', options: { destinationFieldName: 'o' } },
];
const NODES = [['splitOut', 1], ...[1, 2, 2.1, 2.2, 3, 3.1].map((each) => ['itemLists', each])];

const outputs = [];
const indexOf = (output) => {
  const text = JSON.stringify(output);
  const index = outputs.indexOf(text);
  return index >= 0 ? index : outputs.push(text) - 1;
};
const rows = [];
for (const [type, typeVersion] of NODES) {
  for (const parameters of SHAPES) {
    const results = [];
    for (const item of items) {
      const ran = await execute(type, typeVersion, { include: 'noOtherFields', ...parameters }, [item]);
      results.push(indexOf(ran.error === undefined ? ran.outputs[0] : 'fails'));
    }
    rows.push(JSON.stringify({ type, version: typeVersion, parameters, results }));
  }
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
writeFileSync(join(import.meta.dirname, '../matrices/split-out.json'), matrix);
