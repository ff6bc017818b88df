/** A time of the API as a field for local times shows it: to the minute. */
export function toLocalTime(time: string | undefined): string {
  if (time === undefined) return '';
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** A field's local time as a time of the API; undefined when it is empty or not whole yet. */
export function fromLocalTime(text: string): string | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
