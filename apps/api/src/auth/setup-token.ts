import { createHmac } from 'node:crypto';

/**
 * Returns the token that is needed to create the first owner. If none is set, it is derived from the encryption key, so
 * that all replicas have the same without storing it. The key cannot be derived from the token.
 */
export function setupToken(settings: { SETUP_TOKEN?: string; ENCRYPTION_KEY: string }): string {
  const { SETUP_TOKEN: chosen, ENCRYPTION_KEY: key } = settings;
  return chosen ?? createHmac('sha256', key).update('deckhand setup token').digest('base64url');
}
