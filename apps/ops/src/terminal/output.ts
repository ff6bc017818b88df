/**
 * Writes what was asked for to the standard output, and nothing else goes there: as one JSON document, or as text for
 * people.
 */
export function print(isJson: boolean | undefined, data: unknown, text: () => string): void {
  process.stdout.write(`${isJson ? JSON.stringify(data, null, 2) : text()}\n`);
}

/** Says what is going on, on the standard error. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
