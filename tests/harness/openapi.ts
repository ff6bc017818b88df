import type { NamedRoute } from '@deckhand/api';
import { createOpenApiDocument } from '@deckhand/api';
import { createDocumentCheck, type ResponseCheck } from './document-check.ts';

/** Creates the check for a gateway's operations. */
export function createResponseCheck(routes: readonly NamedRoute[]): ResponseCheck {
  return createDocumentCheck(JSON.parse(JSON.stringify(createOpenApiDocument(routes, '/'))) as object);
}
