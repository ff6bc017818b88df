import express, { type Express } from 'express';
import helmet from 'helmet';
import { DeckhandError } from '@deckhand/contracts';
import { closeToKeys } from './auth/close-to-keys.js';
import { createConsole } from './console/serve-console.js';
import { chooseApiVersion } from './http/api-version.js';
import { allowOrigins } from './http/cors.js';
import { createErrorHandler } from './http/errors.js';
import { createRequestLog } from './http/request-log.js';
import { registerRoutes } from './http/route.js';
import { separateHosts } from './http/separate-hosts.js';
import { reportUnknownProxy } from './http/trusted-proxies.js';
import { createAnswerRouter } from './links/answer-router.js';
import { createMcpEndpoint } from './mcp/endpoint.js';
import { createDocs } from './openapi/docs-page.js';
import { listRoutes } from './routes.js';
import type { Services } from './services.js';
import { createRequestTraces } from './tracing/request-traces.js';
import { createWebhookRouter } from './webhooks/router.js';

/**
 * Creates the Express app of the gateway. A request passes: id and log, security headers, its route, webhook or page,
 * else a 404.
 */
export function createApp(services: Services): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'extended');
  app.set('trust proxy', services.trustedProxies);
  app.use(reportUnknownProxy(services.logger));
  app.use(services.metrics.requests);
  app.use(createRequestLog(services.logger));
  if (services.tracing) app.use(createRequestTraces(services.tracing));
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  if (services.webhookHost !== undefined) app.use(separateHosts(services.webhookHost));
  app.use(createWebhookRouter(services));
  app.use(createAnswerRouter(services));
  if (services.allowedOrigins.size > 0) app.use(allowOrigins(services.allowedOrigins));
  app.use(chooseApiVersion);
  app.use(closeToKeys(services.authenticate));
  const routes = listRoutes(services);
  registerRoutes(app, routes, services.authenticate);
  app.use(createMcpEndpoint(services));
  app.use(createDocs(routes));
  app.use(createConsole());
  app.use(() => {
    throw new DeckhandError('NOT_FOUND', { message: 'There is nothing at this address' });
  });
  app.use(createErrorHandler(services.logger));
  return app;
}
