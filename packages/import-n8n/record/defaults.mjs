// Records the parameters that n8n adds to those of an export, which omits defaults, for every version of a node:
//   node packages/import-n8n/record/defaults.mjs <folder with n8n>
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { complete, version, versionsOf } from './n8n.mjs';

const VALUE = '={{ $json.a }}';
const rules = (types, rule) => types.map((type) => ({ conditions: { [type]: [rule] } }));
const OLD_TYPES = ['boolean', 'dateTime', 'number', 'string'];
const condition = { leftValue: VALUE, rightValue: 'b', operator: { type: 'string', operation: 'equals' } };
const filters = (version, combine) =>
  version < 2
    ? [
        {},
        ...rules(OLD_TYPES, {}),
        ...rules(OLD_TYPES, { value1: VALUE }),
        { conditions: { number: [{ value1: VALUE }, {}] }, ...combine },
      ]
    : [{}, { conditions: { conditions: [condition] } }, { conditions: { combinator: 'or', conditions: [condition] } }];

const NEW_WAYS = { mergeByPosition: 'combineByPosition', multiplex: 'combineAll', mergeByFields: 'combineByFields' };

/** Parameters as exports may have them, by type. */
const SHAPES = {
  aggregate: () => [
    {},
    { fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'a' }] } },
    { fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'a', renameField: true }] } },
    { aggregate: 'aggregateAllItemData' },
  ],
  compareDatasets: () => [{ mergeByFields: { values: [{ field1: 'a', field2: 'a' }] } }],
  code: () => [{ jsCode: 'return [];' }, { jsCode: 'return {};', mode: 'runOnceForEachItem' }],
  cron: () => [
    { triggerTimes: { item: [{}] } },
    ...['everyMinute', 'everyHour', 'everyX', 'everyWeek', 'everyMonth', 'custom'].map((mode) => ({
      triggerTimes: { item: [{ mode }] },
    })),
    { triggerTimes: { item: [{ mode: 'everyX', unit: 'minutes' }] } },
  ],
  crypto: () => [
    { value: VALUE },
    { action: 'hash', value: VALUE },
    { action: 'hmac', value: VALUE, secret: 'x' },
    { action: 'generate' },
    { action: 'generate', encodingType: 'hex' },
  ],
  dateTime: (each) =>
    each < 2
      ? [{ value: VALUE }, { action: 'calculate', value: VALUE }, { value: VALUE, custom: true, toFormat: 'YYYY' }]
      : [
          {},
          ...['addToDate', 'subtractFromDate'].map((operation) => ({ operation, magnitude: VALUE })),
          ...['formatDate', 'roundDate', 'extractDate'].map((operation) => ({ operation, date: VALUE })),
          { operation: 'roundDate', date: VALUE, mode: 'roundUp' },
          { operation: 'formatDate', date: VALUE, format: 'custom', customFormat: 'yyyy' },
          { operation: 'getTimeBetweenDates', startDate: VALUE, endDate: '2026-11-20' },
        ],
  emailSend: () => [
    { fromEmail: 'a@example.com', toEmail: VALUE },
    { fromEmail: 'a@example.com', toEmail: VALUE, subject: 'b', text: 'c', html: 'd' },
    { fromEmail: 'a@example.com', toEmail: VALUE, emailFormat: 'both', text: 'c', options: {} },
  ],
  executeWorkflowTrigger: () => [{}],
  filter: (each) => filters(each, { combineConditions: 'OR' }),
  function: () => [{ functionCode: 'return items;' }],
  functionItem: () => [{ functionCode: 'return item;' }],
  html: () => [{ html: '<p>{{ $json.a }}</p>' }, { operation: 'convertToHtmlTable' }],
  httpRequest: () => [
    { url: 'https://example.com' },
    { url: 'https://example.com', method: 'POST', sendBody: true },
    {
      ...{ url: 'https://example.com', method: 'POST', sendBody: true },
      bodyParameters: { parameters: [{ name: 'a' }, { name: 'b', value: VALUE }] },
    },
    { url: 'https://example.com', method: 'POST', sendBody: true, specifyBody: 'json' },
    { url: 'https://example.com', method: 'POST', sendBody: true, contentType: 'raw', body: 'a' },
    { url: 'https://example.com', sendQuery: true, queryParameters: { parameters: [{ name: 'a' }] } },
    { url: 'https://example.com', sendHeaders: true, headerParameters: { parameters: [{ name: 'a' }] } },
    { url: 'https://example.com', requestMethod: 'POST', bodyParametersUi: { parameter: [{ name: 'a' }] } },
    { url: 'https://example.com', options: { redirect: { redirect: {} }, response: { response: {} } } },
  ],
  if: (each) => filters(each, { combineOperation: 'any' }),
  itemLists: () => [
    { fieldToSplitOut: 'a' },
    { operation: 'limit' },
    { operation: 'splitOutItems', fieldToSplitOut: 'a' },
    { operation: 'aggregateItems' },
    { operation: 'concatenateItems' },
  ],
  limit: () => [{}, { keep: 'lastItems' }],
  manualTrigger: () => [{}],
  merge: (each) => [
    {},
    ...(each < 2 ? ['append', 'passThrough', 'wait', 'multiplex', 'mergeByIndex', 'mergeByKey'] : []).map((mode) => ({
      mode,
    })),
    ...(each >= 2 ? ['append', 'combine', 'chooseBranch'] : []).map((mode) => ({ mode })),
    ...(each >= 2 ? ['mergeByPosition', 'multiplex', 'mergeByFields'] : []).map((way) => ({
      ...{ mode: 'combine', [each < 3 ? 'combinationMode' : 'combineBy']: each < 3 ? way : NEW_WAYS[way] },
    })),
    ...(each >= 3 ? [{ mode: 'combine', fieldsToMatchString: 'id' }] : []),
    ...(each >= 2 ? [{ mode: 'combine', mergeByFields: { values: [{ field1: 'a', field2: 'b' }] } }] : []),
  ],
  noOp: () => [{}],
  postgres: (each) =>
    each < 2
      ? []
      : [
          { operation: 'executeQuery', query: 'SELECT 1' },
          ...['insert', 'select', 'deleteTable'].map((operation) => ({
            operation,
            table: { value: 'a', mode: 'list' },
          })),
          { operation: 'select', table: { value: 'a' }, where: { values: [{ column: 'b' }] } },
          { operation: 'select', table: { value: 'a' }, sort: { values: [{ column: 'b' }] } },
          { operation: 'deleteTable', table: { value: 'a' }, deleteCommand: 'delete' },
          { operation: 'insert', table: { value: 'a' }, columns: { value: { b: VALUE } } },
          { operation: 'insert', table: { value: 'a' }, valuesToSend: { values: [{ column: 'b' }] } },
          {
            ...{ operation: 'upsert', table: { value: 'a' } },
            columns: { value: { b: VALUE, c: 1 }, matchingColumns: ['b'], mappingMode: 'defineBelow' },
          },
        ],
  removeDuplicates: () => [{}, { compare: 'selectedFields', fieldsToCompare: 'a' }],
  respondToWebhook: () => [
    {},
    ...['allIncomingItems', 'json', 'text', 'noData', 'firstIncomingItem', 'redirect'].map((respondWith) => ({
      respondWith,
    })),
    { options: { responseHeaders: { entries: [{ name: 'a' }] } } },
  ],
  scheduleTrigger: () => [
    {},
    { rule: { interval: [{}] } },
    ...['seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'cronExpression'].map((field) => ({
      rule: { interval: [{ field }] },
    })),
  ],
  set: (each) =>
    each < 3
      ? [
          {},
          ...OLD_TYPES.filter((type) => type !== 'dateTime').map((type) => ({ values: { [type]: [{ name: 'a' }] } })),
        ]
      : [
          {},
          { mode: 'raw' },
          { fields: { values: [{ name: 'a' }] } },
          ...['numberValue', 'booleanValue', 'objectValue'].map((type) => ({
            fields: { values: [{ name: 'a', type }] },
          })),
          { assignments: { assignments: [{ id: '1', name: 'a', value: 'b', type: 'string' }] } },
          { assignments: { assignments: [] }, includeOtherFields: true },
        ],
  splitInBatches: () => [{}, { batchSize: 3 }],
  splitOut: () => [{ fieldToSplitOut: 'a' }, { fieldToSplitOut: 'a', include: 'allOtherFields' }],
  stopAndError: () => [{}, { errorMessage: 'a' }],
  summarize: () => [
    { fieldsToSummarize: { values: [{ field: 'a' }] } },
    { fieldsToSummarize: { values: [{ aggregation: 'concatenate', field: 'a' }] }, fieldsToSplitBy: 'b' },
  ],
  switch: (each) =>
    each < 3
      ? [
          {},
          ...OLD_TYPES.map((dataType) => ({ dataType, value1: VALUE, rules: { rules: [{}] } })),
          { rules: { rules: [{}, {}] } },
          { value1: VALUE, rules: { rules: [{ value2: 5 }, { operation: 'equal', output: 1 }] } },
          { value1: VALUE, fallbackOutput: 1, rules: { rules: [{ value2: 5 }, { value2: 6 }] } },
        ]
      : [
          {},
          { rules: { values: [{ conditions: { conditions: [condition] } }] } },
          { rules: { values: [{ conditions: { conditions: [condition] }, renameOutput: true }] } },
          { rules: { values: [{ conditions: { conditions: [condition] } }] }, options: { fallbackOutput: 'extra' } },
        ],
  wait: () => [
    {},
    { amount: 3 },
    { unit: 'minutes' },
    { resume: 'timeInterval' },
    { resume: 'specificTime' },
    { resume: 'webhook' },
  ],
  xml: () => [{}, { dataPropertyName: 'a' }],
  webhook: () => [
    { path: 'a' },
    { path: 'a', responseMode: 'responseNode' },
    { path: 'a', responseMode: 'lastNode' },
    { path: 'a', options: {} },
  ],
};

