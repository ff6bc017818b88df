/** Writes a result to the standard output, which gets nothing else: as one JSON document, or as text. */
export function print(isJson: boolean | undefined, data: unknown, text: () => string): void {
  process.stdout.write(`${isJson ? JSON.stringify(data, null, 2) : text()}\n`);
}

/** Writes a message to the standard error. */
export function printMessage(line: string): void {
  process.stderr.write(`${line}\n`);
}
