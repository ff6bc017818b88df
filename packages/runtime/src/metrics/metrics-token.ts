import { isSameSecret } from '../same-secret.ts';

/** Returns true if an `Authorization` header contains the token. Takes the same time for every header. */
export function hasMetricsToken(authorization: string | undefined, token: string): boolean {
  return isSameSecret(/^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1], token);
}
