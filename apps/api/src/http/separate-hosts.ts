import type { RequestHandler } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import { SettingsError } from '@deckhand/runtime';
import { type ApiSettings, publicUrl, webhookBaseUrl } from '../settings.js';

const WEBHOOK_PATH = /^\/webhook(-test)?\//;
/** What load balancers ask for by whatever name. */
const PROBES = new Set(['/healthz', '/readyz']);

/**
 * The host name that webhooks alone are served from; undefined where they share the console's.
 * @throws SettingsError when both URLs have the same host name.
 */
export function webhookHostOf(settings: ApiSettings): string | undefined {
  if (!settings.SEPARATE_WEBHOOK_HOST) return undefined;
  const { hostname } = new URL(webhookBaseUrl(settings));
  if (hostname !== new URL(publicUrl(settings)).hostname) return hostname;
  throw new SettingsError(
    'Bad settings: SEPARATE_WEBHOOK_HOST needs a WEBHOOK_BASE_URL of another host than PUBLIC_URL',
  );
}

/** Answers 404 for webhooks on any host but theirs, and for everything else on that one. */
export function separateHosts(webhookHost: string): RequestHandler {
  return (request, _response, next) => {
    const isOnWebhookHost = request.hostname.toLowerCase() === webhookHost;
    const isWebhook = WEBHOOK_PATH.test(request.path);
    if (isOnWebhookHost === isWebhook || PROBES.has(request.path)) next();
    else throw new DeckhandError('NOT_FOUND', { message: 'There is nothing at this address' });
  };
}
