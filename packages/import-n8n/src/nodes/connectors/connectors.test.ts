import { actionRequest, composeConnector, type Connector, n8nTables, readPack } from '@deckhand/connectors';
import { compileUntrusted, isJsonObject, type JsonObject, type JsonValue, parseOwnJson } from '@deckhand/contracts';
import { compileWorkflow, type NodeType, output } from '@deckhand/engine';
import { createScriptRunner, loadNodeTypes } from '@deckhand/nodes';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInMemory } from '../../../../../tests/harness/engine.ts';
import { connect, convertN8n, node, START } from '../../../../../tests/harness/import-n8n.ts';
import { object, show } from '../../workflow.ts';

/** A request as it was sent. */
interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body?: JsonValue;
}

/** What a node of n8n sent to a service, and what it made of the responses, as `record/connectors.mjs` writes it. */
interface Recorded {
  readonly type: string;
  readonly version: number;
  readonly parameters: JsonObject;
  readonly items: readonly JsonObject[];
  readonly responses: readonly JsonValue[];
  /** The file of its item. */
  readonly file?: JsonObject;
  readonly sent: readonly Sent[];
  /** Items by output, or "fails". */
  readonly outputs: JsonValue;
}

const PATH = join(import.meta.dirname, '../../../matrices/connectors.json');
const { rows } = parseOwnJson<{ readonly rows: readonly Recorded[] }>(readFileSync(PATH, 'utf8'));
const PACKS = join(import.meta.dirname, '../../../../connectors/packs');
const code = createScriptRunner();
afterAll(() => code.close());

const connectors = new Map<string, Connector>();

function connectorOf(name: string): Connector {
  const known = connectors.get(name);
  if (known) return known;
  const file = (path: string) => ({ name: path, text: readFileSync(join(PACKS, name, path), 'utf8') });
  const read = readPack({ pack: file('pack.yaml'), document: file('openapi.yaml') });
  const loaded =
    'issues' in read ? read : composeConnector(read.source, { pack: 'pack.yaml', document: 'openapi.yaml' });
  if ('issues' in loaded) throw new Error(JSON.stringify(loaded.issues));
  connectors.set(name, loaded.connector);
  return loaded.connector;
}

/** Returns what a connector node sends. */
function requestOf(parameters: JsonObject): Sent {
  const connector = connectorOf(show(parameters.connector));
  expect(connector.version).toBe(parameters.version);
  const action = connector.actions.find(({ id }) => id === parameters.operation);
  if (!action) throw new Error(`no action ${show(parameters.operation)}`);
  const values = object(parameters.values);
  const compiled = compileUntrusted(action.operation.schema);
  if ('issues' in compiled) throw new Error(JSON.stringify(compiled.issues));
  expect(compiled.check(values)).not.toHaveProperty('issues');
  const { method, url, body } = actionRequest(connector, action, values);
  return { method, url: plainUrl(url), ...(body !== undefined && { body: plain(body) }) };
}

/** Parts of a query that only say what a response has, and more. */
const QUERY_OF_FORM = [
  'fields',
  'spaces',
  'corpora',
  'includeItemsFromAllDrives',
  'supportsAllDrives',
  'uploadType',
  'supportsTeamDrives',
];

function plainUrl(url: string): string {
  const at = new URL(url);
  for (const name of QUERY_OF_FORM) at.searchParams.delete(name);
  at.searchParams.sort();
  return decodeURIComponent(
    at.href
      .replaceAll('.000Z', 'Z')
      .replace('/upload/', '/')
      .replace('/www.googleapis.com/gmail/', '/gmail.googleapis.com/gmail/'),
  );
}

/**
 * Returns a body without an option of n8n that no service knows and a false that means nothing, and with numbers of
 * sheets that n8n writes as texts.
 */
