import { DeckhandError } from '@deckhand/contracts';
import type { FileStore } from '@deckhand/outputs';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { once } from 'node:events';
import { get } from 'node:http';
import { createWorkspaceShares } from '../runs/workspace-shares.ts';
import { attachmentNamed, parseRange, sendFile } from './send-file.ts';

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
  it('are limited, of a workspace with a 429 and of all with a 503, and each holds no more than some pieces', async () => {
    const shares = createWorkspaceShares();
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
    const app = express();
    app.get('/:workspaceId', (request, response) => {
      const { workspaceId } = request.params;
      const file = { id: 'f', workspaceId, bytes: 2 ** 40, isApart: false };
      sendFile(request, response, { files, shares, file, contentType: 'a/b', name: '', status: 200 }).catch(
        (error: unknown) => response.status(error instanceof DeckhandError ? error.status : 500).end(),
      );
    });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    /** Reads the head of a response, and no more. */
    const open = (workspaceId: string): Promise<number | undefined> =>
      new Promise((resolve) => {
        get({ port, host: '127.0.0.1', path: `/${workspaceId}`, agent: false }, (response) => {
          response.pause();
          response.on('error', () => undefined);
          resolve(response.statusCode);
        }).on('error', () => undefined);
      });
    const of = (workspaceId: string) => Promise.all(Array.from({ length: 33 }, () => open(workspaceId)));
    const statuses = [await of('a'), await of('b'), await of('c'), await of('d'), [await open('e')]].flat();
    const count = (status: number) => statuses.filter((one) => one === status).length;
    expect([count(200), count(429), count(503)]).toEqual([128, 4, 1]);
    // Besides what the kernel takes, some MiB each.
    expect(piecesRead).toBeLessThan(128 * 12);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
