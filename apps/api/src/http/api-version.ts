import { validationFailed } from '@deckhand/contracts';
import type { RequestHandler } from 'express';

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
