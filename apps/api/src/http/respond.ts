import type { Response, RequestHandler } from 'express';
import { gzip } from 'node:zlib';
import { validationFailed } from '@deckhand/contracts';

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

/** Supported versions of the API, the oldest first: docs/api-versions.md. */
const API_VERSIONS: readonly [string, ...string[]] = ['2026-11-23'];

/** The version of a response to a request that names none: the oldest, so that nothing changes for old clients. */
export const [API_VERSION] = API_VERSIONS;

const API_PATH = /^\/api\//i;

/**
 * Sets `API-Version` on every response of the API, and refuses requests that name an unknown version.
 * @throws DeckhandError VALIDATION_FAILED.
 */
export const chooseApiVersion: RequestHandler = (request, response, next) => {
  if (API_PATH.test(request.path)) {
    const wanted = request.headers['api-version'];
    const isKnown = typeof wanted === 'string' && API_VERSIONS.includes(wanted);
    response.setHeader('API-Version', isKnown ? wanted : API_VERSION);
    if (wanted !== undefined && !isKnown) {
      throw validationFailed([{ path: 'API-Version', message: `must be one of ${API_VERSIONS.join(', ')}` }]);
    }
  }
  next();
};
