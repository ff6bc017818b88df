// Records the items that the form of n8n makes of what a browser sends:
//   node packages/import-n8n/record/forms.mjs <folder with n8n>
// Development only.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { complete, require, version } from './n8n.mjs';

const { prepareFormReturnItem } = require('n8n-nodes-base/dist/nodes/Form/utils/utils.js');
const options = (...names) => ({ values: names.map((option) => ({ option })) });
const FIELDS = [
  { fieldLabel: 'Your name', requiredField: true },
  { fieldLabel: 'Mail', fieldType: 'email' },
  { fieldLabel: 'Seats', fieldType: 'number' },
  { fieldLabel: 'About', fieldType: 'textarea', placeholder: 'A word' },
  { fieldLabel: 'Day', fieldType: 'date' },
  { fieldLabel: 'Size', fieldType: 'dropdown', fieldOptions: options('S', 'M') },
  { fieldLabel: 'Kind', fieldType: 'radio', fieldOptions: options('a', 'b') },
  { fieldLabel: 'Extras', fieldType: 'checkbox', fieldOptions: options('x', 'y', 'z') },
];
/** Forms: fields, what a browser sends, and the same values as a form here has them. */
const FORMS = [
  {
    typeVersion: 2.2,
    fields: FIELDS,
    sent: [' Ada ', 'a@example.com', '2', 'Hi', '2026-11-20', 'M', '["b"]', '["x","z"]'],
    given: {
      'Your name': ' Ada ',
      Mail: 'a@example.com',
      Seats: 2,
      About: 'Hi',
      Day: '2026-11-20',
      Size: 'M',
      Kind: 'b',
      'Extras: x': true,
      'Extras: y': false,
      'Extras: z': true,
    },
  },
  {
    typeVersion: 2.2,
    fields: FIELDS,
    sent: ['Ada', '', '', '', '', '', null, '[]'],
    given: { 'Your name': 'Ada' },
  },
  {
    typeVersion: 2.5,
    fields: [
      { fieldLabel: 'Your name', fieldName: 'name' },
      { fieldLabel: 'Age', fieldType: 'number', fieldName: 'age' },
    ],
    sent: ['Ada', '36'],
    given: { name: 'Ada', age: 36 },
  },
  {
    typeVersion: 2.2,
    fields: [{ fieldLabel: 'Big', fieldType: 'dropdown', multiselect: true, fieldOptions: options('S', 'M') }],
    sent: ['["M"]'],
    given: { 'Big: M': true },
  },
];

const rows = [];
for (const { typeVersion, fields, sent, given } of FORMS) {
  const data = Object.fromEntries(sent.flatMap((value, index) => (value === null ? [] : [[`field-${index}`, value]])));
  const context = {
    getRequestObject: () => ({ contentType: 'multipart/form-data', query: {} }),
    getBodyData: () => ({ data, files: {} }),
    getWorkflowSettings: () => ({}),
    getNode: () => ({ type: 'n8n-nodes-base.formTrigger', typeVersion }),
    getTimezone: () => 'UTC',
    getNodeParameter: (_name, fallback) => fallback,
  };
  const parameters = { formTitle: 'A form', formFields: { values: fields } };
  const { formFields } = complete('formTrigger', typeVersion, parameters);
  const { json } = await prepareFormReturnItem(context, formFields.values, 'production');
  const { submittedAt: _, ...item } = json;
  rows.push(JSON.stringify({ typeVersion, parameters, given, item }));
}
const text = `{\n  "n8n": ${JSON.stringify(version)},\n  "rows": [\n    ${rows.join(',\n    ')}\n  ]\n}\n`;
writeFileSync(join(import.meta.dirname, '../matrices/forms.json'), text);
console.log(rows.length, 'forms');
process.exit(0);
