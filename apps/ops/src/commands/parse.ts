import { isTime, isUuid } from '@deckhand/contracts';
import { InvalidArgumentError } from 'commander';

/** Parses an ISO 8601 time with an offset. @throws InvalidArgumentError */
export function moment(text: string): Date {
  if (!isTime(text)) {
    throw new InvalidArgumentError('It must be an ISO 8601 time with its offset, such as 2026-11-21T10:00:00Z.');
  }
  return new Date(text);
}

/** Parses an id. @throws InvalidArgumentError */
export function id(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text.toLowerCase();
}

/** Adds an id to those of a repeatable option. @throws InvalidArgumentError */
export function ids(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, id(text)];
}
