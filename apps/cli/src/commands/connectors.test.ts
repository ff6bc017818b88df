import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram } from '../program.ts';

const WORKSPACE = '01a1fb35-e8df-7352-8660-75a19a555600';
const ENTRY = { name: 'tracker', version: '1.0.0', title: 'Tracker', isBuiltIn: false, operationCount: 1 };

let server: Server;
let url: string;
let folder: string;
/** The requests that were sent: method, path and body. */
let sent: unknown[];
let printed: string[];

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      sent.push([request.method, request.url, body === '' ? undefined : JSON.parse(body)]);
      response.setHeader('content-type', 'application/json');
      if (request.method === 'DELETE') response.writeHead(204).end();
      else if (request.url?.includes('dryRun') === true)
        response.end(
          JSON.stringify({ valid: true, connector: ENTRY, operations: [{ id: 'issue.list', title: 'List issues' }] }),
        );
      else response.writeHead(201).end(JSON.stringify(ENTRY));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  url = `http://127.0.0.1:${address.port}`;
  folder = await mkdtemp(join(tmpdir(), 'deckhand-connectors-'));
  await writeFile(join(folder, 'pack.yaml'), 'name: tracker');
  await writeFile(join(folder, 'openapi.json'), '{}');
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  [sent, printed] = [[], []];
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => printed.push(String(line)) > 0);
});
afterEach(() => {
  jest.restoreAllMocks();
});

async function run(...words: string[]): Promise<string> {
  const environment = { url, apiKey: 'dk_test', workspace: WORKSPACE, profile: undefined, profilesPath: '/nowhere' };
  await createProgram(environment)
    .exitOverride()
    .parseAsync(['connectors', ...words], { from: 'user' });
  return printed.join('');
}

describe('connectors', () => {
  it('check sends the files of a folder, and lists the operations', async () => {
    expect(await run('check', folder)).toContain('issue.list');
    const body = { workspaceId: WORKSPACE, pack: 'name: tracker', document: '{}' };
    expect(sent).toEqual([['POST', '/api/connectors?dryRun=true', body]]);
  });

  it('push sends a document alone with its name and its version', async () => {
    const document = join(folder, 'openapi.json');
    const said = await run('push', document, '--name', 'tracker', '--connector-version', '1.0.0');
    expect(said).toBe('Created connector tracker 1.0.0 with 1 operation.\n');
    const body = { workspaceId: WORKSPACE, document: '{}', name: 'tracker', version: '1.0.0' };
    expect(sent).toEqual([['POST', '/api/connectors', body]]);
  });

  it('delete names the version', async () => {
    expect(await run('delete', 'tracker', '1.0.0')).toBe('Deleted connector tracker 1.0.0.\n');
    expect(sent).toEqual([['DELETE', `/api/connectors/tracker/versions/1.0.0?workspaceId=${WORKSPACE}`, undefined]]);
  });

  it.each([
    [['push', 'nowhere'], 'nowhere does not exist.'],
    [['push', join('packages', 'connectors')], 'needs a pack.yaml'],
    [['push', 'package.json', '--name', 'a'], 'needs --name and --connector-version'],
    [
      ['push', join('packages', 'connectors'), '--name', 'a'],
      '--name and --connector-version are for a document alone',
    ],
    [['check', join('packages', 'connectors'), '--connector-version', '1.0.0'], 'are for a document alone'],
  ])('%j is refused before anything is sent', async (words, message) => {
    await expect(run(...words)).rejects.toThrow(message);
    expect(sent).toEqual([]);
  });
});
