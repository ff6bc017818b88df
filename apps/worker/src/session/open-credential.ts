import { type Credential, toCredential } from '@deckhand/contracts';
import type { NodeCredential, SealedCredential } from '@deckhand/db';
import { NodeError } from '@deckhand/engine';
import { type SecretBox, SecretBoxError } from '@deckhand/runtime';

/** Of a run, what decides which credentials its nodes may use. */
export interface UserOfCredentials {
  readonly workspaceId: string;
  readonly workflowVersionId: string;
}

/**
 * Opens credentials for nodes. Nothing is kept: a secret that was replaced counts from the next attempt.
 * @param read reads a credential for a run; undefined when its workspace has none of this id.
 * @returns a function that throws NodeError CREDENTIAL_NOT_FOUND, CREDENTIAL_ENDED, CREDENTIAL_PRIVATE or
 * CREDENTIAL_UNREADABLE.
 */
export function createCredentialOpener(
  secretBox: SecretBox,
  read: (run: UserOfCredentials, credentialId: string) => Promise<NodeCredential | undefined>,
): (run: UserOfCredentials, credentialId: string) => Promise<Credential> {
  return async (run, credentialId) => {
    const sealed = await read(run, credentialId);
    if (!sealed) {
      const message = `the workspace has no credential ${credentialId}: it may have been deleted`;
      throw new NodeError('CREDENTIAL_NOT_FOUND', message, { isRetryable: false });
    }
    if (sealed.refusal !== null) throw refused(REFUSALS[sealed.refusal]);
    const credential = toCredential(sealed.type, JSON.parse(await open(secretBox, sealed)));
    if (!credential) throw unreadable(`is no ${sealed.type} credential`);
    return credential;
  };
}

const REFUSALS: Readonly<Record<NonNullable<NodeCredential['refusal']>, readonly [code: string, message: string]>> = {
  ended: ['CREDENTIAL_ENDED', 'the credential holds an API key that was revoked or has expired'],
  private: [
    'CREDENTIAL_PRIVATE',
    'the credential holds an API key of somebody else than who saved this version of the workflow',
  ],
};

function refused([code, message]: readonly [code: string, message: string]): NodeError {
  return new NodeError(code, message, { isRetryable: false });
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
