import { compileUntrusted, isJsonObject, type JsonObject, type JsonValue, NODE_ICONS } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { exchangesOf, PACK_NAMES, packText } from '../../../tests/harness/packs.ts';
import { actionRequest, errorMessage, isFailure, nextPage } from './action-request.ts';
import { isList } from './document.ts';
import { type Action, composeConnector, type Connector, readPack } from './load-pack.ts';
import { sampleValue } from './sample-value.ts';

const MAX_DOCUMENT_BYTES = 60_000;

function connectorOf(name: string): Connector {
  const [pack, document] = ['pack.yaml', 'openapi.yaml'].map((file) => ({ name: file, text: packText(name, file) }));
  if (!pack || !document) throw new Error('unreachable');
  const read = readPack({ pack, document });
  const loaded = 'issues' in read ? read : composeConnector(read.source, { pack: pack.name, document: document.name });
  if ('issues' in loaded) throw new Error(JSON.stringify(loaded.issues, null, 2));
  return loaded.connector;
}

function check(schema: JsonObject, value: JsonValue): readonly JsonValue[] {
  const compiled = compileUntrusted(schema);
  const result = 'issues' in compiled ? compiled : compiled.check(value);
  return 'issues' in result ? result.issues.map(({ path, message }) => `${path} ${message}`) : [];
}

/** Finds the schema at a path of names, of which numbers are positions in lists. */
function schemaAt(schema: JsonObject | undefined, path: string | undefined): JsonObject | undefined {
  const whole = isJsonObject(schema?.properties) ? schema.properties[path ?? ''] : undefined;
  if (isJsonObject(whole)) return whole;
  let at: JsonValue | undefined = schema;
  for (const step of path === undefined || path === '' ? [] : path.split('.')) {
    if (!isJsonObject(at)) return undefined;
    if (/^-?\d+$/.test(step)) at = at.items;
    else at = isJsonObject(at.properties) ? at.properties[step] : undefined;
  }
  return isJsonObject(at) ? at : undefined;
}

/** Whether items of a list have a member; those of an open object have any. */
function isInResponse(action: Action | undefined, items: string | undefined, path: string): boolean {
  const list = schemaAt(action?.operation.response, items);
  const item = isJsonObject(list?.items) ? list.items : undefined;
  if (!item) return false;
  if (schemaAt(item, path) !== undefined) return true;
  const parent = schemaAt(item, path.split('.').slice(0, -1).join('.'));
  return parent?.type === 'object' && parent.properties === undefined;
}

