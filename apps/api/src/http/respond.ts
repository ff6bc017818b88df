import type { Response } from 'express';
import { gzip } from 'node:zlib';

const NOT_KEPT = { 'Cache-Control': 'no-store' };

/** Shortest JSON that is compressed, in characters: less costs more than it saves. */
const COMPRESSED_FROM = 8_192;
/** Of 1 to 9: beyond this the time grows faster than the size shrinks. */
const COMPRESSION_LEVEL = 4;

/** Answers with JSON. */
export function sendJson(response: Response, status: number, body: unknown): void {
  sendJsonText(response, status, JSON.stringify(body));
}

/**
 * Answers with JSON that is serialised already, compressed where it is long and the caller takes it so. No cache keeps
 * it, unless the route has said how it may.
 */
export function sendJsonText(response: Response, status: number, json: string): void {
  if (json.length < COMPRESSED_FROM) {
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
    ...(response.hasHeader('Cache-Control') ? undefined : NOT_KEPT),
  });
  response.end(body);
}

/** Answers that all is done and there is nothing to say. */
export function sendNothing(response: Response): void {
  response.writeHead(204).end();
}
