import type { Request, RequestHandler } from 'express';
import { SettingsError } from '@deckhand/runtime';

/** Headers of answers that pages of other origins may read. */
const EXPOSED = [
  'API-Version',
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
/** How long browsers may remember the answer to a preflight request, in seconds. */
export const PREFLIGHT_SECONDS = 600;
/** A list of header names (RFC 9110, 5.6.2). */
const HEADER_NAMES = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(\s*,\s*[!#$%&'*+.^_`|~0-9A-Za-z-]+)*$/;

const API_PATH = /^\/api\//i;

/**
 * Reads the origins whose pages may call the API, such as https://app.example, with commas between.
 * @throws SettingsError naming the first that is none; `*` is none, since a key in a page is for that page.
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
 * Lets pages of these origins, and no others, call the API and read what it answers (Fetch, 3.2). They are compared as
 * they are. No cookies are involved: a page has to have a key or a session's token.
 */
export function allowOrigins(origins: ReadonlySet<string>): RequestHandler {
  return (request, response, next) => {
    if (origins.size === 0 || !API_PATH.test(request.path)) {
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

/** Whether a browser asks if a page may send its request (Fetch, 4.8). */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** The headers that the page wants to send; undefined without any, and for what is no list of headers. */
export function wantedHeaders({ headers }: Request): string | undefined {
  const wanted = headers['access-control-request-headers'];
  return wanted !== undefined && HEADER_NAMES.test(wanted) ? wanted : undefined;
}