describe.each(PACK_NAMES)('the pack %s', (name) => {
  const connector = connectorOf(name);
  const exchanges = exchangesOf(name);
  const actionOf = (id: string) => connector.actions.find((action) => action.id === id);

  it('is small, has its name, an icon, and the ten operations that people use', () => {
    expect(packText(name, 'openapi.yaml').length).toBeLessThan(MAX_DOCUMENT_BYTES);
    expect(connector).toMatchObject({ name, version: expect.any(String), description: expect.any(String) });
    expect(NODE_ICONS).toContain(connector.icon);
    expect(connector.actions.length).toBeGreaterThanOrEqual(10);
    expect(connector.credentials?.length).toBeGreaterThan(0);
  });

  it.each(connector.actions)('has a valid form and a request for $id', (action) => {
    const { schema, isCut } = action.operation;
    const values = sampleValue(schema);
    expect(isCut).toBe(false);
    expect(check(schema, values)).toEqual([]);
    if (!isJsonObject(values)) throw new Error('not an object');
    expect(URL.canParse(actionRequest(connector, action, values).url)).toBe(true);
  });

  it('has an operation to test credentials with, which needs no values and changes nothing', () => {
    const action = actionOf(connector.test ?? '');
    expect(action?.operation.method).toBe('GET');
    const required = action?.operation.schema.required;
    expect((isList(required) ? required : []).filter((place) => place !== 'server')).toEqual([]);
  });

  it('has choices and pages where its responses have them', () => {
    for (const action of connector.actions) {
      for (const { action: list, items, value, label } of Object.values(action.options))
        for (const path of [value, label ?? value])
          expect([action.id, path, isInResponse(actionOf(list), items, path)]).toEqual([action.id, path, true]);
      const { paging, operation } = action;
      if (!paging) continue;
      expect([action.id, schemaAt(operation.response, paging.items)?.type]).toEqual([action.id, 'array']);
      if (paging.next !== undefined)
        expect([action.id, schemaAt(operation.response, paging.next)]).toEqual([action.id, expect.anything()]);
    }
  });

  it('has three exchanges or more, with one of a page and one of an error', () => {
    expect(exchanges.length).toBeGreaterThanOrEqual(3);
    const hasPages = connector.actions.some(({ paging }) => paging !== undefined);
    expect(exchanges.some(({ expected }) => expected?.items !== undefined)).toBe(hasPages);
    expect(exchanges.some(({ expected }) => expected?.error !== undefined)).toBe(connector.errorMessage !== undefined);
  });

  it.each(exchanges)('sends and reads as documented: $name', ({ operation, values, request, response, expected }) => {
    const action = actionOf(operation);
    if (!action) throw new Error(`${operation} is not an operation`);
    expect(check(action.operation.schema, values)).toEqual([]);
    const { headers, ...sent } = actionRequest(connector, action, values);
    expect({ ...sent, headers: request.headers === undefined ? undefined : headers }).toEqual({
      body: undefined,
      ...request,
      headers: request.headers && expect.objectContaining(request.headers),
    });
    for (const [header, value] of Object.entries(connector.headers ?? {})) expect(headers[header]).toBe(value);
    if (!response) return;
    const { body, status } = response;
    expect(status >= 400 || isFailure(connector, body)).toBe(expected?.error !== undefined);
    if (status < 300 && action.operation.response) expect(check(action.operation.response, body)).toEqual([]);
    const { paging } = action;
    const items = expected?.items === undefined ? undefined : itemsOf(body, paging?.items);
    const next = expected?.next === undefined || !paging ? undefined : nextPage(paging, body);
    const error = expected?.error === undefined ? undefined : errorMessage(connector, body);
    expect({ items, next, error }).toEqual({ items: undefined, next: undefined, error: undefined, ...expected });
  });
});

function itemsOf(body: JsonValue, path: string | undefined): JsonValue | undefined {
  let at: JsonValue | undefined = body;
  for (const step of path === undefined || path === '' ? [] : path.split('.'))
    at = isJsonObject(at) ? at[step] : undefined;
  return at;
}

/** The page, whose table UPDATE_DOCS=1 writes. */
const PAGE = new URL('../../../docs/packs.md', import.meta.url);

it('docs/packs.md lists the packs', () => {
  const page = readFileSync(PAGE, 'utf8');
  const text = page.replace(/(\|---.*\|\n)[^]*?\n\n/, (_table, head: string) => `${head}${packRows()}\n\n`);
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(PAGE, text);
  expect(readFileSync(PAGE, 'utf8')).toBe(text);
});

function packRows(): string {
  const connectors = PACK_NAMES.map(connectorOf).sort((a, b) => a.title.localeCompare(b.title, 'en'));
  return connectors
    .map(({ name, title, actions, credentials = [] }) => {
      const choices = actions.reduce((count, { options }) => count + Object.keys(options).length, 0);
      const pages = actions.filter(({ paging }) => paging !== undefined).length;
      const types = [...new Set(credentials.map(({ type }) => (type === 'oauth2' ? 'OAuth 2.0' : type)))].join(', ');
      const link = `[${title}](../packages/connectors/packs/${name}/README.md)`;
      return `| ${link} | \`${name}\` | ${actions.length} | ${choices} | ${pages} | ${exchangesOf(name).length} | ${types} |`;
    })
    .join('\n');
}
