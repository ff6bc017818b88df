/**
 * Advisories on production dependencies that do not fail a build, each with the reason why it does not apply to
 * Deckhand: `{ id: 'GHSA-…', reason: '…' }`. Remove an entry once no advisory has its id.
 */
export const EXCEPTIONS = [];
