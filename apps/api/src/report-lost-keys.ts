import { countCredentialsByKey, type Database } from '@deckhand/db';
import type { Logger, SecretBox } from '@deckhand/runtime';

/**
 * Logs at the start how many credentials cannot be opened with any of the encryption keys, so that it is noticed before
 * a run needs one. The API starts anyway, because the others work.
 */
export async function reportLostKeys(parts: { db: Database; secretBox: SecretBox; logger: Logger }): Promise<void> {
  const { db, secretBox, logger } = parts;
  try {
    const counts = await countCredentialsByKey(db);
    const lost = counts.filter(({ jwe }) => !secretBox.hasKeyOf(jwe));
    const credentials = lost.reduce((sum, each) => sum + each.credentials, 0);
    if (credentials === 0) return;
    logger.error(
      { credentials, keyId: secretBox.keyId },
      'credentials cannot be opened: what sealed them is neither ENCRYPTION_KEY nor among ENCRYPTION_KEYS_OLD',
    );
  } catch (err) {
    logger.warn({ err }, 'failed to check the encryption keys');
  }
}
