import { Router } from 'express';
import { sendJsonText } from '../http/respond.ts';
import { createOpenApiDocument, type NamedRoute } from './document.ts';

/** Where the OpenAPI document is. */
export const DOCUMENT_PATH = '/api/openapi.json';

/** Serves the OpenAPI document. The documentation shows it as a page. */
export function createDocumentRouter(routes: readonly NamedRoute[]): Router {
  // Relative to the URL of the document, whatever name callers use for this host.
  const json = JSON.stringify(createOpenApiDocument(routes, '/'));
  const router = Router();
  router.get(DOCUMENT_PATH, (_request, response) => {
    response.setHeader('Cache-Control', 'no-cache');
    sendJsonText(response, 200, json);
  });
  return router;
}
