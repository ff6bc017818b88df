import { type JsonObject, parseOwnJson } from '@deckhand/contracts';
import { compileWorkflow } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { expect, it } from '@jest/globals';
import { connect, convertN8n, node, START } from '../../../../tests/harness/import-n8n.ts';

const nodeTypes = await loadNodeTypes();

/** Converts a node after a trigger, or after a list. */
function convert(type: string, typeVersion: number, parameters: object, { isList = false, rest = {} } = {}) {
  const items = node('Items', 'code', { jsCode: 'return [];' });
  const nodes = [START, ...(isList ? [items] : []), { ...node('Node', type, parameters), typeVersion, ...rest }];
  const connections = isList ? connect('Start > Items', 'Items > Node') : connect('Start > Node');
  const workflow = convertN8n(parseOwnJson(JSON.stringify({ nodes, connections })));
  const note = workflow.notes.find(({ node: name }) => name === 'Node');
  const ids = note?.nodeIds ?? [];
  return {
    issues: compileWorkflow(workflow.definition, nodeTypes),
    level: note?.level,
    messages: note?.messages ?? [],
    nodes: workflow.definition.nodes.filter(({ id }) => ids.includes(id)),
    shape: workflow.outputs.get('Node')?.[0]?.source.shape,
  };
}

const ITEM = '$nodes.start.output';
const TABLE = { schema: { value: 'public' }, table: { value: 'or"ders' } };
const column = (value: JsonObject, matchingColumns: readonly string[] = []) => ({
  columns: { mappingMode: 'defineBelow', value, matchingColumns },
});

it.each<[string, number, object, string, unknown]>([
  ['a query', 2.6, { operation: 'executeQuery', query: 'SELECT 1;' }, 'SELECT 1;', undefined],
  [
    'a query with values',
    2.6,
    {
      ...{ operation: 'executeQuery', query: 'SELECT * FROM a WHERE b = $1 AND c = $2' },
      options: { queryReplacement: '={{ $json.b }}, {{ $json.c }}' },
    },
    'SELECT * FROM a WHERE b = $1 AND c = $2',
    [`{{ ${ITEM}?.b }}`, `{{ ${ITEM}?.c }}`],
  ],
  [
    'values that are text',
    2.6,
    { operation: 'executeQuery', query: 'SELECT $1, $2', options: { queryReplacement: 'a, b c' } },
    'SELECT $1, $2',
    ['a', 'b c'],
  ],
  [
    'a list of values',
    2.4,
    { operation: 'executeQuery', query: 'SELECT $1, $2', options: { queryReplacement: '={{ [$json.a, 1] }}' } },
    'SELECT $1, $2',
    `{{ [${ITEM}?.a, 1] }}`,
  ],
  [
    'expressions in a statement',
    2,
    { operation: 'executeQuery', query: "UPDATE a SET b = '{{ $json.b }}'" },
    `UPDATE a SET b = '{{ String(${ITEM}?.b) }}'`,
    undefined,
  ],
  [
    'an insertion',
    2.6,
    { ...TABLE, ...column({ id: '={{ $json.id }}', name: 'Ada' }), options: { skipOnConflict: true } },
    'INSERT INTO "public"."or""ders" ("id", "name") VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING *',
    [`{{ ${ITEM}?.id }}`, 'Ada'],
  ],
  [
    'an update',
    2.6,
    { operation: 'update', ...TABLE, ...column({ id: 1, name: 'Ada' }, ['id']), options: { outputColumns: ['id'] } },
    'UPDATE "public"."or""ders" SET "name" = $1 WHERE "id" = $2 RETURNING "id"',
    ['Ada', 1],
  ],
  [
    'an insertion or update',
    2.6,
    { operation: 'upsert', ...TABLE, ...column({ id: 1, name: 'Ada' }, ['id']) },
    'INSERT INTO "public"."or""ders" ("id", "name") VALUES ($1, $2) ON CONFLICT ("id") DO UPDATE SET "name" = EXCLUDED."name" RETURNING *',
    [1, 'Ada'],
  ],
  [
    'a selection',
    2.6,
    {
      ...{ operation: 'select', ...TABLE, combineConditions: 'OR', limit: 5 },
      where: {
        values: [
          { column: 'id', condition: '>', value: '={{ $json.id }}' },
          { column: 'at', condition: 'IS NULL' },
        ],
      },
      sort: { values: [{ column: 'id', direction: 'DESC' }] },
    },
    'SELECT * FROM "public"."or""ders" WHERE "id" > $1 OR "at" IS NULL ORDER BY "id" DESC LIMIT $2',
    [`{{ ${ITEM}?.id }}`, 5],
  ],
  [
    'a deletion',
    2.6,
    { operation: 'deleteTable', ...TABLE, deleteCommand: 'delete', where: { values: [{ column: 'id', value: 1 }] } },
    'DELETE FROM "public"."or""ders" WHERE "id" = $1',
    [1],
  ],
])('makes a statement of PostgreSQL of %s', (_name, version, parameters, query, values) => {
  const { level, messages, nodes, issues } = convert('postgres', version, parameters);
  expect({ level, issues: 'issues' in issues ? issues.issues : [] }).toEqual({ level: 'review', issues: [] });
  expect(messages).toContain('choose a credential of the type postgres: in n8n it has none');
  expect(nodes[0]).toMatchObject({ type: 'postgres', parameters: { query } });
  expect(nodes[0]?.parameters?.values).toEqual(values);
});

