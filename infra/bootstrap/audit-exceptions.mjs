/**
 * Advisories on dependencies of production that do not fail a build, each with why it cannot be used against Deckhand:
 * `{ id: 'GHSA-…', reason: '…' }`. One that no advisory bears any more is to be taken out.
 */
export const EXCEPTIONS = [];
