import type { JsonObject } from './json.ts';

const HEAD = '// The original node:';
const FAILS = /^throw new Error\((".*")\);$/;

/**
 * Returns the script of a node that stands for one that an import could not convert: it has the original in comments,
 * and fails with the message.
 */
export function stubSource(original: string, message: string): string {
  const comment = original.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => `// ${line}`);
  return [HEAD, ...comment, `throw new Error(${JSON.stringify(message)});`].join('\n');
}

/** Returns why a node is a stub of an import; undefined for any other, also once its script is replaced. */
export function stubReason({
  type,
  parameters,
}: {
  readonly type: string;
  readonly parameters?: JsonObject | undefined;
}): string | undefined {
  const source = parameters?.source;
  if (type !== 'code' || typeof source !== 'string' || !source.startsWith(HEAD)) return undefined;
  const message = FAILS.exec(source.slice(source.lastIndexOf('\n') + 1))?.[1];
  return message === undefined ? undefined : parsed(message);
}

function parsed(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
