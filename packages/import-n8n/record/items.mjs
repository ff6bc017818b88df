// Records what nodes of n8n make of items, for the parameters in shapes.mjs:
//   node packages/import-n8n/record/items.mjs <folder with n8n> [type …]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute, setTimezone, version } from './n8n.mjs';
import { SHAPES } from './shapes.mjs';

const [, ...only] = process.argv.slice(2);
for (const [name, { type = name, inputs, shapes }] of Object.entries(SHAPES)) {
  if (only.length > 0 && !only.includes(name)) continue;
  const all = [];
  const indexOf = (output) => {
    const text = JSON.stringify(output);
    const index = all.indexOf(text);
    return index >= 0 ? index : all.push(text) - 1;
  };
  const rows = [];
  for (const [typeVersion, parameters, timezone = 'UTC'] of shapes) {
    setTimezone(timezone);
    const results = [];
    for (const input of inputs) {
      const ran = await execute(type, typeVersion, parameters, ...structuredClone(input));
      // Some return no list at all where they have no items.
      const outputs = ran.outputs?.length === 0 ? [[]] : ran.outputs;
      results.push(indexOf(ran.error === undefined ? outputs : 'fails'));
    }
    rows.push(JSON.stringify({ version: typeVersion, timezone, parameters, results }));
  }
  const matrix = `{
  "n8n": ${JSON.stringify(version)},
  "type": ${JSON.stringify(type)},
  "inputs": [
    ${inputs.map((each) => JSON.stringify(each)).join(',\n    ')}
  ],
  "shapes": [
    ${rows.join(',\n    ')}
  ],
  "outputs": [
    ${all.join(',\n    ')}
  ]
}
`;
  writeFileSync(join(import.meta.dirname, `../matrices/items/${name}.json`), matrix);
  console.log(name, shapes.length * inputs.length, 'cells');
}
