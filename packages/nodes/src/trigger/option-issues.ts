import { findMetadataIssues, isJsonObject, type JsonObject, type ValidationIssue } from '@deckhand/contracts';

/** Returns the issues of a trigger's `options` that its schema does not find. */
export function findOptionIssues({ options }: JsonObject): ValidationIssue[] {
  const metadata = options !== undefined && isJsonObject(options) ? options.metadata : undefined;
  return metadata !== undefined && isJsonObject(metadata) ? findMetadataIssues(metadata, 'options.metadata') : [];
}
