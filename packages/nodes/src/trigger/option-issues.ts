import { findMetadataIssues, isJsonObject, type JsonObject, type ValidationIssue } from '@deckhand/contracts';
import { findKeyIssues } from './key-options.ts';

/** Returns the issues of a trigger's `options` that its schema does not find. */
export function findOptionIssues({ options }: JsonObject): ValidationIssue[] {
  if (options === undefined || !isJsonObject(options)) return [];
  const { metadata } = options;
  const ofMetadata =
    metadata !== undefined && isJsonObject(metadata) ? findMetadataIssues(metadata, 'options.metadata') : [];
  return [...ofMetadata, ...findKeyIssues(options)];
}
