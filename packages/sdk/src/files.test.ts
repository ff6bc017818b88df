import { describe, expect, it } from '@jest/globals';
import { createDeckhand } from './deckhand.ts';
import type { FileContent } from './files.ts';

const FILE = { id: '01890a5d-ac96-774b-bcce-b302099a8057', name: '', contentType: '', bytes: 3, sha256: '' };

/** Creates a client whose requests are answered with these statuses, then with a file, and what it sent. */
function client(statuses: readonly number[] = []) {
  const sent: { readonly url: string; readonly type: string | null; readonly body: string }[] = [];
  const left = [...statuses];
  const { files } = createDeckhand({
    baseUrl: 'https://deckhand.example.com',
    apiKey: 'dk_key',
    async fetch(request) {
      sent.push({ url: request.url, type: request.headers.get('content-type'), body: await request.text() });
      const status = left.shift();
      if (status !== undefined) return new Response(null, { status, headers: { 'retry-after': '0' } });
      return request.method === 'POST' ? Response.json({ file: FILE }, { status: 201 }) : new Response('abc');
    },
  });
  return { files, sent };
}

const stream = (): ReadableStream<Uint8Array> => new Blob(['abc']).stream();

describe('an upload', () => {
  it.each<[string, FileContent, string]>([
    ['bytes', new TextEncoder().encode('abc'), 'application/octet-stream'],
    ['a blob, with its type', new Blob(['abc'], { type: 'text/csv' }), 'text/csv'],
    ['a stream', stream(), 'application/octet-stream'],
  ])('sends %s', async (_what, content, type) => {
    const { files, sent } = client();
    expect(await files.upload('w', content)).toEqual({ file: FILE });
    expect(sent).toEqual([{ url: 'https://deckhand.example.com/api/workflows/w/files', type, body: 'abc' }]);
  });

  it('has the name of a file, unless another one is given', async () => {
    const { files, sent } = client();
    const file = new File(['abc'], 'a b.csv');
    await files.upload('w', file);
    await files.upload('w', file, { name: 'ü.csv', contentType: 'text/csv' });
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?name=a+b.csv', '?name=%C3%BC.csv']);
    expect(sent[1]?.type).toBe('text/csv');
  });

  it('is repeated with the same bytes, except for a stream, which is read once', async () => {
    const repeated = client([503, 429]);
    await repeated.files.upload('w', new Blob(['abc']));
    expect(repeated.sent.map(({ body }) => body)).toEqual(['abc', 'abc', 'abc']);
    const once = client([503]);
    await expect(once.files.upload('w', stream())).rejects.toMatchObject({ status: 503 });
    expect(once.sent).toHaveLength(1);
  });
});

describe('a download', () => {
  it.each([FILE.id, { file: FILE }])('streams the bytes of %j', async (file) => {
    const { files, sent } = client();
    expect(await new Response(await files.download('run', file)).text()).toBe('abc');
    expect(sent[0]?.url).toBe(`https://deckhand.example.com/api/executions/run/files/${FILE.id}`);
  });
});

describe('a link', () => {
  it('is made for a file, with its name unless another one is given', async () => {
    const { files, sent } = client();
    await files.link('run', { file: { ...FILE, name: 'a.pdf' } }, { expiresInSeconds: 60 });
    await files.link('run', FILE.id, { name: 'b.pdf' });
    const url = `https://deckhand.example.com/api/executions/run/files/${FILE.id}/link`;
    const type = 'application/json';
    expect(sent).toEqual([
      { url, type, body: '{"name":"a.pdf","expiresInSeconds":60}' },
      { url, type, body: '{"name":"b.pdf"}' },
    ]);
  });
});
