import type { ApiSettings } from '../settings.ts';

/** Who may read metrics at the port of the API: no one, callers on this machine, or callers with the token. */
export type MetricsAccess = 'elsewhere' | 'local' | { readonly token: string };

/** Reads it from the settings. If metrics have a port of their own, they are served there only. */
export function metricsAccess({ METRICS_PORT: port, METRICS_TOKEN: token }: ApiSettings): MetricsAccess {
  if (port !== undefined) return 'elsewhere';
  return token === undefined ? 'local' : { token };
}
