import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createProgram } from '../program.ts';

const WORKFLOW = '01890a5d-ac96-774b-bcce-b302099a8057';
const CONTENT = Buffer.alloc(200_000, 'a\0\xff', 'latin1');

let server: Server;
let url: string;
let folder: string;
/** Uploads that are refused before one is taken. */
let refusals = 0;
const received: { readonly at: string; readonly type: string | undefined; readonly body: Buffer }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ at: `${request.method} ${request.url}`, type: request.headers['content-type'], body });
      if (request.method === 'GET') response.end(CONTENT);
      else if (refusals-- > 0) response.writeHead(503).end();
      else response.writeHead(201, { 'content-type': 'application/json' }).end('{"file":{"id":"f"}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  url = `http://127.0.0.1:${address.port}`;
  folder = await mkdtemp(join(tmpdir(), 'deckhand-files-'));
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** Runs a command. @returns what it wrote to the standard output. */
async function run(...args: string[]): Promise<string> {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const environment = { url, apiKey: 'dk_test', workspace: undefined, profile: undefined, profilesPath: '/nowhere' };
  try {
    await createProgram(environment).parseAsync(['files', ...args], { from: 'user' });
    return write.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    jest.restoreAllMocks();
  }
}

describe('files', () => {
  it('upload sends the bytes with their name and type, again after a failure that may pass', async () => {
    const path = join(folder, 'scan 1.bin');
    await writeFile(path, CONTENT);
    refusals = 1;
    expect(JSON.parse(await run('upload', WORKFLOW, path, '--type', 'image/png'))).toEqual({ file: { id: 'f' } });
    const sent = { at: `POST /api/workflows/${WORKFLOW}/files?name=scan+1.bin`, type: 'image/png', body: CONTENT };
    expect(received.splice(0)).toEqual([sent, sent]);
  });

  it('upload says which file cannot be read', async () => {
    await expect(run('upload', WORKFLOW, join(folder, 'none'))).rejects.toThrow(/none cannot be used/);
  });

  it('link prints a link that is valid for so many days', async () => {
    expect(JSON.parse(await run('link', 'run', 'file', '--days', '0.5'))).toEqual({ file: { id: 'f' } });
    const [sent] = received.splice(0);
    expect([sent?.at, sent?.body.toString()]).toEqual([
      'POST /api/executions/run/files/file/link',
      '{"expiresInSeconds":43200}',
    ]);
    await expect(run('link', 'run', 'file', '--days', 'x')).rejects.toThrow('--days takes a number');
  });

  it('download writes the bytes to a path, and overwrites nothing', async () => {
    const path = join(folder, 'copy.bin');
    await run('download', 'run', 'file', '-o', path);
    expect(received.splice(0)).toMatchObject([{ at: 'GET /api/executions/run/files/file' }]);
    expect((await readFile(path)).equals(CONTENT)).toBe(true);
    await expect(run('download', 'run', 'file', '-o', path)).rejects.toThrow(/copy\.bin cannot be used/);
    expect((await readFile(path)).equals(CONTENT)).toBe(true);
  });
});