it('has columns of the item where none are named', () => {
  const { nodes, issues } = convert('postgres', 2.6, { ...TABLE, columns: { mappingMode: 'autoMapInputData' } });
  expect(issues).not.toHaveProperty('issues');
  expect(nodes[0]?.parameters?.values).toBe(`{{ Object.values(${ITEM}) }}`);
});

it('runs a statement for each item of a list', () => {
  const parameters = { operation: 'executeQuery', query: 'SELECT 1' };
  const { messages, nodes, shape } = convert('postgres', 2.6, parameters, { isList: true });
  expect(nodes.map(({ type }) => type)).toEqual(['loop', 'postgres', 'code']);
  expect(messages.join()).toContain('is a transaction of its own here');
  expect(shape).toBe('list');
});

it.each([
  ['several statements', { query: 'SELECT 1; DELETE FROM a' }],
  ['several statements', { query: "SELECT E'it\\'s'; DELETE FROM a" }],
  ['parameters with a format', { query: 'SELECT $1:name' }],
  ['a parameter within quotes', { query: "SELECT '$1'", options: { queryReplacement: 'a' } }],
  ['a parameter within quotes', { query: 'SELECT "a$1"', options: { queryReplacement: 'a' } }],
  ['a parameter within quotes', { query: 'SELECT $a$ $1 $a$', options: { queryReplacement: 'a' } }],
  ['a parameter within quotes', { query: `SELECT '$${'1'.repeat(60_000)}`, options: { queryReplacement: 'a' } }],
  ['empty texts that become null', { query: 'SELECT 1', options: { replaceEmptyStrings: true } }],
])('makes a stub of a query with %s', (reason, parameters) => {
  const { level, messages } = convert('postgres', 2.6, { operation: 'executeQuery', ...parameters });
  expect({ level, messages }).toEqual({ level: 'manual', messages: [expect.stringContaining(reason)] });
});

it('takes semicolons and parameters in texts and comments for what they are', () => {
  const query = "SELECT ';' AS a, $$;$$ AS b -- ; $1:name\nFROM c /* ; */;";
  expect(convert('postgres', 2.6, { operation: 'executeQuery', query }).level).toBe('review');
});

it('takes a parameter between two texts, or in a comment, for one that is not within quotes', () => {
  const query = "SELECT * FROM orders WHERE status = 'open' AND id = $1 AND kind = 'x' -- '$2'";
  const given = { operation: 'executeQuery', query, options: { queryReplacement: 'a' } };
  expect(convert('postgres', 2.6, given).nodes[0]?.parameters?.query).toBe(query);
});