function plain(given: JsonValue): JsonValue {
  if (typeof given === 'string') return messageOf(given);
  // A file, or what n8n sends beside it: the next request says so again.
  if ('base64' in object(given) || 'metadata' in object(given)) return null;
  const { raw } = object(given);
  if (typeof raw === 'string') return messageOf(Buffer.from(raw, 'base64url').toString());
  const body = parseOwnJson<JsonValue>(
    JSON.stringify(given)
      .replace(/"sheetId":"(\d+)"/g, '"sheetId":$1')
      .replaceAll('.000Z"', 'Z"')
      .replace(/,?"recurrence":\[\]/, ''),
  );
  if (!isJsonObject(body)) return body;
  const { includeLinkToWorkflow: _, reply_broadcast, ...others } = body;
  const rest = reply_broadcast === true ? { ...others, reply_broadcast } : others;
  const { text } = rest;
  return typeof text === 'string' ? { ...rest, text: text.replace(/\n_Automated with this .*/, '') } : rest;
}

/** Returns the parts of a mail that people see, without the line with which n8n ends it. */
function messageOf(raw: string): JsonObject {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n\s+/g, ' ').split('\r\n');
  const headers = new Map(lines.map((line) => [line.split(':')[0]?.toLowerCase(), line.slice(line.indexOf(':') + 2)]));
  const body = rest.join('\r\n\r\n');
  const isBase64 = headers.get('content-transfer-encoding') === 'base64';
  const decoded = isBase64 ? Buffer.from(body, 'base64').toString() : body;
  const words = (text = ''): string =>
    text
      .replaceAll(/\?=\s+=\?/g, '?==?')
      .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_all, form: string, word: string) =>
        Buffer.from(form === 'B' ? word : fromQ(word), form === 'B' ? 'base64' : 'latin1').toString(),
      );
  return {
    ...Object.fromEntries(
      ['to', 'cc', 'bcc', 'reply-to', 'content-type'].map((name) => [name, headers.get(name) ?? null]),
    ),
    subject: words(headers.get('subject')),
    text: decoded
      .replace(/(?:<br><br>)?\s*---\s*(?:<br>)?\s*(?:<em>)?This email was sent automatically with.*/s, '')
      .trim(),
  };
}

function fromQ(word: string): string {
  const hex = (_all: string, code: string) => String.fromCharCode(Number.parseInt(code, 16));
  return word.replaceAll('_', ' ').replaceAll(/=([\dA-F]{2})/g, hex);
}

async function run({ type, version, parameters, items, responses, file }: Recorded) {
  const isOne = items.length === 1;
  const made = `return [{ json: ${JSON.stringify(items[0])}, binary: { data: ${JSON.stringify(file)} } }];`;
  const source = file
    ? node('Items', 'code', { jsCode: made })
    : isOne
      ? node('Items', 'set', { mode: 'raw', jsonOutput: JSON.stringify(items[0]) })
      : node('Items', 'code', { jsCode: `return ${JSON.stringify(items.map((json) => ({ json })))};` });
  const nodes = [START, source, { ...node('Node', type, parameters), typeVersion: version }];
  const workflow = { nodes, connections: connect('Start > Items', 'Items > Node') };
  const converted = convertN8n(parseOwnJson(JSON.stringify(workflow)));
  const sent: Sent[] = [];
  const replace = (given: NodeType): NodeType =>
    given.type === 'connector'
      ? {
          ...given,
          run(values) {
            const asked = object(values);
            sent.push(requestOf(asked));
            const body = responses[Math.min(sent.length, responses.length) - 1] ?? null;
            const [list] = asked.allPages === true ? Object.values(object(body)) : [];
            return Promise.resolve(output(list ?? { status: 200, headers: {}, body }));
          },
        }
      : given;
  return {
    ...converted,
    sent,
    run: () => runInMemory(converted.definition, { trigger: {}, services: { code }, replace }),
  };
}

const named = rows.map(
  (row, index) => [`${index + 1}: ${row.type} ${row.version} ${JSON.stringify(row.parameters)}`, row] as const,
);

