import { validationFailed } from '@deckhand/contracts';
import type { RequestHandler } from 'express';

/** Versions of the API that are answered, the oldest first: docs/api-versions.md. */
const API_VERSIONS: readonly [string, ...string[]] = ['2026-11-23'];

/** The version of a response to a request that names none: the oldest, so that nothing changes for old clients. */
export const [API_VERSION] = API_VERSIONS;

const API_PATH = /^\/api\//i;

/**
 * Says in `API-Version` which version a response of the API is of, and refuses a request that names one that there is
 * not. @throws DeckhandError VALIDATION_FAILED.
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
