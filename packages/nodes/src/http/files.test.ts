import { type FileValue, FileValue as FileSchema, type JsonObject, compileCheck } from '@deckhand/contracts';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import { afterAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { OutgoingHttpHeaders, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { NO_SERVICES, nodeContext } from '../../../../tests/harness/node-context.ts';
import { serve } from '../../../../tests/harness/serve.ts';
import node from '../types/http.ts';
import { createHttpClient } from './client.ts';
import { nameOf } from './response-file.ts';

const http = createHttpClient({ allowPrivate: true });
const files = createMemoryFiles();

afterAll(async () => {
  await http.close();
  await stopAll();
});

const PDF = randomBytes(300_000);
const isFile = compileCheck(FileSchema);

async function run(parameters: JsonObject): Promise<JsonObject & { body: FileValue }> {
  const outcome = await node.run(parameters, nodeContext({ services: { ...NO_SERVICES, http }, files }));
  if (outcome.kind !== 'output') throw new Error(outcome.kind);
  const { body, ...response } = Object(outcome.output);
  const checked = isFile(body);
  if ('issues' in checked) throw new Error(`not a file: ${JSON.stringify(body)}`);
  return { ...response, body: checked.value };
}

async function get(headers: OutgoingHttpHeaders, content: Buffer, parameters: JsonObject = {}) {
  const { url } = await serve((_request, response) => response.writeHead(200, headers).end(content));
  return run({ url: `${url}/files/report%20Q3.pdf?key=1`, responseType: 'file', ...parameters });
}

describe('a response as a file', () => {
  it('is stored with its type and the name of its path', async () => {
    const { status, body } = await get({ 'content-type': 'application/pdf' }, PDF);
    expect([status, body.file]).toMatchObject([
      200,
      { name: 'report Q3.pdf', contentType: 'application/pdf', bytes: PDF.length },
    ]);
    expect(PDF.equals(files.bytesOf(body))).toBe(true);
  });

  it.each([
    ['attachment; filename="a \\"b\\".pdf"', 'a "b".pdf'],
    [`attachment; filename=plain.txt; filename*=UTF-8''%e2%82%ac%20rates.txt`, '€ rates.txt'],
    ['inline; filename=../../x.txt', 'x.txt'],
    ["attachment; filename*=UTF-8''%ff; filename=b.txt", 'b.txt'],
    ['attachment', 'q.csv'],
  ])('has the name that %s gives it', (disposition, name) => {
    const head = { url: 'http://a.test/p/q.csv', headers: { 'content-disposition': disposition } };
    expect(nameOf(head)).toBe(name);
  });

  it.each([
    ['gzip', gzipSync(PDF)],
    ['deflate', deflateSync(PDF)],
    ['deflate', deflateRawSync(PDF)],
    ['br', brotliCompressSync(PDF)],
    ['gzip, br', brotliCompressSync(gzipSync(PDF))],
  ])('is decompressed while it is stored: %s', async (coding, content) => {
    const { body } = await get({ 'content-encoding': coding }, content);
    expect(PDF.equals(files.bytesOf(body))).toBe(true);
  });

  it('may be empty, also when it names a coding', async () => {
    expect((await get({ 'content-encoding': 'gzip' }, Buffer.alloc(0))).body.file.bytes).toBe(0);
  });

  it('is not limited like responses in memory, unless the node says so', async () => {
    const { body } = await get({}, Buffer.alloc(12_000_000));
    expect(body.file.bytes).toBe(12_000_000);
    await expect(get({}, PDF, { maxResponseBytes: 299_999 })).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
  });

  it.each<[string, string, RequestListener]>([
    [
      'breaks off',
      'HTTP_REQUEST_FAILED',
      (_request, response) => {
        response.writeHead(200, { 'content-length': 10 }).write('abc');
        setImmediate(() => response.destroy());
      },
    ],
    [
      'is damaged',
      'HTTP_REQUEST_FAILED',
      (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'),
    ],
    [
      'has a coding that was not asked for',
      'HTTP_RESPONSE_INVALID',
      (_request, response) => response.writeHead(200, { 'content-encoding': 'compress' }).end('x'),
    ],
    ['has an error status', 'HTTP_STATUS', (_request, response) => response.writeHead(500).end('{"a":1}')],
  ])('fails the node if it %s', async (_what, code, listener) => {
    const { url } = await serve(listener);
    await expect(run({ url, responseType: 'file' })).rejects.toMatchObject({ code });
  });

  it.each(['compress', 'gzip, compress', 'gzip, gzip, gzip, gzip, gzip, gzip'])(
    'leaves no connection to a server that goes on to send %s',
    async (coding) => {
      let closed: Promise<unknown> | undefined;
      const { url } = await serve((_request, response) => {
        closed = once(response, 'close');
        response.writeHead(200, { 'content-encoding': coding }).write(gzipSync('x'));
      });
      await expect(run({ url, responseType: 'file' })).rejects.toMatchObject({ code: 'HTTP_RESPONSE_INVALID' });
      await closed;
    },
  );

  it('cannot be combined with pagination', () => {
    const parameters = { url: 'http://a.test', responseType: 'file', pagination: { mode: 'link' } };
    expect(node.check?.(parameters)).toEqual([{ path: 'responseType', message: 'must not be file with pagination' }]);
  });
});

/** Sends a body and returns what arrived. */
async function sent(parameters: JsonObject, listener?: RequestListener) {
  const received: { type: string | undefined; length: string | undefined; body: Buffer }[] = [];
  const { url } = await serve((request, response) => {
    if (listener && request.url !== '/there') {
      listener(request, response);
      return;
    }
    void buffer(request).then((body) => {
      const { 'content-type': type, 'content-length': length } = request.headers;
      received.push({ type, length, body });
      response.end();
    });
  });
  await node.run({ method: 'PUT', url, ...parameters }, nodeContext({ services: { ...NO_SERVICES, http }, files }));
  return received[0];
}

describe('a file as a body', () => {
  it('is sent as its bytes with its type and length: what GET returned, PUT sends on', async () => {
    const { body } = await get({ 'content-type': 'application/pdf' }, PDF);
    const request = await sent({ body });
    expect(request).toMatchObject({ type: 'application/pdf', length: String(PDF.length) });
    expect(request?.body.equals(PDF)).toBe(true);
  });

  it('is sent again to the target of a redirect', async () => {
    const body = await files.save([PDF], { name: 'a' });
    const request = await sent({ body }, (incoming, response) => {
      incoming.resume().on('end', () => response.writeHead(307, { location: '/there' }).end());
    });
    expect(request).toMatchObject({ type: 'application/octet-stream', body: PDF });
  });

  it('is JSON under a JSON type', async () => {
    const body = await files.save([PDF], { name: 'a' });
    const request = await sent({ body, headers: { 'content-type': 'application/json' } });
    expect(request?.body.toString()).toBe(JSON.stringify(body));
  });

  it('is a part of a form', async () => {
    const body = { title: 'x', scan: await files.save([PDF], { name: 'scan.pdf' }) };
    const request = await sent({ method: 'POST', body, headers: { 'content-type': 'multipart/form-data' } });
    expect(request?.length).toBe(String(request?.body.length));
    expect(request?.body.includes(PDF)).toBe(true);
    expect(request?.body.toString('latin1')).toContain('name="scan"; filename="scan.pdf"');
  });

  it('fails the node before anything is sent if the workspace does not have it', async () => {
    const { file } = await files.save([PDF], { name: 'a' });
    const body = { file: { ...file, id: '00000000-0000-7000-8000-00000000abcd' } };
    await expect(sent({ body })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });
});
