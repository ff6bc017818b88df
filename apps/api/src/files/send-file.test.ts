import { DeckhandError } from '@deckhand/contracts';
import type { FileStore } from '@deckhand/outputs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { once } from 'node:events';
import { get, type Server } from 'node:http';
import { createWorkspaceShares } from '../runs/workspace-shares.ts';
import { attachmentNamed, parseRange, sendDownload, sendLinkedDownload } from './send-file.ts';

describe('a range of a file', () => {
  it.each([
    ['bytes=0-0', { from: 0, until: 1 }],
    ['bytes=2-4', { from: 2, until: 5 }],
    ['bytes=5-', { from: 5, until: 10 }],
    ['bytes=5-99', { from: 5, until: 10 }],
    ['bytes=-3', { from: 7, until: 10 }],
    ['bytes=-99', { from: 0, until: 10 }],
    ['Bytes = 1-2', { from: 1, until: 3 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=4-2', undefined],
    ['bytes=-', undefined],
    ['bytes=0-1,3-4', undefined],
    ['items=0-1', undefined],
    [undefined, undefined],
  ])('%s of ten bytes', (header, range) => {
    expect(parseRange(header, 10)).toEqual(range);
  });

  it('of an empty file cannot be satisfied', () => {
    expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable');
  });
});

describe('the name of a download', () => {
  it.each([
    ['', 'attachment'],
    ['a b.pdf', 'attachment; filename="a b.pdf"'],
    ['€ "1".pdf', `attachment; filename="_ _1_.pdf"; filename*=UTF-8''%E2%82%AC%20%221%22.pdf`],
    ["it's.txt", 'attachment; filename="it\'s.txt"'],
    ['a\r\nb', `attachment; filename="a__b"; filename*=UTF-8''a%0D%0Ab`],
    ['\ud800.txt', `attachment; filename="_.txt"; filename*=UTF-8''%EF%BF%BD.txt`],
  ])('%j is %s', (name, header) => {
    expect(attachmentNamed(name)).toBe(header);
  });
});

describe('downloads in progress', () => {
  let server: Server;
  let piecesRead = 0;
  const files: Pick<FileStore, 'read'> = {
    read: () => ({ totalBytes: 2 ** 40, bytes: 2 ** 40, content: endless() }),
  };
  async function* endless(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      piecesRead += 1;
      yield await Promise.resolve(Buffer.alloc(1_048_576));
    }
  }

  beforeAll(async () => {
    const shares = createWorkspaceShares();
    const app = express().set('trust proxy', true);
    app.get('/:kind/:workspaceId', (request, response) => {
      const { kind, workspaceId } = request.params;
      const send = kind === 'link' ? sendLinkedDownload : sendDownload;
      const file = { id: 'f', workspaceId, bytes: 2 ** 40, isApart: false };
      send(request, response, { files, shares, file, name: '' }).catch((error: unknown) =>
        response.status(error instanceof DeckhandError ? error.status : 500).end(),
      );
    });
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Reads the head of a response, and no more. */
  function open(path: string, from = '192.0.2.1'): Promise<number | undefined> {
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    return new Promise((resolve) => {
      get({ port, host: '127.0.0.1', path, headers: { 'x-forwarded-for': from }, agent: false }, (response) => {
        response.pause();
        response.on('error', () => undefined);
        resolve(response.statusCode);
      }).on('error', () => undefined);
    });
  }
  const countOf = (statuses: readonly unknown[], status: number) => statuses.filter((one) => one === status).length;

  it('are limited by links, for each network and together, so that members have some left', async () => {
    const statuses: (number | undefined)[] = [];
    for (const host of [1, 2, 3, 4, 5])
      for (let n = 0; n < 5; n += 1) statuses.push(await open('/link/a', `198.51.100.${host}`));
    expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([16, 9]);
    expect(await open('/member/a')).toBe(200);
  });

  it('are limited, of a workspace with a 429 and of all with a 503, and each holds no more than some pieces', async () => {
    const of = (workspaceId: string) => Promise.all(Array.from({ length: 33 }, () => open(`/member/${workspaceId}`)));
    const statuses = [await of('a'), await of('b'), await of('c'), await of('d'), [await open('/member/e')]].flat();
    // 17 of the workspace are in progress already.
    expect([200, 429, 503].map((status) => countOf(statuses, status))).toEqual([128 - 17, 4 + 17, 1]);
    // Besides what the kernel takes, some MiB each.
    expect(piecesRead).toBeLessThan(128 * 12);
  });
});
