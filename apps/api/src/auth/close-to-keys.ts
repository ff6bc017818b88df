import type { RequestHandler } from 'express';
import { isClosedToKeys } from './needed-scope.ts';
import type { Authenticate } from './authenticate.ts';

/**
 * Refuses API keys at every path of the areas that are closed to them, including paths without a route and paths that
 * need no authentication: UNAUTHORIZED for an invalid key, SESSION_REQUIRED for any other.
 */
export function closeToKeys(authenticate: Authenticate): RequestHandler {
  return (request, _response, next) => {
    if (request.headers['x-api-key'] === undefined || !isClosedToKeys(request.path)) {
      next();
      return undefined;
    }
    return authenticate.session(request).then(() => next());
  };
}