const isObject = (value) => typeof value === 'object' && value !== null;

/** Returns what is in a value and not in another: of objects and lists, the members alone. */
function added(given, full) {
  if (!isObject(given) || !isObject(full)) return full;
  const entries = Object.entries(full).flatMap(([name, value]) => {
    if (!Object.hasOwn(given, name)) return [[name, value]];
    const within = isObject(value) ? added(given[name], value) : {};
    return Object.keys(within).length > 0 ? [[name, within]] : [];
  });
  return Object.fromEntries(entries);
}

/** Versions to which the same is added, by what that is. */
const groups = new Map();
for (const [type, shapes] of Object.entries(SHAPES)) {
  for (const typeVersion of versionsOf(type)) {
    for (const given of shapes(typeVersion)) {
      const row = JSON.stringify({ type, given, added: added(given, complete(type, typeVersion, given)) });
      groups.set(row, [...(groups.get(row) ?? []), typeVersion]);
    }
  }
}
const rows = [...groups].map(([row, versions]) => JSON.stringify({ ...JSON.parse(row), versions }));
const table = `{
  "n8n": ${JSON.stringify(version)},
  "nodes": [
    ${rows.join(',\n    ')}
  ]
}
`;
writeFileSync(join(import.meta.dirname, '../matrices/defaults.json'), table);
