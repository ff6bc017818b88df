import { countCredentialsByKey, type Database } from '@deckhand/db';
import type { Logger, SecretBox } from '@deckhand/runtime';

/**
 * Says at the start how many credentials none of the encryption keys opens, rather than with the first run that needs
 * one. The API serves all the same: the others work.
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
    logger.warn({ err }, 'whether the encryption keys open all credentials could not be found out');
  }
}
