import { isSameSecret } from '../same-secret.js';

/** Whether an `Authorization` header carries the token. Takes the same time whatever it carries. */
export function hasMetricsToken(authorization: string | undefined, token: string): boolean {
  return isSameSecret(/^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1], token);
}
