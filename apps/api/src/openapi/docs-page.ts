import { Router } from 'express';
import swaggerUi from 'swagger-ui-express';
import { sendJsonText } from '../http/respond.ts';
import { createOpenApiDocument, type NamedRoute } from './document.ts';

const DOCUMENT_PATH = '/api/openapi.json';

/**
 * GET /api/openapi.json: the document; GET /docs: the same as a page. Page, scripts and styles come from this process
 * alone, so the page works offline and under the strict policy for scripts.
 */
export function createDocs(routes: readonly NamedRoute[]): Router {
  // Relative to the URL of the document, whatever name callers use for this host.
  const json = JSON.stringify(createOpenApiDocument(routes, '/'));
  const options = { customSiteTitle: 'Deckhand API', swaggerOptions: { url: DOCUMENT_PATH } };
  const router = Router();
  router.get(DOCUMENT_PATH, (_request, response) => {
    response.setHeader('Cache-Control', 'no-cache');
    sendJsonText(response, 200, json);
  });
  router.use('/docs', swaggerUi.serveFiles(undefined, options), swaggerUi.setup(undefined, options));
  return router;
}
