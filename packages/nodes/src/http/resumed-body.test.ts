import { storedFileOf } from '@deckhand/contracts';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { NO_SERVICES, nodeContext } from '../../../../tests/harness/node-context.ts';
import { serve } from '../../../../tests/harness/serve.ts';
import node from '../types/http.ts';
import { createHttpClient } from './client.ts';

const http = createHttpClient({ allowPrivate: true });
const CONTENT = randomBytes(400_000);
const DATE = 'Sat, 28 Nov 2026 12:00:00 GMT';
const TAGGED = { 'accept-ranges': 'bytes', etag: '"v1"' };

afterAll(async () => {
  await http.close();
  await stopAll();
});

/** The response to one request for a file: its headers, and the bytes that are sent before the connection ends. */
interface Reply {
  readonly status?: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly sent: Buffer;
  /** Whether the connection is broken off after these bytes. */
  readonly isCut?: boolean;
}

/** Returns a part of the content as a correct server sends it, which ends after `sent` bytes. */
function part(content: Buffer, from: number, sent = content.length): Reply {
  const range = `bytes ${from}-${content.length - 1}/${content.length}`;
  const headers = { ...TAGGED, 'content-range': range, 'content-length': content.length - from };
  return { status: 206, headers, sent: content.subarray(from, from + sent), isCut: from + sent < content.length };
}

/** Returns the beginning of a whole response that is cut. */
function cut(sent: number, headers: OutgoingHttpHeaders = TAGGED, content = CONTENT): Reply {
  return { headers: { 'content-length': content.length, ...headers }, sent: content.subarray(0, sent), isCut: true };
}

/** Downloads a file from a server that gives these replies, one for each request. */
async function download(replies: readonly Reply[], headers: Record<string, string> = {}) {
  const ranges: (readonly [string | undefined, string | undefined])[] = [];
  const { url } = await serve((incoming, response) => {
    const reply = replies[ranges.length];
    ranges.push([incoming.headers.range, incoming.headersDistinct['if-range']?.[0]]);
    if (reply) void send(reply, response);
    else response.destroy();
  });
  const files = createMemoryFiles();
  const run = async () =>
    node.run({ url, responseType: 'file', headers }, nodeContext({ services: { ...NO_SERVICES, http }, files }));
  const outcome = await run().catch((error: unknown) => ({ kind: 'failed' as const, error }));
  if (outcome.kind === 'failed') return { ranges, error: outcome.error };
  if (outcome.kind !== 'output') throw new Error(outcome.kind);
  const file = storedFileOf(Object(outcome.output).body);
  return { ranges, sha256: file?.sha256, bytes: file?.bytes };
}

async function send({ status = 200, headers, sent, isCut = false }: Reply, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers);
  if (!isCut) {
    response.end(sent);
    return;
  }
  // Sent as far as it goes before the connection ends, so that all of these bytes arrive.
  response.write(sent, () => response.socket?.end());
  await once(response, 'close');
}

const sha256 = createHash('sha256').update(CONTENT).digest('hex');