describe.each(named)('%s', (_name, row) => {
  it('sends what n8n sends, and makes the same items', async () => {
    const { definition, notes, sent, outputs, run: start } = await run(row);
    const note = notes.find(({ node: name }) => name === 'Node');
    expect(note).toMatchObject({ level: 'review' });
    expect(compileWorkflow(definition, await loadNodeTypes())).not.toHaveProperty('issues');
    const { ending, journal } = await start();
    expect(ending).toMatchObject(row.outputs === 'fails' ? { kind: 'failed' } : { kind: 'success' });
    expect(sent).toEqual(
      row.sent.map(({ method, url, body }) => ({
        method,
        url: plainUrl(url),
        ...(body !== undefined && { body: plain(body) }),
      })),
    );
    if (row.outputs === 'fails') return;
    const [{ source } = { source: undefined }] = outputs.get('Node') ?? [];
    const [, id = '', member] = /^\$nodes\.(\w+)\.output(?:\.(\w+))?$/.exec(source?.text ?? '') ?? [];
    const all = journal.findLast(({ nodeId, status }) => nodeId === id && status === 'success')?.output;
    const made = member === undefined ? all : object(all)[member];
    expect([source?.shape === 'one' ? [made] : made]).toEqual(row.outputs);
  });
});

function convertOne(type: string, typeVersion: number, parameters: JsonObject) {
  const nodes = [START, { ...node('Node', type, parameters), typeVersion }];
  return convertN8n(parseOwnJson(JSON.stringify({ nodes, connections: connect('Start > Node') })));
}

/** Converts one node, and returns its note. */
function noteOf(type: string, typeVersion: number, parameters: JsonObject) {
  return convertOne(type, typeVersion, parameters).notes.find(({ node: name }) => name === 'Node');
}

it('is a stub that names the operation, if a parameter has no equivalent', () => {
  const known = { select: 'channel', channelId: { __rl: true, mode: 'id', value: 'C1' }, text: 'Hi' };
  expect(noteOf('slack', 2.2, known)).toMatchObject({ level: 'review' });
  expect(
    noteOf('slack', 2.2, { ...known, otherOptions: { botProfile: { imageValues: { icon_emoji: 'a' } } } }),
  ).toMatchObject({
    level: 'manual',
    messages: [
      'its parameter otherOptions.botProfile has no equivalent: choose the operation "message.send" of the connector "slack" 1.0.0',
    ],
  });
});

it.each([
  [
    'discord',
    2,
    { sendTo: 'user', guildId: { mode: 'id', value: 'G' }, userId: { mode: 'id', value: 'U' }, content: 'Hi' },
  ],
  ['discord', 2, { channelId: { mode: 'id', value: 'C' }, embeds: { values: [{ description: 'Hi' }] } }],
  ['slack', 2.2, { select: 'channel', channelId: { mode: 'id', value: 'C1' }, messageType: 'block', blocksUi: '[]' }],
  ['slack', 2.2, { select: 'user', user: { mode: 'username', value: 'bob' }, text: 'Hi' }],
])('is a stub, and no node that fails, where n8n sends what the table does not know: %s', (type, version, given) => {
  expect(noteOf(type, version, given)).toMatchObject({ level: 'manual' });
});

it.each([
  [
    'an address of a sheet',
    'googleSheets',
    4.5,
    { documentId: { mode: 'id', value: 'D' }, sheetName: { mode: 'url' } },
  ],
  ['an address of a spreadsheet', 'googleSheets', 4.5, { documentId: { mode: 'url' }, sheetName: { mode: 'id' } }],
  ['an address of a file', 'googleDrive', 3, { operation: 'download', fileId: { mode: 'url' } }],
])('searches no long text: %s', (_what, type, version, given) => {
  const long = `https://docs.google.com/spreadsheets/d/${'https://drive.google.com/'.repeat(2_000)}`;
  const parameters = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : { value: 'x', ...value, ...(value.mode === 'url' && { value: long }) },
    ]),
  );
  expect(noteOf(type, version, parameters)).toMatchObject({
    level: 'manual',
    messages: ['an address of more than 2000 characters'],
  });
});

