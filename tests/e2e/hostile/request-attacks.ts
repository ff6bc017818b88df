import { parseOwnJson } from '@deckhand/contracts';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import type { ErrorMembers } from '../../harness/index.ts';
import type { Attack } from './attack.ts';
import { chainOf, listOf, outcomeOf, type Reply, type Scene } from './scene.ts';

const MEGABYTE = 1024 * 1024;
/** Routes that take JSON, with their size limits in bytes. */
const ROUTES = [
  ['POST', '/api/workflows', 10 * MEGABYTE],
  ['POST', '/api/workflows/:workflow/versions', 10 * MEGABYTE],
  ['POST', '/api/workflows/:workflow/execute', 10 * MEGABYTE],
  ['PATCH', '/api/workflows/:workflow', MEGABYTE],
  ['POST', '/api/folders', MEGABYTE],
  ['POST', '/api/variables', MEGABYTE],
  ['POST', '/api/credentials', MEGABYTE],
  ['POST', '/api/workspaces', MEGABYTE],
  ['POST', '/api/approvals/submit', MEGABYTE],
  ['POST', '/api/auth/login', 16 * 1024],
] as const;

/** A body of the maximum size of a route. */
type Fill = (bytes: number) => string;
const FILLS: Readonly<Record<string, Fill>> = {
  'opening brackets': (bytes) => '['.repeat(bytes - 1),
  'empty arrays': (bytes) => `[${'[],'.repeat(bytes / 3 - 2)}1]`,
  'a name in a name': (bytes) => `${'{"a":'.repeat(bytes / 6 - 1)}1${'}'.repeat(bytes / 6 - 1)}`,
  'different names': (bytes) => `{${listOf(Math.floor(bytes / 13), (n) => `"${n.toString(36)}":1`).join()}}`,
  'rows, each of its own kind': (bytes) =>
    `[${listOf(Math.floor(bytes / 40), (n) => `{"a${n % 5_000}":{"b${n % 4_999}":{"c${n % 4_998}":1}}}`).join()}]`,
  'wrong members': (bytes) => `{${listOf(Math.floor(bytes / 10), () => '"a":1').join()}}`,
  quotes: (bytes) => `"${'\\"'.repeat(bytes / 2 - 4)}"`,
};

/** Sends one body to every route, one route after another. */
function toEveryRoute([name, fill]: [string, Fill]): Attack {
  return {
    name: `sends ${name} to every route`,
    ends: 'refused',
    async launch({ attacker }) {
      const id = await attacker.save(chainOf({ parameters: { fields: {} } }));
      const taken: string[] = [];
      for (const [method, path, bytes] of ROUTES) {
        const { status } = await attacker.call(method, path.replace(':workflow', id), fill(bytes).slice(0, bytes));
        if (status < 400 || status >= 500) taken.push(`${path} ${status}`);
      }
      return taken.join(', ') || 'refused';
    },
  };
}

/** Opens connections that send slowly for some seconds. */
async function drip({ api }: Scene, head: string, piece: string): Promise<string> {
  const { hostname, port } = new URL(api.url);
  const sockets = listOf(200, () => 0).map(() => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(head);
    return socket;
  });
  for (let n = 0; n < 20; n += 1) {
    for (const socket of sockets) if (socket.writable) socket.write(piece);
    await sleep(100);
  }
  for (const socket of sockets) socket.destroy();
  return 'dropped';
}

/** A webhook that starts a run of the given nodes. */
async function hook({ attacker }: Scene, parameters: object, ...nodes: readonly object[]): Promise<string> {
  const all = [
    { id: 'hook', type: 'trigger.webhook', parameters },
    ...nodes.map((node, n) => ({ id: `n${n}`, ...node })),
  ];
  const id = await attacker.save({
    nodes: all,
    edges: all.slice(1).map(({ id: target }, n) => ({ source: all[n]?.id, target })),
  });
  await attacker.call('PATCH', `/api/workflows/${id}`, { status: 'active' });
  const { body } = await attacker.call('GET', `/api/workflows/${id}`);
  return new URL(body.webhooks[0]!.url).pathname;
}

async function send({ api }: Scene, path: string, init: RequestInit): Promise<Reply> {
  const answer = await fetch(api.url + path, { method: 'POST', ...init });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: answer.status, code: (isJson ? parseOwnJson<ErrorMembers>(text).code : undefined) ?? '' };
}

/** Sends one body to a webhook that parses it. */
function toHook(
  name: string,
  ends: string | RegExp,
  contentType: string,
  body: () => string | Uint8Array<ArrayBuffer>,
): Attack {
  return {
    name: `sends ${name} to a webhook`,
    ends,
    async launch(scene) {
      const path = await hook(scene, {}, { type: 'set', parameters: { fields: {} } });
      return outcomeOf(await send(scene, path, { headers: { 'content-type': contentType }, body: body() }));
    },
  };
}

