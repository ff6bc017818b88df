import { SettingsError } from '@deckhand/runtime';
import Type, { type Static } from 'typebox';

/** Settings of the store of large outputs. */
export const OutputSettings = {
  OUTPUT_STORE: Type.Enum(['postgres', 's3'], { default: 'postgres' }),
  S3_BUCKET: Type.Optional(Type.String({ minLength: 1 })),
  /** Address of an S3-compatible store other than Amazon's. */
  S3_ENDPOINT: Type.Optional(Type.String({ pattern: '^https?://' })),
  S3_REGION: Type.String({ default: 'us-east-1' }),
  /** Prefix of the names of objects. */
  S3_PREFIX: Type.String({ default: 'deckhand/', pattern: '^[A-Za-z0-9!_.*()/-]*$' }),
};

/** Settings of files, beside those of their store above. */
export const FileSettings = {
  /** Maximum length of a file, in bytes. */
  FILE_MAX_BYTES: Type.Integer({ minimum: 1_048_576, maximum: 68_719_476_736, default: 5_368_709_120 }),
  /** Maximum number of bytes of all different files of a run. */
  FILE_MAX_RUN_BYTES: Type.Integer({ minimum: 1_048_576, maximum: 1_099_511_627_776, default: 21_474_836_480 }),
  /** No file is stored that would bring the data of all workspaces together above this number of bytes. */
  FILE_MAX_INSTANCE_BYTES: Type.Optional(Type.Integer({ minimum: 1_048_576, maximum: Number.MAX_SAFE_INTEGER })),
};

/** Settings of the archive of partitions, beside those of S3 above. */
export const ArchiveSettings = {
  /** The bucket for archives. Without one, partitions are dropped without an archive. */
  ARCHIVE_BUCKET: Type.Optional(Type.String({ minLength: 1 })),
};

export type OutputSettings = Static<ReturnType<typeof Type.Object<typeof OutputSettings>>>;

export type FileSettings = Static<ReturnType<typeof Type.Object<typeof FileSettings>>>;

export type ArchiveSettings = Static<ReturnType<typeof Type.Object<typeof ArchiveSettings>>>;

/** Returns the location of objects in S3. @throws SettingsError without a bucket. */
export function s3Location(settings: OutputSettings) {
  const { S3_BUCKET: bucket, S3_ENDPOINT: endpoint, S3_REGION: region, S3_PREFIX: prefix } = settings;
  if (bucket === undefined) throw new SettingsError('Bad settings: S3_BUCKET is required when OUTPUT_STORE is s3');
  return { bucket, endpoint, region, prefix };
}