// Otherwise, what follows each of many beginnings would be searched for an end.
it.each(["'", '"', "E'", "E'\\\\", '--', '/*', '$$', '$a$', '$a1$ $a2$'])(
  'takes all after a %s without an end for text',
  (start) => {
    const query = `SELECT 1 AS a ${start} b ; SELECT 2 /* ; $a3$ ;`;
    expect(convert('postgres', 2.6, { operation: 'executeQuery', query }).level).toBe('review');
  },
);

it('knows where a text with backslashes ends', () => {
  const query = "SELECT E'it\\'s; ''; \\\\' AS a";
  expect(convert('postgres', 2.6, { operation: 'executeQuery', query }).level).toBe('review');
});

it('takes dollars within names and parameters for no quotes', () => {
  for (const query of ['SELECT a$b$ FROM c; DELETE FROM d', 'SELECT $1$; DELETE FROM d']) {
    expect(convert('postgres', 2.6, { operation: 'executeQuery', query }).messages).toEqual([
      expect.stringContaining('several statements'),
    ]);
  }
});

const MAIL = { fromEmail: 'a@example.com', toEmail: '={{ $json.to }}', subject: 'Order {{ 1 }}' };

it.each<[number, object, object]>([
  [1, { text: 'Hello', html: '' }, { text: 'Hello' }],
  [1, { html: '=<b>{{ $json.a }}</b>' }, { html: `<b>{{ String(${ITEM}?.a ?? '') }}</b>` }],
  [2, { text: '={{ $json.text }}' }, { text: `{{ convert.string(${ITEM}?.text) ?? '' }}` }],
  [2.1, { html: 'Hi', text: 'left out' }, { html: 'Hi' }],
  [
    2.1,
    { emailFormat: 'both', html: 'Hi', text: 'too', options: { ccEmail: 'c@example.com' } },
    { html: 'Hi', text: 'too', cc: 'c@example.com' },
  ],
])('sends a message of version %s', (version, parameters, expected) => {
  const credentials = { smtp: { id: '1', name: 'Office' } };
  const { messages, nodes, issues } = convert(
    'emailSend',
    version,
    { ...MAIL, ...parameters },
    { rest: { credentials } },
  );
  expect(issues).not.toHaveProperty('issues');
  expect(messages).toContain('choose a credential of the type smtp: in n8n it is "Office"');
  expect(nodes[0]).toMatchObject({
    type: 'email',
    parameters: {
      from: 'a@example.com',
      to: `{{ convert.string(${ITEM}?.to) ?? '' }}`,
      subject: String.raw`Order \{{ 1 }}`,
      ...expected,
    },
  });
  const hasSentence = messages.some((message) => message.includes('sentence about n8n'));
  expect(hasSentence).toBe(version >= 2.1);
});

it('lets a message without a sender fail, which n8n refuses to run', () => {
  const { level, messages } = convert('emailSend', 2.1, { ...MAIL, fromEmail: '' });
  expect({ level, messages }).toEqual({ level: 'review', messages: [expect.stringContaining('no sender')] });
});

it.each([
  ['the file "data" of an item', { options: { attachments: 'data' } }],
  ['attachments', { options: { fileAttachments: 'data' } }],
  ['a form of its own', { operation: 'sendAndWait', responseType: 'customForm' }],
])('makes a stub of a message with %s', (reason, parameters) => {
  const { level, messages } = convert('emailSend', 2.1, { ...MAIL, ...parameters });
  expect({ level, messages }).toEqual({ level: 'manual', messages: [expect.stringContaining(reason)] });
});

it.each<[string, object, object, readonly string[]]>([
  ['a decision', { approvalOptions: { values: { approvalType: 'double' } } }, {}, ['approved', 'rejected']],
  ['a consent', { options: { limitWaitTime: { values: {} } } }, { timeoutSeconds: 3_600 }, ['approved']],
])('waits for %s by the link of a message', (_what, parameters, limit, choices) => {
  const { messages, nodes, shape, issues } = convert(
    'emailSend',
    2.1,
    { ...MAIL, operation: 'sendAndWait', message: '=Pay {{ $json.a }}?', ...parameters },
    { isList: true },
  );
  expect(issues).not.toHaveProperty('issues');
  expect(nodes).toMatchObject([
    { type: 'email', parameters: { text: expect.stringContaining('{{ $links.node__response }}') } },
    { type: 'approval', parameters: { choices, allowLinks: true, ...limit } },
    { type: 'code' },
  ]);
  expect(messages).toContain('without a response in time, the run fails; in n8n it goes on with its input');
  // n8n sends one message, whatever the number of items.
  expect(shape).toBe('one');
});

