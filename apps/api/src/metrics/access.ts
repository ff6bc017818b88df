import type { ApiSettings } from '../settings.js';

/**
 * Who gets metrics at the API's own port: nobody, direct callers from a private network, or whoever sends the token.
 */
export type MetricsAccess = 'elsewhere' | 'nearby' | { readonly token: string };

/** What the settings say: with a port of their own, metrics are there alone. */
export function metricsAccess({ METRICS_PORT: port, METRICS_TOKEN: token }: ApiSettings): MetricsAccess {
  if (port !== undefined) return 'elsewhere';
  return token === undefined ? 'nearby' : { token };
}
