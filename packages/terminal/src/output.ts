import { render, type Text, toJson } from './text.ts';

/** Where a command writes. Results go to the standard output, which gets nothing else. */
export interface Output {
  readonly isJson: boolean;
  /** Writes the result: as one JSON document with `--json`, otherwise as lines. */
  result(data: unknown, lines: () => readonly Text[]): void;
  /** Writes one of many results as soon as it is known: with `--json`, as a line of NDJSON. */
  entry(data: unknown, line: () => Text): void;
  /** Writes a value as JSON, whether or not `--json` is given. */
  json(value: unknown): void;
  /** Writes a message for people to the standard error; nothing with `--json`. */
  message(line: Text): void;
}

/** Writes a result to the standard output: as one JSON document with `--json`, otherwise as lines. */
export function printResult(isJson: boolean | undefined, data: unknown, lines: () => readonly Text[]): void {
  if (isJson) print(toJson(data, 2));
  else for (const line of lines()) print(render(line, process.stdout));
}

/** Writes a message for people to the standard error. */
export function printMessage(line: Text): void {
  process.stderr.write(`${render(line, process.stderr)}\n`);
}

/** Creates the output. @param isJson is asked at each write: options are parsed after the commands are created. */
export function createOutput(isJson: () => boolean): Output {
  return {
    get isJson() {
      return isJson();
    },
    result: (data, lines) => printResult(isJson(), data, lines),
    entry: (data, line) => print(isJson() ? toJson(data) : render(line(), process.stdout)),
    json: (value) => print(toJson(value, 2)),
    message(line) {
      if (!isJson()) printMessage(line);
    },
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
