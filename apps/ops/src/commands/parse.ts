import { EXECUTION_STATUSES, type ExecutionStatus, isTime, isUuid } from '@deckhand/contracts';
import { InvalidArgumentError } from 'commander';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Parses a whole number above 0. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}

/** Parses a time span such as 90s, 30m, 12h or 7d. @returns ms. @throws InvalidArgumentError */
export function timeSpan(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = SECONDS[unit ?? ''];
  if (seconds === undefined) throw new InvalidArgumentError('It must be a number with s, m, h or d, such as 30m.');
  return Number(count) * seconds * 1_000;
}

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

/** Adds a status to those of a repeatable option. @throws InvalidArgumentError */
export function statuses(text: string, before: readonly ExecutionStatus[] = []): readonly ExecutionStatus[] {
  const status = EXECUTION_STATUSES.find((known) => known === text);
  if (!status) throw new InvalidArgumentError(`It must be one of ${EXECUTION_STATUSES.join(', ')}.`);
  return [...before, status];
}