const part = (n: number): string => `--b\r\nContent-Disposition: form-data; name="${n}"\r\n\r\n1\r\n`;
const names = listOf(40, (n) => `d${n}`);

/** A form whose check never ends: each part is checked twice for each part that refers to it. */
const ENDLESS_FORM = {
  $defs: Object.fromEntries(
    names.map((name, n) => {
      const next = { $ref: `#/$defs/d${n + 1}` };
      return [name, n === names.length - 1 ? { type: 'object' } : { allOf: [next, next] }];
    }),
  ),
  $ref: '#/$defs/d0',
};

/** Fills in a form. */
function toForm(name: string, ends: string | RegExp, schema: object, data: () => unknown): Attack {
  return {
    name: `fills in a form ${name}`,
    ends,
    async launch({ attacker }) {
      const id = await attacker.save(chainOf({ type: 'human', parameters: { title: 'x', schema } }));
      const { body } = await attacker.call('POST', `/api/workflows/${id}/execute`, {});
      const path = `/api/executions/${body.executionId}` as const;
      const isWaiting = async () => (await attacker.call('GET', `${path}?wait=1`)).body.status === 'waiting_for_human';
      for (let n = 0; n < 20 && !(await isWaiting()); n += 1) await sleep(100);
      return outcomeOf(await attacker.call('POST', `${path}/nodes/n0/complete`, { data: data() }));
    },
  };
}

