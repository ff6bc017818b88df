import type { Request, Response } from 'express';
import { PREFLIGHT_SECONDS, wantedHeaders } from '../http/cors.ts';
import type { TriggerSettings } from './trigger-settings.ts';

/** Response headers that pages may read. */
const EXPOSED = 'X-Request-Id, Retry-After, Idempotency-Replayed, RateLimit, RateLimit-Policy';

/** Origins and methods that are allowed. */
export type CorsSettings = Pick<TriggerSettings, 'allowedOrigins' | 'allowedMethods'>;

/** Applies until the trigger of a request is known: any page may read that there is none, or that it is inactive. */
export const CORS_WITHOUT_TRIGGER: CorsSettings = {
  allowedOrigins: ['*'],
  allowedMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
};

/** Sets the headers by which the browser decides whether the requesting page may read the response (Fetch, 3.2). */
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

/** Responds to an OPTIONS request, preflight or not. It starts no run. */
export function answerOptions(request: Request, response: Response, { allowedMethods }: CorsSettings): void {
  response.setHeader('Allow', allowedMethods.join(', '));
  if (response.hasHeader('Access-Control-Allow-Origin')) {
    response.setHeader('Access-Control-Allow-Methods', allowedMethods.join(', '));
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    const wanted = wantedHeaders(request);
    if (wanted !== undefined) response.setHeader('Access-Control-Allow-Headers', wanted);
  }
  response.writeHead(204).end();
}
