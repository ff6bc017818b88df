import { NodeError } from '@deckhand/engine';
import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/**
 * Reads a body to its end, decompressed.
 * @param maxBytes a longer one, before or after decompression, fails with RESPONSE_TOO_LARGE and is not read on.
 */
export async function readBody(body: Readable, encoding: string | undefined, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const source = decompressed(body, encoding);
  try {
    for await (const chunk of source) {
      if (!(chunk instanceof Uint8Array)) continue;
      bytes += chunk.byteLength;
      if (bytes > maxBytes) {
        throw new NodeError('RESPONSE_TOO_LARGE', `the answer is longer than ${maxBytes} bytes`, {
          isRetryable: false,
        });
      }
      chunks.push(chunk);
    }
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks);
}

function decompressed(body: Readable, encoding: string | undefined): Readable {
  const stream = decompressor(encoding);
  if (!stream) return body;
  body.on('error', (error) => stream.destroy(error));
  return body.pipe(stream);
}

function decompressor(encoding: string | undefined) {
  switch (encoding?.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      return createInflate();
    default:
      return undefined;
  }
}