describe('a download that breaks off', () => {
  it('is continued where it broke off, and its hash is that of the whole', async () => {
    const result = await download([cut(100_000), part(CONTENT, 100_000, 200_000), part(CONTENT, 300_000)]);
    expect(result).toEqual({
      sha256,
      bytes: CONTENT.length,
      ranges: [
        [undefined, undefined],
        ['bytes=100000-', '"v1"'],
        ['bytes=300000-', '"v1"'],
      ],
    });
  });

  it('is continued by its date if that is old enough', async () => {
    const modified = 'Sat, 28 Nov 2026 11:00:00 GMT';
    const headers = { 'accept-ranges': 'bytes', date: DATE, 'last-modified': modified };
    const { headers: { etag: _, ...restHeaders } = {}, ...rest } = part(CONTENT, 100_000);
    const { sha256: received, ranges } = await download([cut(100_000, headers), { ...rest, headers: restHeaders }]);
    expect([received, ranges[1]]).toEqual([sha256, ['bytes=100000-', modified]]);
  });

  it('is continued as it was compressed', async () => {
    const content = gzipSync(CONTENT);
    const coded = { ...TAGGED, 'content-encoding': 'gzip' };
    const { headers, ...rest } = part(content, 50_000);
    const replies = [cut(50_000, coded, content), { ...rest, headers: { ...headers, ...coded } }];
    expect((await download(replies)).sha256).toBe(sha256);
  });

  it.each<[string, OutgoingHttpHeaders]>([
    ['no validator', { 'accept-ranges': 'bytes' }],
    ['a weak entity tag', { 'accept-ranges': 'bytes', etag: 'W/"v1"' }],
    ['a date of the same minute', { 'accept-ranges': 'bytes', date: DATE, 'last-modified': DATE }],
    ['no ranges', { etag: '"v1"' }],
    ['refused ranges', { etag: '"v1"', 'accept-ranges': 'none' }],
  ])('is not continued with %s', async (_what, headers) => {
    const { ranges, error } = await download([cut(100_000, headers), part(CONTENT, 100_000)]);
    expect([ranges.length, error]).toMatchObject([1, { code: 'HTTP_REQUEST_FAILED' }]);
  });

  it('is not continued if it is itself a range', async () => {
    const replies = [{ ...part(CONTENT, 0, 1_000) }, part(CONTENT, 1_000)];
    const { ranges, error } = await download(replies, { Range: 'bytes=0-' });
    expect([ranges.length, error]).toMatchObject([1, { code: 'HTTP_REQUEST_FAILED' }]);
  });

  const correct = part(CONTENT, 100_000);
  it.each<[string, Reply]>([
    ['the whole file again', { headers: { ...TAGGED, 'content-length': CONTENT.length }, sent: CONTENT }],
    ['another version', { ...correct, headers: { ...correct.headers, etag: '"v2"' } }],
    ['a range that overlaps', part(CONTENT, 99_999)],
    ['a range that begins later', part(CONTENT, 100_001)],
    ['a file of another length', part(Buffer.concat([CONTENT, CONTENT]), 100_000)],
    ['a file of an unknown length', { ...correct, headers: { 'content-range': 'bytes 100000-399999/*' } }],
    ['another coding', { ...correct, headers: { ...correct.headers, 'content-encoding': 'gzip' } }],
    ['a range without its name', { ...correct, headers: TAGGED }],
    ['more than it announced', { ...correct, sent: Buffer.concat([correct.sent, CONTENT]), headers: unmeasured() }],
    ['an error', { status: 416, sent: Buffer.from('no') }],
  ])('fails if the server then sends %s', async (_what, reply) => {
    const { ranges, error } = await download([cut(100_000), reply, correct, correct]);
    expect([ranges.length, error]).toMatchObject([2, { code: 'HTTP_REQUEST_FAILED' }]);
  });

  function unmeasured(): OutgoingHttpHeaders {
    return { ...TAGGED, 'content-range': `bytes 100000-${CONTENT.length - 1}/${CONTENT.length}` };
  }

  it('is continued ten times at most, and not after a request that brought nothing', async () => {
    const many = Array.from({ length: 20 }, (_, n) => part(CONTENT, (n + 1) * 1_000, 1_000));
    expect(await download([cut(1_000), ...many])).toMatchObject({
      ranges: { length: 11 },
      error: { code: 'HTTP_REQUEST_FAILED' },
    });
    const idle = await download([cut(1_000), part(CONTENT, 1_000, 0), part(CONTENT, 1_000)]);
    expect(idle).toMatchObject({ ranges: { length: 2 }, error: { code: 'HTTP_REQUEST_FAILED' } });
  });

  it('is continued if the rest ends early without an error', async () => {
    const short = { status: 206, headers: unmeasured(), sent: CONTENT.subarray(100_000, 150_000) };
    const { sha256: received } = await download([cut(100_000), short, part(CONTENT, 150_000)]);
    expect(received).toBe(sha256);
  });
});
