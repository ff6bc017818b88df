import type { Request, RequestHandler } from 'express';
import { SettingsError } from '@deckhand/runtime';

/** Response headers that pages of other origins may read. */
const EXPOSED = [
  'API-Version',
  'Age',
  'Allow',
  'Content-Disposition',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'X-Request-Id',
].join(', ');
const METHODS = 'GET, POST, PUT, PATCH, DELETE';
/** How long browsers may cache the response to a preflight request, in seconds. */
export const PREFLIGHT_SECONDS = 600;
/** Matches a list of header names (RFC 9110, 5.6.2). */
const HEADER_NAMES = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(\s*,\s*[!#$%&'*+.^_`|~0-9A-Za-z-]+)*$/;

const API_PATH = /^\/(api\/|mcp$)/i;

/**
 * Parses a comma-separated list of the origins whose pages may call the API, such as https://app.example.
 * @throws SettingsError naming the first entry that is not an origin. `*` is refused too: a page holds a key, which is
 * meant for that page only.
 */
export function readAllowedOrigins(list = ''): ReadonlySet<string> {
  const origins = list
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const bad = origins.find((each) => !isOrigin(each));
  if (bad === undefined) return new Set(origins);
  throw new SettingsError(
    `Bad settings: API_ALLOWED_ORIGINS must name origins such as https://app.example, not "${bad}"`,
  );
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/**
 * Lets pages of these origins, and no others, call the API and read its responses (Fetch, 3.2). Origins are compared
 * literally. There are no cookies: a page needs a key or a session token.
 */
export function allowOrigins(origins: ReadonlySet<string>): RequestHandler {
  return (request, response, next) => {
    if (!API_PATH.test(request.path)) {
      next();
      return;
    }
    response.vary('Origin');
    const { origin } = request.headers;
    if (origin === undefined || !origins.has(origin)) {
      next();
      return;
    }
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', EXPOSED);
    if (!isPreflight(request)) {
      next();
      return;
    }
    response.setHeader('Access-Control-Allow-Methods', METHODS);
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    const wanted = wantedHeaders(request);
    if (wanted !== undefined) response.setHeader('Access-Control-Allow-Headers', wanted);
    response.writeHead(204).end();
  };
}

/** Returns true for a preflight request of a browser (Fetch, 4.8). */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** Returns the headers that the page wants to send. Returns undefined if there are none, or the list is malformed. */
export function wantedHeaders({ headers }: Request): string | undefined {
  const wanted = headers['access-control-request-headers'];
  return wanted !== undefined && HEADER_NAMES.test(wanted) ? wanted : undefined;
}
