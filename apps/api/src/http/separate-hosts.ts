import type { RequestHandler } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import { SettingsError } from '@deckhand/runtime';
import { type ApiSettings, publicUrl, webhookBaseUrl } from '../settings.ts';

/** Webhooks, and forms that start runs. */
const WEBHOOK_PATH = /^\/(webhook|form)(-test)?\//;
/** Paths that load balancers request under any host name. */
const PROBES = new Set(['/healthz', '/readyz']);

/**
 * Returns the host name reserved for webhooks. Returns undefined if they share that of the console.
 * @throws SettingsError if both URLs have the same host name.
 */
export function webhookHostOf(settings: ApiSettings): string | undefined {
  if (!settings.SEPARATE_WEBHOOK_HOST) return undefined;
  const { hostname } = new URL(webhookBaseUrl(settings));
  if (hostname !== new URL(publicUrl(settings)).hostname) return hostname;
  throw new SettingsError(
    'Bad settings: SEPARATE_WEBHOOK_HOST needs a WEBHOOK_BASE_URL of another host than PUBLIC_URL',
  );
}

/** Refuses webhooks and forms on other hosts than theirs, and everything else on that one, with a 404. */
export function separateHosts(webhookHost: string): RequestHandler {
  return (request, _response, next) => {
    const isOnWebhookHost = request.hostname.toLowerCase() === webhookHost;
    const isWebhook = WEBHOOK_PATH.test(request.path);
    if (isOnWebhookHost === isWebhook || PROBES.has(request.path)) next();
    else throw new DeckhandError('NOT_FOUND', { message: 'There is nothing at this address' });
  };
}
