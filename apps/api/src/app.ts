import express, { type Express } from 'express';
import helmet from 'helmet';
import { DeckhandError } from '@deckhand/contracts';
import { closeToKeys } from './auth/authenticate.ts';
import { createConsole } from './console/serve-console.ts';
import { createDocsSite } from './docs/serve-docs.ts';
import { chooseApiVersion } from './http/respond.ts';
import { allowOrigins } from './http/cors.ts';
import { createErrorHandler } from './http/errors.ts';
import { createRequestLog } from './http/observe-requests.ts';
import { registerRoutes } from './http/route.ts';
import { separateHosts } from './http/separate-hosts.ts';
import { reportUnknownProxy } from './http/caller-address.ts';
import { createFormRouter } from './forms/form-router.ts';
import { createLinkRouter } from './links/link-router.ts';
import { createMcpEndpoint } from './mcp/endpoint.ts';
import { createDocumentRouter } from './openapi/serve-document.ts';
import { listRoutes } from './routes.ts';
import { createDownloads } from './serve-downloads.ts';
import type { Services } from './services.ts';
import { createRequestTraces } from './tracing/request-traces.ts';
import { createWebhookRouter } from './webhooks/router.ts';

/**
 * Creates the Express app of the gateway. A request passes: id and log, security headers, its route, webhook or page,
 * else a 404.
 */
export function createApp(services: Services): Express {
  const { logger, metrics, tracing, authenticate, trustedProxies, allowedOrigins, webhookHost } = services.requests;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'extended');
  app.set('trust proxy', trustedProxies);
  app.use(reportUnknownProxy(logger));
  app.use(metrics.requests);
  app.use(createRequestLog(logger));
  if (tracing) app.use(createRequestTraces(tracing));
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  if (webhookHost !== undefined) app.use(separateHosts(webhookHost));
  app.use(createWebhookRouter(services.webhooks));
  app.use(createFormRouter(services.publicForms));
  app.use(createLinkRouter(services.links));
  if (allowedOrigins.size > 0) app.use(allowOrigins(allowedOrigins));
  app.use(chooseApiVersion);
  app.use(closeToKeys(authenticate));
  const routes = listRoutes(services);
  registerRoutes(app, routes, authenticate);
  app.use(createMcpEndpoint(services.mcp));
  app.use(createDocumentRouter(routes));
  app.use(createDocsSite());
  app.use(createDownloads());
  app.use(createConsole());
  app.use(() => {
    throw new DeckhandError('NOT_FOUND', { message: 'There is nothing at this address' });
  });
  app.use(createErrorHandler(logger));
  return app;
}
