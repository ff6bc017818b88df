import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Router, type Request } from 'express';
import sirv from 'sirv';

/** Where the build of the console leaves its files. */
const FOLDER = fileURLToPath(new URL('../../../console/dist/', import.meta.url));

/** A year: the name of a file below /assets/ changes with its content. */
const ASSET_SECONDS = 31_536_000;

/** First segments of paths that the console never serves. */
const NOT_PAGES = new Set([
  'api',
  'webhook',
  'webhook-test',
  'form',
  'form-test',
  'answer',
  'healthz',
  'readyz',
  'metrics',
  'docs',
  'downloads',
  'assets',
]);

/**
 * What pages of the console may do (Content Security Policy 3): run scripts and call addresses of this origin only.
 * Text never becomes a script, nor markup with a tag in it (Trusted Types; docs/console.md). Styles may be inline: the
 * component kit writes some while it runs, and they cannot act.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  // blob: shows images of files, which are fetched with the session.
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default',
].join('; ');

/**
 * Serves the console at `/`, and for every address that a browser opens as a page, so that the console's own addresses
 * can be reloaded and linked to. Without a build of it there are no pages.
 * @param folder the built files; those of apps/console unless it is given.
 */
export function createConsole(folder = FOLDER): Router {
  const router = Router();
  if (!existsSync(join(folder, 'index.html'))) return router;
  const files = sirv(folder, {
    etag: true,
    brotli: true,
    gzip: true,
    setHeaders(response, pathname) {
      response.setHeader('Content-Security-Policy', POLICY);
      const isAsset = pathname.startsWith('/assets/');
      response.setHeader('Cache-Control', isAsset ? `public, max-age=${ASSET_SECONDS}, immutable` : 'no-cache');
    },
  });
  router.use((request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      next();
      return;
    }
    if (isPage(request)) request.url = '/';
    files(request, response, next);
  });
  return router;
}

/** Whether a browser opens this address as a page, and it is none of those that have a meaning of their own. */
function isPage({ path, headers }: Request): boolean {
  const [, first = ''] = path.split('/');
  return !NOT_PAGES.has(first) && !first.includes('.') && (headers.accept ?? '').includes('text/html');
}
