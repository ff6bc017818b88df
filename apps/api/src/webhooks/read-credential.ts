import { type Credential, toCredential } from '@deckhand/contracts';
import { type Database, type CredentialUser, readSealedCredential } from '@deckhand/db';
import { type Logger, type SecretBox, SecretBoxError } from '@deckhand/runtime';

/** Reads the credential of a trigger. Returns undefined if it is gone, or cannot be used by the version or opened. */
export type CredentialReader = (version: CredentialUser, id: string) => Promise<Credential | undefined>;

/** Maximum number of cached secrets, by their envelopes. */
const MAX_CACHED_SECRETS = 1_000;

/**
 * Creates the reader. It reads the credential for every request, so that replacing or deleting one takes effect at
 * once. Only the contents of envelopes are cached: another secret has another envelope.
 */
export function createCredentialReader(options: {
  db: Database;
  secretBox: SecretBox;
  logger: Logger;
}): CredentialReader {
  const { db, secretBox, logger } = options;
  const opened = new Map<string, Credential>();
  return async (version, id) => {
    const sealed = await readSealedCredential(db, version, id);
    if (!sealed) return undefined;
    if (sealed.refusal !== null) {
      const { refusal } = sealed;
      logger.warn(
        { refusal, credentialId: id, ...version },
        'webhook refuses all requests: it may not use its credential',
      );
      return undefined;
    }
    const known = opened.get(sealed.sealedSecret);
    if (known) return known;
    try {
      const credential = toCredential(sealed.type, JSON.parse(await secretBox.open(sealed.sealedSecret)));
      if (!credential) return undefined;
      if (opened.size >= MAX_CACHED_SECRETS) opened.clear();
      opened.set(sealed.sealedSecret, credential);
      return credential;
    } catch (err) {
      if (!(err instanceof SecretBoxError)) throw err;
      logger.warn({ err, credentialId: id }, 'refused a request to a webhook: its credential cannot be decrypted');
      return undefined;
    }
  };
}
