import { ArchiveSettings, OutputSettings } from '@deckhand/outputs';
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

/** Settings of what is done for a person. */
export const PeopleSettings = Type.Object({
  ...DatabaseSettings,
  /** Start of links, as in the API. */
  PUBLIC_URL: Type.Optional(Type.String({ pattern: '^https?://' })),
});

/** What reading archives needs; no other store. */
export const ArchiveCommandSettings = Type.Object({
  ...ArchiveSettings,
  S3_ENDPOINT: OutputSettings.S3_ENDPOINT,
  S3_REGION: OutputSettings.S3_REGION,
  S3_PREFIX: OutputSettings.S3_PREFIX,
});
