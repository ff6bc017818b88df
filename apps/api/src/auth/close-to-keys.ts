import type { RequestHandler } from 'express';
import { isClosedToKeys } from './access-rule.js';
import type { Authenticate } from './authenticate.js';

/**
 * Refuses API keys at every path of the areas that are closed to them, those without a route and those that need no
 * authentication included: UNAUTHORIZED for a key that is not valid, SESSION_REQUIRED for any other.
 */
export function closeToKeys(authenticate: Authenticate): RequestHandler {
  return async (request, _response, next) => {
    if (request.headers['x-api-key'] !== undefined && isClosedToKeys(request.path)) await authenticate.session(request);
    next();
  };
}
