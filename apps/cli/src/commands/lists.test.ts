import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { createProgram } from '../program.ts';

const WORKSPACE = '01a1fb35-e8df-7352-8660-75a19a555600';
/** How many entries each list has: more than the API returns on one page. */
const COUNT = 1_203;

let server: Server;
let url: string;
/** The positions and sizes of the pages that were read. */
let pages: string[];
/** Whether lists of approvals were limited to what the caller may answer. */
const answerable: (string | null)[] = [];
let printed: string[];
let messages: string[];

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    const limit = Math.min(Number(query.get('limit') ?? 100), 500);
    const start = Number(query.get('cursor') ?? query.get('offset') ?? 0);
    pages.push(`${pathname} ${start}+${limit}`);
    if (pathname === '/api/approvals') answerable.push(query.get('canAnswer'));
    const end = Math.min(start + limit, COUNT);
    const data = Array.from({ length: end - start }, (_, index) => entryOf(start + index));
    const hasMore = end < COUNT;
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ data, total: COUNT, limit, offset: start, hasMore, nextCursor: hasMore ? String(end) : null }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  url = `http://127.0.0.1:${address.port}`;
});
afterAll(() => {
  server.close();
});
beforeEach(() => {
  [pages, printed, messages] = [[], [], []];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => messages.push(String(text)) > 0);
});
afterEach(() => {
  jest.restoreAllMocks();
});

function entryOf(index: number) {
  const at = '2026-11-27T10:00:00.000Z';
  return {
    ...{ id: `id-${index}`, executionId: `id-${index}`, name: `N${index}`, workflowName: 'W', value: '1' },
    ...{ status: 'success', source: 'api', type: 'bearer', visibility: 'workspace', choices: [], message: 'M' },
    ...{ currentNodeId: 'ask', waitingSince: at, createdAt: at, startedAt: at, finishedAt: at, updatedAt: at },
    ...{ error: null, progress: {} },
  };
}

/** Runs a command. @returns the ids of the entries that it prints with `--json`. */
async function list(...words: string[]): Promise<unknown[]> {
  const environment = { url, apiKey: 'dk_test', workspace: WORKSPACE, profile: undefined, profilesPath: '/nowhere' };
  await createProgram(environment).parseAsync([...words, '--json'], { from: 'user' });
  const parsed: unknown = JSON.parse(printed.splice(0).join(''));
  return Array.isArray(parsed) ? parsed : [];
}

describe.each([
  ['runs list', 20],
  ['workflows list', 100],
])('%s', (command, usual) => {
  const words = command.split(' ');

  it('prints the first entries, as many as are asked for, and all with --all', async () => {
    expect(await list(...words)).toHaveLength(usual);
    expect(await list(...words, '--limit', '700')).toHaveLength(700);
    const all = await list(...words, '--all');
    expect(new Set(all.map((entry) => JSON.stringify(entry))).size).toBe(COUNT);
  });

  it('reads no page that it does not need', async () => {
    await list(...words);
    expect(pages).toHaveLength(1);
    await list(...words, '--limit', '700');
    expect(pages).toHaveLength(3);
  });
});

it.each(['secrets list', 'variables list', 'connectors list', 'approve'])(
  '%s prints the entries of all pages',
  async (command) => {
    expect(await list(...command.split(' '))).toHaveLength(COUNT);
  },
);

it('approve leaves out what others have to answer', async () => {
  answerable.length = 0;
  await list('approve');
  expect(new Set(answerable)).toEqual(new Set(['true']));
});

it('says that there are more, on the standard error, and --limit excludes --all', async () => {
  const environment = { url, apiKey: 'dk_test', workspace: WORKSPACE, profile: undefined, profilesPath: '/nowhere' };
  const run = (...words: string[]) =>
    createProgram(environment)
      .exitOverride()
      .parseAsync(['workflows', 'list', ...words], { from: 'user' });
  await run('--limit', '5');
  expect(messages.join('')).toBe('There are more than 5: --all prints all of them.\n');
  messages.splice(0);
  await run('--limit', String(COUNT));
  expect(messages).toEqual([]);
  await expect(run('--limit', '5', '--all')).rejects.toThrow("cannot be used with option '--all'");
});
