import { SettingsError } from '@deckhand/runtime';
import Type, { type Static } from 'typebox';

/** Members of the environment that say where large outputs are stored. */
export const OutputSettings = {
  OUTPUT_STORE: Type.Enum(['postgres', 's3'], { default: 'postgres' }),
  S3_BUCKET: Type.Optional(Type.String({ minLength: 1 })),
  /** Of a store that speaks S3 but is not Amazon's. */
  S3_ENDPOINT: Type.Optional(Type.String({ pattern: '^https?://' })),
  S3_REGION: Type.String({ default: 'us-east-1' }),
  /** What the names of objects begin with. */
  S3_PREFIX: Type.String({ default: 'deckhand/', pattern: '^[A-Za-z0-9!_.*()/-]*$' }),
};

export type OutputSettings = Static<ReturnType<typeof Type.Object<typeof OutputSettings>>>;

/** Where objects are in S3. @throws SettingsError without a bucket. */
export function s3Location(settings: OutputSettings) {
  const { S3_BUCKET: bucket, S3_ENDPOINT: endpoint, S3_REGION: region, S3_PREFIX: prefix } = settings;
  if (bucket === undefined) throw new SettingsError('Bad settings: S3_BUCKET is required when OUTPUT_STORE is s3');
  return { bucket, endpoint, region, prefix };
}
