/** Formats a time of the API for a field of local time, in whole minutes. */
export function toLocalTime(time: string | undefined): string {
  if (time === undefined) return '';
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Parses a field's local time into a time of the API; undefined if it is empty or incomplete. */
export function fromLocalTime(text: string): string | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
