import { createHmac } from 'node:crypto';

/**
 * The token that creating the first owner needs. Where none is set it follows from the encryption key, so that all
 * replicas have the same without keeping it anywhere, and the key cannot be found from it.
 */
export function setupToken(settings: { SETUP_TOKEN?: string; ENCRYPTION_KEY: string }): string {
  const { SETUP_TOKEN: chosen, ENCRYPTION_KEY: key } = settings;
  return chosen ?? createHmac('sha256', key).update('deckhand setup token').digest('base64url');
}
