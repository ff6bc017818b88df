import { DatabaseSettings, EncryptionSettings } from '@deckhand/runtime';
import Type from 'typebox';

/** Settings of every operator's command: the stores, as in the API and the workers. */
export const StoreSettings = Type.Object({
  ...DatabaseSettings,
  REDIS_URL: Type.String({ minLength: 1 }),
});

/** Settings of the rotation of encryption keys, which needs no Redis. */
export const KeySettings = Type.Object({
  ...DatabaseSettings,
  ...EncryptionSettings,
});
