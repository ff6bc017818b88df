import { DatabaseSettings, EncryptionSettings } from '@deckhand/runtime';
import Type from 'typebox';

/** What every operator's command needs: the stores of the instance, as the API and the workers have them. */
export const StoreSettings = Type.Object({
  ...DatabaseSettings,
  REDIS_URL: Type.String({ minLength: 1 }),
});

/** What changing the encryption key needs; no Redis. */
export const KeySettings = Type.Object({
  ...DatabaseSettings,
  ...EncryptionSettings,
});
