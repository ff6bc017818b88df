import type { JsonValue } from '@deckhand/contracts';
import { isExpression, literal } from './expressions/template.ts';
import type { Output } from './nodes/converter.ts';
import { filesOfStub, type Source } from './source.ts';
import { unsupported } from './unsupported.ts';
import { type N8nNode, object, text } from './workflow.ts';

/** The version from which on Set keeps the files of items. */
const KEEPING_SET = 3.4;

/** Returns the output of a node with the files that its item keeps from the item it gets. */
export function withFiles(output: Output, { type, version, parameters }: N8nNode, input: Source | undefined): Output {
  const { source } = output;
  const isOne = source.shape === 'one' && input?.shape === 'one';
  if (!isOne || input.files === undefined || source.files !== undefined) return output;
  const { stripBinary, includeBinary } = object(parameters.options);
  const isKept = version >= KEEPING_SET ? stripBinary !== true : includeBinary === true;
  if (type !== 'n8n-nodes-base.set' || !isKept) return output;
  const { files, filesOf } = input;
  return { ...output, source: { ...source, files, ...(filesOf !== undefined && { filesOf }) } };
}

/**
 * Returns an expression for a file of an item, which fails without it, as n8n does.
 * @param given the name of the file; without it, its first one is meant.
 * @throws UnsupportedError
 */
export function fileOfItem(input: Source, parameter: JsonValue | undefined, review: (message: string) => void): string {
  const given = literal(parameter ?? '');
  const name = text(given);
  const shown = name === undefined ? 'a file' : `the file "${name}"`;
  if (isExpression(given)) return unsupported('files that an expression names');
  if (input.shape === 'list') return unsupported(`${shown} of each of several items`);
  const { files, filesOf } = input;
  if (files === undefined) return unsupported(`${shown} of an item, which no node before it returns here`);
  if (filesOf !== undefined) {
    review(filesOfStub(filesOf));
  }
  const file = name === undefined ? `Object.values(${files} ?? {})[0]` : `${files}?.[${JSON.stringify(name)}]`;
  return `convert.object(${file} ?? ${JSON.stringify(`${shown} is missing`)})`;
}