it('waits for a text by the link of a message', () => {
  const parameters = { ...MAIL, operation: 'sendAndWait', responseType: 'freeText' };
  const { nodes, issues } = convert('emailSend', 2.1, parameters);
  expect(issues).not.toHaveProperty('issues');
  expect(nodes.map(({ type }) => type)).toEqual(['email', 'human', 'code']);
});

it('has no items for an operation that the node does not have, as in n8n', () => {
  const { level, messages, shape } = convert('emailSend', 2.1, { operation: 'addLabels' });
  expect({ level, messages, shape }).toEqual({
    level: 'review',
    messages: ['it has no operation addLabels, so that it does nothing and has no items, as in n8n'],
    shape: 'list',
  });
});

it('leaves the secret of a signature out of the definition', () => {
  const parameters = { action: 'hmac', type: 'SHA256', value: '={{ $json.body }}', secret: 'hunter2' };
  const { messages, nodes, issues } = convert('crypto', 1, parameters);
  expect(issues).not.toHaveProperty('issues');
  expect(JSON.stringify(nodes)).not.toContain('hunter2');
  expect(messages).toContain('save the secret of the export in that credential');
  expect(nodes[0]).toMatchObject({ type: 'hmac', parameters: { operation: 'sign', data: `{{ ${ITEM}?.body }}` } });
});

it.each(['uuid', 'hex', 'base64', 'ascii'])(
  'writes a random value as %s, which is not fit for secrets',
  (encodingType) => {
    const { level, messages } = convert('crypto', 1, { action: 'generate', encodingType });
    expect({ level, messages: messages.join() }).toEqual({
      level: 'review',
      messages: 'random values come from Math.random here, which is not fit for secrets',
    });
  },
);

it('sends a redirection, and the message of an error that is an object', () => {
  const redirect = convert('respondToWebhook', 1.1, { respondWith: 'redirect', redirectURL: '={{ $json.url }}' });
  expect(redirect.nodes[0]?.parameters).toMatchObject({
    statusCode: 307,
    headers: { location: `{{ ${ITEM}?.url }}` },
  });
  const error = convert('stopAndError', 1, { errorType: 'errorObject', errorObject: '{ "error": "lost" }' });
  expect(error.issues).not.toHaveProperty('issues');
  expect(error.nodes[0]?.type).toBe('fail');
});

it.each([2, 2.6])('a statement without a table fails, as in n8n (version %p)', (version) => {
  for (const table of [undefined, '', { __rl: true, mode: 'list', value: '' }]) {
    const { level, messages, nodes } = convert('postgres', version, table === undefined ? {} : { table });
    expect({ level, messages }).toEqual({
      level: 'review',
      messages: ['it has no table, so that it fails, as in n8n: complete it'],
    });
    expect(nodes).toMatchObject([{ type: 'fail' }]);
  }
});

it.each<[string, number, object]>([
  ['emailSend', 2.1, MAIL],
  ['emailSend', 2.1, { ...MAIL, operation: 'sendAndWait', message: 'Ok?' }],
  ['postgres', 2.6, { operation: 'executeQuery', query: 'SELECT 1;' }],
  ['xml', 1, {}],
  ['crypto', 1, { value: 'a' }],
])('says that a run fails with %s, although it goes on in n8n', (type, version, parameters) => {
  for (const isList of [false, true]) {
    const rest = { onError: 'continueRegularOutput' };
    const { level, messages, nodes } = convert(type, version, parameters, { isList, rest });
    expect(level).toBe('review');
    expect(messages).toContain('if it fails, the run fails; in n8n, the run goes on');
    expect(nodes.filter(({ onError }) => onError !== undefined)).toEqual([]);
  }
});
