import { type Credential, toCredential } from '@deckhand/contracts';
import type { SealedCredential } from '@deckhand/db';
import { NodeError } from '@deckhand/engine';
import { type SecretBox, SecretBoxError } from '@deckhand/runtime';

/**
 * Opens credentials for nodes. Nothing is kept: a secret that was replaced counts from the next attempt.
 * @param read reads a credential of a workspace; undefined when that workspace has none of this id.
 * @returns a function that throws NodeError CREDENTIAL_NOT_FOUND or CREDENTIAL_UNREADABLE.
 */
export function createCredentialOpener(
  secretBox: SecretBox,
  read: (workspaceId: string, credentialId: string) => Promise<SealedCredential | undefined>,
): (workspaceId: string, credentialId: string) => Promise<Credential> {
  return async (workspaceId, credentialId) => {
    const sealed = await read(workspaceId, credentialId);
    if (!sealed) {
      const message = `the workspace has no credential ${credentialId}: it may have been deleted`;
      throw new NodeError('CREDENTIAL_NOT_FOUND', message, { isRetryable: false });
    }
    const credential = toCredential(sealed.type, JSON.parse(await open(secretBox, sealed)));
    if (!credential) throw unreadable(`is no ${sealed.type} credential`);
    return credential;
  };
}

async function open(secretBox: SecretBox, { sealedSecret }: SealedCredential): Promise<string> {
  try {
    return await secretBox.open(sealedSecret);
  } catch (error) {
    if (error instanceof SecretBoxError) throw unreadable(error.message);
    throw error;
  }
}

function unreadable(reason: string): NodeError {
  const message = `the credential cannot be opened: ${reason}`;
  return new NodeError('CREDENTIAL_UNREADABLE', message, { isRetryable: false });
}