/** Requests that are slow to read, check or answer. */
export const REQUEST_ATTACKS: readonly Attack[] = [
  ...Object.entries(FILLS).map(toEveryRoute),
  {
    name: 'starts a run with ten megabytes',
    ends: '413 PAYLOAD_TOO_LARGE',
    async launch({ attacker }) {
      const id = await attacker.save(chainOf({ parameters: { fields: {} } }));
      return outcomeOf(
        await attacker.call('POST', `/api/workflows/${id}/execute`, { input: 'a'.repeat(11 * MEGABYTE) }),
      );
    },
  },
  {
    name: 'starts twenty runs with nine megabytes each',
    // Together they exceed what the API holds at a time.
    ends: /^(success|not started: 503 SERVICE_UNAVAILABLE)$/,
    async launch({ attacker }) {
      const id = await attacker.save(chainOf({ parameters: { fields: { n: 1 } } }));
      const input = { rows: listOf(60_000, (n) => ({ id: n, name: `n${n}`, amount: n / 7, text: 'a'.repeat(80) })) };
      const ends = await Promise.all(listOf(20, () => 0).map(() => attacker.run(id, input)));
      return ends.find((end) => end !== 'success') ?? 'success';
    },
  },
  toForm('whose parts are checked without end', '400 VALIDATION_FAILED', ENDLESS_FORM, () => ({})),
  toForm(
    'with a pattern that backtracks',
    '400 VALIDATION_FAILED',
    { pattern: '^(a+)+$' },
    () => `${'a'.repeat(1_000_000)}!`,
  ),
  toForm('of five million wrong members', '400 VALIDATION_FAILED', { items: { type: 'object' } }, () =>
    listOf(4_000_000, () => 1),
  ),
  toForm('of items that must differ', /^400|^200/, { uniqueItems: true }, () => listOf(300_000, (n) => n)),
  toForm(
    'with a list of choices for each item',
    '400 VALIDATION_FAILED',
    { items: { enum: listOf(9_000, (n) => n) } },
    () => listOf(1_000_000, (n) => -n),
  ),
  toHook('a form of a million fields', '400 VALIDATION_FAILED', 'application/x-www-form-urlencoded', () =>
    listOf(1_000_000, (n) => `a${n}=1`).join('&'),
  ),
  toHook('a form of nothing but separators', /^20\d/, 'application/x-www-form-urlencoded', () => '&'.repeat(9_000_000)),
  toHook(
    'a form of percent signs',
    /^20\d|^400/,
    'application/x-www-form-urlencoded',
    () => `a=${'%'.repeat(9_000_000)}`,
  ),
  toHook(
    'a hundred thousand parts',
    '400 VALIDATION_FAILED',
    'multipart/form-data; boundary=b',
    () => `${listOf(100_000, part).join('')}--b--`,
  ),
  toHook('what is almost the end of a part', /^20\d|^400/, `multipart/form-data; boundary=${'a'.repeat(70)}`, () =>
    `\r\n--${'a'.repeat(69)}b`.repeat(120_000),
  ),
  toHook('a million different names', '400 VALIDATION_FAILED', 'application/json', () =>
    JSON.stringify(Object.fromEntries(listOf(700_000, (n) => [`k${n}`, 1]))),
  ),
  toHook('nine megabytes of an unknown charset', /^20\d|^400/, 'text/plain; charset=utf-7', () =>
    'a'.repeat(9_000_000),
  ),
  toHook('nine megabytes that are not text', /^20\d|^400/, 'application/octet-stream', () =>
    new Uint8Array(9_000_000).fill(255),
  ),
  {
    name: 'an anonymous caller sends a table to a webhook that reads it',
    ends: '202',
    async launch(scene) {
      const path = await hook(
        scene,
        {},
        { type: 'csv', parameters: { operation: 'parse', text: '{{ $trigger.body }}' } },
      );
      const body = `${'a'.repeat(1_800_000)}\n${'1\n'.repeat(1_500_000)}`;
      const replies = await Promise.all(
        listOf(5, () => 0).map(() => send(scene, path, { headers: { 'content-type': 'text/plain' }, body })),
      );
      return String(replies.find(({ status }) => status >= 300)?.status ?? 202);
    },
  },
  {
    name: 'a thousand calls of a webhook with a wrong secret',
    ends: '401 UNAUTHORIZED',
    async launch(scene) {
      const path = await hook(scene, { secret: 'right' });
      const call = () => send(scene, path, { headers: { 'x-webhook-secret': 'wrong' }, body: '' });
      let last: Reply | undefined;
      for (let n = 0; n < 10; n += 1) [last] = await Promise.all(listOf(100, () => 0).map(call));
      return last ? outcomeOf(last) : '';
    },
  },
  {
    name: '200 callers who never end their headers',
    ends: 'dropped',
    launch: (scene) => drip(scene, 'GET / HTTP/1.1\r\n', 'a: b\r\n'),
  },
  {
    name: '200 callers who never end their body',
    ends: 'dropped',
    launch: (scene) => drip(scene, 'POST /api/auth/login HTTP/1.1\r\nhost: a\r\ncontent-length: 9000\r\n\r\n', 'a'),
  },
  {
    name: '300 who follow a run',
    ends: 'held',
    async launch({ api, attacker }) {
      const id = await attacker.save(chainOf({ type: 'wait', parameters: { seconds: 60 } }));
      const { body } = await attacker.call('POST', `/api/workflows/${id}/execute`, {});
      const left = new AbortController();
      const follow = (n: number) =>
        fetch(`${api.url}/api/executions/${body.executionId}${n % 2 === 0 ? '/events' : '?wait=60'}`, {
          headers: { 'x-api-key': attacker.key },
          signal: left.signal,
        }).then((answer) => answer.text());
      const following = Promise.allSettled(listOf(300, (n) => n).map(follow));
      await sleep(1_500);
      left.abort();
      await following;
      await attacker.call('POST', `/api/executions/${body.executionId}/stop`);
      return 'held';
    },
  },
  {
    name: 'searches for what takes long to look for',
    ends: /^200|^400/,
    async launch({ attacker }) {
      const { workspaceId } = attacker;
      const terms = [
        'a '.repeat(2_000),
        '%_'.repeat(1_000),
        '\\'.repeat(2_000),
        '(((((a+)+)+)+)+)+$',
        '"a" OR '.repeat(500),
      ];
      const replies = await Promise.all(
        terms.map((term) =>
          attacker.call('GET', `/api/executions?workspaceId=${workspaceId}&search=${encodeURIComponent(term)}`),
        ),
      );
      return String(replies.find(({ status }) => status !== 200 && status !== 400)?.status ?? 200);
    },
  },
  {
    name: 'asks for pages far away, and for all at once',
    ends: '200',
    async launch({ attacker }) {
      const { workspaceId } = attacker;
      const queries = ['offset=2000000000', 'limit=500&includeTotal=true', `cursor=${'a'.repeat(4_000)}`, 'offset=1e9'];
      const replies = await Promise.all(
        listOf(40, (n) => n).map((n) =>
          attacker.call('GET', `/api/executions?workspaceId=${workspaceId}&${queries[n % queries.length]}`),
        ),
      );
      return String(replies.find(({ status }) => status >= 500)?.status ?? 200);
    },
  },
  {
    name: 'a path of a hundred thousand characters',
    ends: /^4\d\d|^0/,
    launch: async ({ attacker }) => outcomeOf(await attacker.call('GET', `/${'a/'.repeat(50_000)}`)),
  },
  {
    name: 'a query of thousands of parameters',
    ends: /^4\d\d|^0/,
    launch: async ({ attacker }) =>
      outcomeOf(await attacker.call('GET', `/api/workflows?${listOf(2_500, (n) => `a${n}=1`).join('&')}`)),
  },
  {
    name: 'guesses keys',
    ends: '401 UNAUTHORIZED',
    async launch({ api }) {
      const guess = () =>
        fetch(`${api.url}/api/workflows`, { headers: { 'x-api-key': `dk_${uuidv7().replaceAll('-', '')}` } });
      let last = 0;
      for (let n = 0; n < 20; n += 1)
        for (const { status } of await Promise.all(listOf(50, () => 0).map(guess))) last = status;
      return `${last} UNAUTHORIZED`;
    },
  },
];
