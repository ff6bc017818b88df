import type { Response } from 'express';
import { gzip } from 'node:zlib';

const NOT_CACHED = { 'Cache-Control': 'no-store' };

/** Shorter JSON, in characters, is not compressed, because that costs more than it saves. */
const MIN_COMPRESSED_LENGTH = 8_192;
/** From 1 to 9. Beyond this, the time grows faster than the size shrinks. */
const COMPRESSION_LEVEL = 4;

/** Sends a JSON response. */
export function sendJson(response: Response, status: number, body: unknown): void {
  sendJsonText(response, status, JSON.stringify(body));
}

/**
 * Sends JSON text as the response. Long text is compressed if the caller accepts that. Caches must not store the
 * response, unless the route has set `Cache-Control`.
 */
export function sendJsonText(response: Response, status: number, json: string): void {
  if (json.length < MIN_COMPRESSED_LENGTH) {
    end(response, status, json);
    return;
  }
  response.vary('Accept-Encoding');
  if (response.req.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    end(response, status, json);
    return;
  }
  gzip(json, { level: COMPRESSION_LEVEL }, (error, compressed) => {
    if (error) {
      response.destroy(error);
      return;
    }
    response.setHeader('Content-Encoding', 'gzip');
    end(response, status, compressed);
  });
}

function end(response: Response, status: number, body: string | Buffer): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...(response.hasHeader('Cache-Control') ? undefined : NOT_CACHED),
  });
  response.end(body);
}

/** Sends a 204. */
export function sendNothing(response: Response): void {
  response.writeHead(204).end();
}
