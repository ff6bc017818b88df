import type { Request, Response } from 'express';
import type { TriggerSettings } from './trigger-settings.js';

/** Headers of the answer that pages may read. */
const EXPOSED = 'X-Request-Id, Retry-After, Idempotency-Replayed, RateLimit, RateLimit-Policy';
/** How long browsers may remember the answer to a preflight request, in seconds. */
const MAX_AGE_SECONDS = 600;
/** A list of header names (RFC 9110, 5.6.2). */
const HEADER_NAMES = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(\s*,\s*[!#$%&'*+.^_`|~0-9A-Za-z-]+)*$/;

/** What pages may do. */
export type CorsSettings = Pick<TriggerSettings, 'allowedOrigins' | 'allowedMethods'>;

/** Holds until it is known which trigger a request is for: any page may read that there is none, or none at work. */
export const CORS_WITHOUT_TRIGGER: CorsSettings = {
  allowedOrigins: ['*'],
  allowedMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
};

/** Tells a browser whether the page that sent the request may read the answer (Fetch, 3.2). */
export function allowOrigin(request: Request, response: Response, { allowedOrigins }: CorsSettings): void {
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
  if (allowedOrigins.includes('*')) {
    response.setHeader('Access-Control-Allow-Origin', '*');
    return;
  }
  response.setHeader('Vary', 'Origin');
  const { origin } = request.headers;
  if (origin !== undefined && allowedOrigins.includes(origin)) {
    response.setHeader('Access-Control-Allow-Origin', origin);
  } else {
    response.removeHeader('Access-Control-Allow-Origin');
  }
}

/** Whether a browser asks if a page may send its request (Fetch, 4.8). */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** Answers an OPTIONS request, a preflight one or not: it starts nothing. */
export function answerOptions(request: Request, response: Response, { allowedMethods }: CorsSettings): void {
  response.setHeader('Allow', allowedMethods.join(', '));
  if (response.hasHeader('Access-Control-Allow-Origin')) {
    response.setHeader('Access-Control-Allow-Methods', allowedMethods.join(', '));
    response.setHeader('Access-Control-Max-Age', MAX_AGE_SECONDS);
    const wanted = request.headers['access-control-request-headers'];
    if (wanted !== undefined && HEADER_NAMES.test(wanted)) response.setHeader('Access-Control-Allow-Headers', wanted);
  }
  response.writeHead(204).end();
}