it('fails without what n8n needs', () => {
  expect(noteOf('slack', 2.2, {})).toMatchObject({
    level: 'review',
    messages: ['it has no channel or user, so that it fails, as in n8n: complete it'],
  });
});

const CHANNEL = { __rl: true, mode: 'id', value: 'C1' };
const BLOCKS = '{ "blocks": [{ "type": "divider" }] }';

it.each([
  ['a message of Discord to a user', 'discord', { sendTo: 'user', userId: CHANNEL, content: 'Hi' }, 'others'],
  ['embeds of Discord', 'discord', { channelId: CHANNEL, embeds: { values: [{ title: 'T' }] } }, 'embeds'],
  ['files of Discord', 'discord', { channelId: CHANNEL, files: { values: [{ inputFieldName: 'a' }] } }, 'files'],
  [
    'blocks of Slack',
    'slack',
    { select: 'channel', channelId: CHANNEL, messageType: 'block', blocksUi: BLOCKS },
    'others',
  ],
  [
    'attachments of Slack',
    'slack',
    { select: 'user', user: CHANNEL, messageType: 'attachment', attachments: [{ text: 'a' }] },
    'others',
  ],
  [
    'changed blocks of Slack',
    'slack',
    { operation: 'update', channelId: CHANNEL, ts: '1.2', messageType: 'block', blocksUi: BLOCKS },
    'others',
  ],
])('is a stub, if n8n runs the node without what an operation needs: %s', (_what, type, parameters, reason) => {
  expect(noteOf(type, 2, { resource: 'message', ...parameters })).toMatchObject({
    level: 'manual',
    messages: [expect.stringMatching(new RegExp(`^its parameters? .*${reason}.*: choose the operation "message\\.`))],
  });
});

it.each([
  ['Discord', 'discord', { resource: 'message', channelId: { ...CHANNEL, value: '' }, content: 'Hi' }, 'no channelId'],
  ['Slack', 'slack', { select: 'user', user: CHANNEL }, 'no text'],
  ['Slack', 'slack', { operation: 'update', channelId: CHANNEL, text: 'Hi' }, 'no ts'],
  ['Airtable', 'airtable', { operation: 'get', base: { ...CHANNEL, value: null }, table: CHANNEL, id: 'r' }, 'no base'],
])('fails without what n8n needs for the operation that %s has', (_service, type, parameters, what) => {
  expect(noteOf(type, 2, parameters)).toMatchObject({
    level: 'review',
    messages: [`it has ${what}, so that it fails, as in n8n: complete it`],
  });
});

it('asks for 100 records where an export has no limit, as n8n does', () => {
  const located = { base: CHANNEL, table: CHANNEL };
  const { definition } = convertOne('airtable', 2.1, { ...located, operation: 'search', returnAll: false });
  const call = definition.nodes.find(({ type }) => type === 'connector');
  expect(call?.parameters?.values).toMatchObject({ query: { maxRecords: 100 } });
});

