import { DeckhandError } from '@deckhand/contracts';
import { VERSION } from '@deckhand/runtime';
import { type Request, type Response, Router } from 'express';
import fresh from 'fresh';
import { fileURLToPath } from 'node:url';
import swaggerUi from 'swagger-ui-express';
import { DOCUMENT_PATH } from '../openapi/serve-document.ts';
import { keepResult } from './keep-result.ts';
import type { DocsSite, SiteFile } from './site.ts';

/** The folder with `docs`: the repository, or the root of an image. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const BASE = '/docs';

/** What pages may do (Content Security Policy 3): run scripts, apply styles and read addresses of this origin only. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Elements of the page of the API: the viewer's own scripts, as files. */
const VIEWER = `<link rel="stylesheet" href="${BASE}/api/swagger-ui.css">
<script defer src="${BASE}/api/swagger-ui-bundle.js"></script>
<script defer src="${BASE}/api/swagger-ui-standalone-preset.js"></script>
<script defer src="${BASE}/api/swagger-ui-init.js"></script>
`;

/**
 * Serves the documentation of this version at `/docs`, without a key: pages, also as Markdown, their search, a page for
 * each code of errors, and the operations of the API. The site is opened by the first request.
 * @param root the folder with `docs`.
 */
export function createDocsSite(root = ROOT): Router {
  const site = keepResult(() => open(root));
  const options = { swaggerOptions: { url: DOCUMENT_PATH, deepLinking: true } };
  const router = Router();
  router.use(`${BASE}/api`, async (request, response, next) => {
    if (request.path !== '/') {
      next();
      return;
    }
    // The viewer writes styles while it runs, so this page has the policy of the gateway.
    const html = '<h1>API reference</h1>\n<div id="swagger-ui"></div>';
    const page = (await site()).frame({ title: 'API reference', slug: 'api', html, head: VIEWER });
    response.setHeader('Cache-Control', 'no-cache');
    response.type('html').send(page);
  });
  router.use(`${BASE}/api`, swaggerUi.serveFiles(undefined, options));
  router.get([BASE, `${BASE}/*path`, '/llms.txt'], async (request, response) => {
    const path = request.path === '/llms.txt' ? 'llms.txt' : request.path.slice(BASE.length + 1).replace(/\/$/, '');
    const file = await (await site()).read(path);
    if (!file) throw new DeckhandError('NOT_FOUND', { message: 'The documentation has no such page' });
    await send(request, response, file);
  });
  return router;
}

/** Loads what renders pages for the first reader only: a start needs neither the time nor the memory for it. */
async function open(root: string): Promise<DocsSite> {
  const { openSite } = await import('./site.ts');
  return openSite({ root, base: BASE, version: VERSION, hasApi: true });
}

async function send(request: Request, response: Response, file: SiteFile): Promise<void> {
  const { body, type, etag } = file;
  response.setHeader('Content-Security-Policy', POLICY);
  // An upgrade of the instance changes what is behind the address.
  response.setHeader('Cache-Control', 'public, no-cache');
  response.setHeader('ETag', etag);
  response.vary('Accept-Encoding');
  if (fresh(request.headers, { etag })) {
    response.writeHead(304).end();
    return;
  }
  response.setHeader('Content-Type', type);
  const isCompressed = !type.startsWith('image/png') && request.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isCompressed) response.setHeader('Content-Encoding', 'gzip');
  response.end(isCompressed ? await file.gzipped() : body);
}
