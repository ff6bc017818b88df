import type { ApiSettings } from '../settings.js';

/**
 * Who gets metrics at the API's own port: nobody, callers on this machine, or whoever sends the token.
 */
export type MetricsAccess = 'elsewhere' | 'local' | { readonly token: string };

/** What the settings say: with a port of their own, metrics are there alone. */
export function metricsAccess({ METRICS_PORT: port, METRICS_TOKEN: token }: ApiSettings): MetricsAccess {
  if (port !== undefined) return 'elsewhere';
  return token === undefined ? 'local' : { token };
}
