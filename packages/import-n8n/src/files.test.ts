import { type JsonValue, parseJson } from '@deckhand/contracts';
import { compileWorkflow } from '@deckhand/engine';
import { createScriptRunner, loadNodeTypes } from '@deckhand/nodes';
import { afterAll, describe, expect, it } from '@jest/globals';
import { runInMemory } from '../../../tests/harness/engine.ts';
import { connect, convertN8n, node, START } from '../../../tests/harness/import-n8n.ts';

const code = createScriptRunner();
afterAll(() => code.close());

const FILE = { base64: 'aGk=', contentType: 'text/plain' };
const download = node('Download', 'httpRequest', {
  url: 'https://example.com/a',
  options: { response: { response: { responseFormat: 'file' } } },
});
const respond = node('Respond', 'respondToWebhook', { respondWith: 'binary', options: {} });
const keep = (options: object) => node('Keep', 'set', { options, assignments: { assignments: [] } });

const convert = (nodes: object[], ...connections: string[]) =>
  convertN8n(parseJson(JSON.stringify({ name: 'Test', nodes, connections: connect(...connections) })));
const levels = ({ notes }: ReturnType<typeof convert>) => notes.map(({ level }) => level);

describe('files of items', () => {
  it('are those of responses, through Set and to a response', async () => {
    const { definition } = convert(
      [START, download, keep({}), respond],
      'Start > Download',
      'Download > Keep',
      'Keep > Respond',
    );
    const mocks = new Map<string, JsonValue>([['download', { status: 200, headers: {}, body: FILE }]]);
    const { ending } = await runInMemory(definition, { trigger: {}, services: { code }, mocks });
    expect(ending).toMatchObject({ kind: 'success', result: { body: FILE } });
  });

  it.each([
    [1, { attachments: 'data' }, false],
    [2.1, { options: { attachments: 'data' } }, true],
    [2.1, { options: { fileAttachments: 'data' } }, false],
  ])('are attached to messages of version %s by %j', (typeVersion, given, isInline) => {
    const message = { fromEmail: 'a@example.com', toEmail: 'b@example.com', ...given };
    const mail = node('Mail', 'emailSend', message, { typeVersion });
    const { definition, notes } = convert([START, download, mail], 'Start > Download', 'Download > Mail');
    const file =
      'convert.object(({ "data": $nodes.download.output.body })?.["data"] ?? "the file \\"data\\" is missing")';
    expect(definition.nodes.find(({ id }) => id === 'mail')?.parameters).toMatchObject({
      attachments: [{ file: `{{ ${file} }}` }],
    });
    const messages = notes.find(({ node: name }) => name === 'Mail')?.messages ?? [];
    expect(messages).toContain('an item without any files fails here, in n8n its message has no attachments');
    expect(messages.some((each) => each.includes('cid:'))).toBe(isInline);
  });

  it('are those that a script makes for one item', async () => {
    const jsCode =
      "return [{ json: {}, binary: { data: { data: Buffer.from('hi').toString('base64'), mimeType: 'text/plain', fileName: 'a.txt' } } }];";
    const { definition } = convert(
      [START, node('Script', 'code', { jsCode }), respond],
      'Start > Script',
      'Script > Respond',
    );
    const { ending } = await runInMemory(definition, { trigger: {}, services: { code } });
    expect(ending).toMatchObject({ kind: 'success', result: { body: { ...FILE, filename: 'a.txt' } } });
  });

  it('have a name and a type that expressions read', async () => {
    const assignments = [
      ['name', '={{ $binary.data.fileName }}'],
      ['type', "={{ $('Download').item.binary.data.mimeType }}"],
      ['has', '={{ $binary.data ? true : false }}'],
      ['lacks', '={{ $input.item.binary.other?.fileName }}'],
      ['keys', '={{ Object.keys($binary) }}'],
    ].map(([name, value]) => ({ name, value, type: 'any' }));
    const { definition, notes } = convert(
      [START, download, node('Read', 'set', { assignments: { assignments }, options: {} })],
      'Start > Download',
      'Download > Read',
    );
    expect(notes.at(-1)?.messages).toContain('of a file, fileName and mimeType alone are known here');
    const body = { ...FILE, filename: 'a.txt' };
    const mocks = new Map<string, JsonValue>([['download', { status: 200, headers: {}, body }]]);
    const { journal } = await runInMemory(definition, { trigger: {}, services: { code }, mocks });
    const read = { name: 'a.txt', type: 'text/plain', has: true, lacks: null, keys: ['data'] };
    expect(journal.findLast(({ nodeId }) => nodeId === 'read')?.output).toEqual(read);
  });

  it('end where Set leaves them out', () => {
    const nodes = [START, download, keep({ stripBinary: true }), respond];
    expect(levels(convert(nodes, 'Start > Download', 'Download > Keep', 'Keep > Respond')).at(-1)).toBe('manual');
  });

  it('are parts of a form, and bodies', () => {
    const form = node('Form', 'httpRequest', {
      method: 'POST',
      url: 'https://example.com/b',
      sendBody: true,
      contentType: 'multipart-form-data',
      bodyParameters: {
        parameters: [
          { name: 'title', value: 'A' },
          { name: 'file', parameterType: 'formBinaryData', inputDataFieldName: 'data' },
        ],
      },
    });
    const { definition } = convert([START, download, form], 'Start > Download', 'Download > Form');
    const file =
      'convert.object(({ "data": $nodes.download.output.body })?.["data"] ?? "the file \\"data\\" is missing")';
    expect(definition.nodes.find(({ id }) => id === 'form')?.parameters).toMatchObject({
      headers: { 'content-type': 'multipart/form-data' },
      body: { title: 'A', file: `{{ ${file} }}` },
    });
  });

  it('are made with a name and a type that are text, also with braces', async () => {
    const options = { fileName: '{{ 1 }}.txt', mimeType: 'text/{{ 2 }}' };
    const make = node('Make', 'convertToFile', { operation: 'toText', sourceProperty: 'a', options });
    const { definition } = convert([START, make, respond], 'Start > Make', 'Make > Respond');
    const { ending } = await runInMemory(definition, { trigger: { a: 'hi' }, services: { code } });
    const body = { filename: '{{ 1 }}.txt', contentType: 'text/{{ 2 }}' };
    expect(ending).toMatchObject({ kind: 'success', result: { body } });
  });

  it('are asked of what replaces a stub', () => {
    const stub = node('Telegram', 'telegram');
    const { notes } = convert([START, stub, respond], 'Start > Telegram', 'Telegram > Respond');
    expect(notes.at(-1)).toMatchObject({
      level: 'review',
      messages: expect.arrayContaining([expect.stringMatching(/^"Telegram" is a stub: .* files in `binary`/)]),
    });
  });

  it('make a stub of a node that needs one where there is none', () => {
    expect(levels(convert([START, respond], 'Start > Respond')).at(-1)).toBe('manual');
  });
});

it('has a webhook that checks its callers disabled, until somebody chooses a credential', async () => {
  const { definition, notes } = convert([node('Hook', 'webhook', { authentication: 'basicAuth' })]);
  const parameters = { method: 'GET', responseMode: 'immediately', authentication: 'basic' };
  expect(definition.nodes).toMatchObject([{ type: 'trigger.webhook', parameters, disabled: true }]);
  expect(notes).toMatchObject([
    { level: 'review', messages: expect.arrayContaining([expect.stringContaining('it is disabled')]) },
  ]);
  const nodeTypes = await loadNodeTypes();
  expect(compileWorkflow(definition, nodeTypes)).not.toHaveProperty('issues');
  const enabled = definition.nodes.map((each) => ({ ...each, disabled: false }));
  expect(compileWorkflow({ ...definition, nodes: enabled }, nodeTypes)).toEqual({
    issues: [{ path: 'nodes[0].credentialId', message: expect.stringContaining('of type basic') }],
  });
});