describe('a parameter that is chosen', () => {
  const post = { select: 'channel', text: 'Hi' };
  const levelOf = (type: string, version: number, parameters: JsonObject) => noteOf(type, version, parameters)?.level;

  it.each([
    ['slack', { select: 'user', user: { __rl: true, mode: 'username', value: 'ada' }, text: 'Hi' }],
    ['slack', { ...post, channelId: { __rl: true, mode: 'url', value: 'https://app.slack.com/client/T/C1' } }],
    ['slack', { ...post, channelId: { __rl: true, mode: 'constructor', value: 'C1' } }],
    ['slack', { ...post, channelId: { __rl: true, mode: '={{ $json.mode }}', value: 'C1' } }],
    ['slack', { ...post, channelId: { __rl: true, value: 'C1' } }],
    ['slack', { ...post, channelId: { ...CHANNEL, value: { id: 'C1' } } }],
    ['slack', { ...post, channelId: CHANNEL, text: { a: 1 } }],
    ['googleSheets', { documentId: { mode: 'name', value: 'doc' }, sheetName: { mode: 'id', value: '0' } }],
    ['googleSheets', { documentId: CHANNEL, sheetName: { mode: 'other', value: '0' } }],
    ['googleDrive', { operation: 'download', fileId: { mode: 'other', value: 'F' } }],
  ])('makes a stub if it is given in a way that is not known: %s %j', (type, parameters) => {
    expect(levelOf(type, 4, parameters)).toBe('manual');
  });

  it('is one by its members, as in n8n, not by its mark', () => {
    const { definition } = convertOne('slack', 2.2, { ...post, channelId: { mode: 'id', value: 'C1' } });
    const call = definition.nodes.find(({ type }) => type === 'connector');
    expect(call?.parameters?.values).toMatchObject({ body: { channel: 'C1' } });
  });

  it('has an address in which n8n finds the same', () => {
    const url = (value: string) => ({ mode: 'url', value });
    const { definition } = convertOne('airtable', 2.1, {
      operation: 'get',
      base: url('https://airtable.com/appB1'),
      table: url('https://airtable.com/appB1/tblT1'),
      id: 'r',
    });
    const call = definition.nodes.find(({ type }) => type === 'connector');
    expect(call?.parameters?.values).toMatchObject({ path: { baseId: 'appB1', tableIdOrName: 'tblT1' } });
  });
});

describe('given columns', () => {
  const located = { base: CHANNEL, table: CHANNEL, documentId: CHANNEL, sheetName: { mode: 'id', value: '0' } };
  const columnsOf = (value: JsonValue) => ({ mappingMode: 'defineBelow', value });

  it.each([['text'], [['a']], ['={{ $json }}'], [5]])('are an object, or make a stub: %j', (value) => {
    const { base, table, documentId, sheetName } = located;
    const columns = columnsOf(value);
    expect(noteOf('airtable', 2.1, { base, table, operation: 'create', columns })?.level).toBe('manual');
    expect(noteOf('googleSheets', 4.5, { documentId, sheetName, operation: 'append', columns })?.level).toBe('manual');
  });

  it('may be called as the members of a parameter that is chosen', () => {
    const { base, table } = located;
    const columns = columnsOf({ mode: 'fast', value: '={{ $json.n }}' });
    const { definition } = convertOne('airtable', 2.1, { base, table, operation: 'create', columns });
    const call = definition.nodes.find(({ type }) => type === 'connector');
    expect(show(object(call?.parameters?.values).body)).toContain('\\"mode\\": \\"fast\\"');
  });
});

describe('choices of Google Sheets', () => {
  const sheet = { documentId: CHANNEL, sheetName: { mode: 'id', value: '0' } };
  const columns = { mappingMode: 'defineBelow', value: { a: 1 }, matchingColumns: ['a'] };
  const formatted = (values: JsonObject) => ({ options: { outputFormatting: { values } } });
  const EXPRESSION = '={{ $json.format }}';
  const ENDS = { rangeDefinition: 'detectAutomatically', readRowsUntil: EXPRESSION };

  it.each<[string, JsonObject]>([
    ...['append', 'update', 'appendOrUpdate'].flatMap((operation): [string, JsonObject][] =>
      [EXPRESSION, '{{ 1 }}', '', null].map((cellFormat) => [operation, { columns, options: { cellFormat } }]),
    ),
    ['read', formatted({ general: EXPRESSION })],
    ['read', formatted({ general: '{{ 1 }}' })],
    ['read', formatted({ date: EXPRESSION })],
    ['read', formatted({ date: { a: 1 } })],
    ['read', { options: { dataLocationOnSheet: { values: ENDS } } }],
    ['read', { combineFilters: EXPRESSION, filtersUI: { values: [{ lookupColumn: 'a', lookupValue: '1' }] } }],
  ])('make a stub if they are not known: %s %j', (operation, parameters) => {
    expect(noteOf('googleSheets', 4.5, { ...sheet, operation, ...parameters })).toMatchObject({ level: 'manual' });
  });
});

