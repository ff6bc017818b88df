import { afterAll, describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue, PackCredential } from '@deckhand/contracts';
import type { OpenedCredential } from '@deckhand/engine';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { connectorsOf, readTracker } from '../../../../tests/harness/connectors.ts';
import { NO_SERVICES, nodeContext } from '../../../../tests/harness/node-context.ts';
import { exchangesOf, PACK_NAMES, packText } from '../../../../tests/harness/packs.ts';
import { serve } from '../../../../tests/harness/serve.ts';
import { createHttpClient } from '../http/client.ts';
import { fieldReader } from '../items/items.ts';
import { type ChoiceRequest, listChoices } from './list-choices.ts';

const http = createHttpClient({ allowPrivate: true });

afterAll(async () => {
  await http.close();
  await stopAll();
});

/** A credential of each type that packs take, as nodes open it. */
const CREDENTIALS: Readonly<Record<PackCredential['type'], OpenedCredential>> = {
  apiKey: { type: 'apiKey', secret: { value: 'token' } },
  basic: { type: 'basic', secret: { username: 'ada', password: 'token' } },
  bearer: { type: 'bearer', secret: { token: 'token' } },
  header: { type: 'header', secret: { name: 'authorization', value: 'token' } },
  oauth2: { type: 'bearer', secret: { token: 'token' }, renew: () => Promise.resolve(undefined) },
};

/** Lists choices of a pack whose service gives responses, in their order. @returns them and the paths that it got. */
async function listed(
  { pack, document }: { pack: string; document: string },
  responses: readonly JsonValue[],
  request: Omit<ChoiceRequest, 'search' | 'values' | 'from'> & Partial<ChoiceRequest>,
) {
  const paths: string[] = [];
  const { url } = await serve((sent, response) => {
    paths.push(sent.url ?? '');
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(responses[paths.length - 1] ?? null).replaceAll('"https://', `"${url}/`));
  });
  const connectors = connectorsOf({ pack, document: document.replaceAll(/\burl: https:\/\//g, `url: ${url}/`) });
  const [type = 'bearer'] = (readTracker({ pack, document }).credentials ?? []).map((each) => each.type);
  const opened = CREDENTIALS[type];
  const context = nodeContext({
    services: { ...NO_SERVICES, http, connectors },
    credential: () => Promise.resolve(opened),
  });
  const result = await listChoices({ search: '', values: {}, from: undefined, ...request }, context);
  return { result, paths };
}

const packOf = (name: string) => ({ pack: packText(name, 'pack.yaml'), document: packText(name, 'openapi.yaml') });

/** The fields with choices of a pack whose lists have a recorded exchange, each list once. */
function recordedChoices(name: string) {
  const { actions, version } = readTracker(packOf(name));
  const lists = new Set<string>();
  return actions.flatMap(({ id, options }) =>
    Object.entries(options).flatMap(([field, { action, items }]) => {
      for (const { operation, response, values } of exchangesOf(name)) {
        const list = fieldReader(items === '' ? undefined : items).read(response?.body ?? null);
        if (operation !== action || !Array.isArray(list) || list.length === 0 || lists.has(action)) continue;
        lists.add(action);
        const { body = null } = response ?? {};
        return [{ operation: { connector: name, version, operation: id }, field, list: action, values, body }];
      }
      return [];
    }),
  );
}

describe.each(PACK_NAMES.filter((name) => recordedChoices(name).length > 0))('choices of the pack %s', (name) => {
  it.each(recordedChoices(name))('are the items of $list, as recorded', async ({ operation, field, values, body }) => {
    // Only the first page is recorded: the choices of it are listed though the next one fails.
    const { result } = await listed(packOf(name), [body], { operation, field, values });
    const choice = { value: expect.anything(), label: expect.stringMatching(/./) };
    expect(result).toMatchObject({ choices: expect.arrayContaining([choice]) });
  });
});

describe('choices', () => {
  const send = { connector: 'slack', version: '1.0.0', operation: 'message.send' };
  const page = (channels: readonly JsonObject[], cursor = '') => ({
    ...{ ok: true, channels: [...channels] },
    response_metadata: { next_cursor: cursor },
  });
  const channel = (id: string, name: string) => ({ id, name });

  it('of several pages are found by a part of their label, and go on where they ended', async () => {
    const many = Array.from({ length: 60 }, (_, index) => channel(`C${index}`, `team-${index}`));
    const pages = [page([channel('A', 'General')], 'two'), page(many, 'three'), page([channel('B', 'generals')])];
    const request = { operation: send, field: 'body.channel' };
    const all = await listed(packOf('slack'), pages, request);
    expect(all.paths).toHaveLength(2);
    expect(all.result).toMatchObject({
      next: { url: expect.objectContaining({ search: expect.stringContaining('cursor=three') }) },
    });
    const searched = await listed(packOf('slack'), pages, { ...request, search: ' GENERAL' });
    const choices = [
      { value: 'A', label: 'General' },
      { value: 'B', label: 'generals' },
    ];
    expect(searched).toMatchObject({ result: { choices, next: undefined }, paths: { length: 3 } });
  });

  it('go on at the server where they began, and nowhere else', async () => {
    const from = { url: new URL('https://slack.com.example/channels'), count: 0 };
    const moved = await listed(packOf('slack'), [page([channel('A', 'a')])], {
      ...{ operation: send, field: 'body.channel', from },
    });
    expect(moved).toEqual({ result: { issues: [{ path: 'cursor', message: expect.any(String) }] }, paths: [] });
  });

  it('end after five pages without one', async () => {
    const pages = Array.from({ length: 9 }, (_, index) => page([channel(`C${index}`, 'x')], `c${index}`));
    const { result, paths } = await listed(packOf('slack'), pages, {
      operation: send,
      field: 'body.channel',
      search: 'y',
    });
    expect(paths).toHaveLength(5);
    expect(result).toMatchObject({ choices: [], next: { count: 0 } });
  });

  it('depend on other fields, which have to have a value', async () => {
    const operation = { connector: 'airtable', version: '1.0.0', operation: 'record.create' };
    const request = { operation, field: 'path.tableIdOrName' };
    const { result, paths } = await listed(packOf('airtable'), [{ tables: [{ id: 'tbl1', name: 'Orders' }] }], {
      ...request,
      values: { path: { baseId: 'app1' } },
    });
    expect(result).toEqual({ choices: [{ value: 'tbl1', label: 'Orders' }], next: undefined });
    expect(paths).toEqual([expect.stringContaining('/bases/app1/tables')]);
    const path = 'values.path.baseId';
    const unusable: JsonObject[] = [{}, { path: { baseId: '{{ $vars.base }}' } }];
    for (const values of unusable) {
      const missing = await listed(packOf('airtable'), [], { ...request, values });
      expect(missing).toEqual({ result: { issues: [{ path, message: expect.any(String) }] }, paths: [] });
    }
  });

  it('are those of a field that has some', async () => {
    const none = await listed(packOf('slack'), [], { operation: send, field: 'constructor' });
    expect(none.result).toEqual({ issues: [{ path: 'field', message: 'is not a field with choices' }] });
  });
});
