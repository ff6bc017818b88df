import type { Credential } from '@deckhand/contracts';
import { NodeError } from '@deckhand/engine';

/** The header for an API key whose credential names no other. */
const API_KEY_HEADER = 'x-api-key';

/**
 * Returns the header for a credential.
 * @param apiKeyHeader of an API key whose credential names none.
 * @throws NodeError CREDENTIAL_UNSUITABLE for a credential without one.
 */
export function credentialHeader(
  credential: Credential,
  apiKeyHeader = API_KEY_HEADER,
): { readonly name: string; readonly value: string } {
  switch (credential.type) {
    case 'apiKey':
      return { name: credential.secret.header ?? apiKeyHeader, value: credential.secret.value };
    case 'basic': {
      const { username, password } = credential.secret;
      // RFC 7617, 2
      return { name: 'authorization', value: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
    }
    case 'bearer':
      return { name: 'authorization', value: `Bearer ${credential.secret.token}` };
    case 'header':
      return { name: credential.secret.name, value: credential.secret.value };
    default:
      throw new NodeError('CREDENTIAL_UNSUITABLE', `a credential of type ${credential.type} is not a header`, {
        isRetryable: false,
      });
  }
}