it('lets no address begin a header of a mail', async () => {
  const row: Recorded = {
    type: 'gmail',
    version: 2.1,
    parameters: { sendTo: '={{ $json.to }}', subject: 'Hi', message: 'Hello', options: { appendAttribution: false } },
    items: [{ to: 'a@example.com\r\nBcc: b@example.com' }],
    responses: [{ id: 'm' }],
    sent: [],
    outputs: [],
  };
  const { sent, run: start } = await run(row);
  await start();
  expect(sent).toMatchObject([{ body: { to: 'a@example.com Bcc: b@example.com', bcc: null } }]);
});

it('has tables that fit their packs', () => {
  for (const { connector: name, version, operations } of n8nTables()) {
    const connector = connectorOf(name);
    expect(version).toBe(connector.version);
    const actions = new Set(connector.actions.map(({ id }) => id));
    expect(operations.filter(({ action }) => !actions.has(action))).toEqual([]);
  }
});

it('says that the run fails where n8n goes on after an error of a service or of an agent', () => {
  const known = { select: 'channel', channelId: { __rl: true, mode: 'id', value: 'C1' }, text: 'Hi' };
  const goesOn = { onError: 'continueRegularOutput' };
  const agent = '@n8n/n8n-nodes-langchain.agent';
  const nodes = [
    START,
    { ...node('Slack', 'slack', known, goesOn), typeVersion: 2.2 },
    { ...node('Agent', 'agent', {}, goesOn), type: agent, typeVersion: 2 },
    { ...node('Model', 'lm'), type: '@n8n/n8n-nodes-langchain.lmChatOpenAi' },
    node('Tool', 'httpRequestTool', { url: 'https://example.com' }),
  ];
  const attached = (type: string) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
  const connections = {
    ...connect('Start > Slack', 'Start > Agent'),
    Model: attached('ai_languageModel'),
    Tool: attached('ai_tool'),
  };
  const { notes, definition } = convertN8n(parseOwnJson(JSON.stringify({ nodes, connections })));
  for (const name of ['Slack', 'Agent']) {
    const { level, messages } = notes.find((note) => note.node === name) ?? {};
    expect([level, messages]).toEqual(['review', expect.arrayContaining([FAILS])]);
  }
  expect(definition.nodes.filter(({ onError }) => onError !== undefined)).toEqual([]);
});

const FAILS = 'if it fails, the run fails; in n8n, the run goes on';

describe('events of Google Calendar', () => {
  const calendar = { __rl: true, mode: 'id', value: 'c' };
  const convert = (parameters: JsonObject, typeVersion = 1.3) => {
    const items = { ...node('Items', 'code', { jsCode: 'return [{ json: {} }, { json: {} }];' }), typeVersion: 2 };
    const nodes = [START, items, { ...node('Event', 'googleCalendar', { calendar, ...parameters }), typeVersion }];
    const connections = connect('Start > Items', 'Items > Event');
    return convertN8n(parseOwnJson(JSON.stringify({ nodes, connections })));
  };

  it('tell guests as each item says', () => {
    const { definition } = convert({ additionalFields: { sendUpdates: '={{ $json.notify }}' } });
    const call = definition.nodes.find(({ type }) => type === 'connector');
    expect(JSON.stringify(call?.parameters)).toMatch(/"sendUpdates":"\{\{ [^"]*\$loop/);
  });

  it.each<JsonObject>([
    { options: { recurringEventHandling: 'first' } },
    { options: { recurringEventHandling: '={{ $json.how }}' } },
    { options: { singleEvents: '={{ $json.all }}' } },
  ])('are a stub for %j', (parameters) => {
    const { notes } = convert({ operation: 'getAll', ...parameters });
    expect(notes.find(({ node: name }) => name === 'Event')?.level).toBe('manual');
  });

  it('are a review for a time zone of the node', () => {
    const { notes } = convert({ operation: 'getAll', options: { timeZone: { __rl: true, value: 'Europe/Berlin' } } });
    const { level, messages } = notes.find(({ node: name }) => name === 'Event') ?? {};
    expect([level, messages?.some((each) => each.includes('in the time zone of the node'))]).toEqual(['review', true]);
  });
});
