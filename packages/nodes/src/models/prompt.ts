import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4TextPart } from '@ai-sdk/provider';
import type { JsonValue } from '@deckhand/contracts';
import type { NodeFiles } from '@deckhand/engine';
import { fileSource, readBytes } from '../files/file-source.ts';

/** Of all files of a request, in bytes: they are sent in base64. */
const MAX_FILE_BYTES = 20_971_520;

/** What a model is asked, as a node has it. */
export interface Conversation {
  readonly system?: string;
  readonly messages?: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
  readonly prompt?: string;
  readonly files?: readonly JsonValue[];
}

/**
 * Returns a conversation as clients of providers take it.
 * @throws NodeError PARAMETERS_INVALID for what is not a file; FILE_NOT_FOUND; TEXT_TOO_LARGE for more than 20 MiB of
 * files.
 */
export async function promptOf(
  { system, messages = [], prompt, files = [] }: Conversation,
  store: NodeFiles,
): Promise<LanguageModelV4Message[]> {
  const asked = [...(await readFiles(files, store)), ...(prompt === undefined ? [] : [textPart(prompt)])];
  return [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    ...messages.map(({ role, text }) => ({ role, content: [textPart(text)] })),
    ...(asked.length === 0 ? [] : [{ role: 'user' as const, content: asked }]),
  ];
}

/** Returns a response to a model that does not fit, and what the model is told about it. */
export function repairOf(text: string, problem: string): LanguageModelV4Message[] {
  const request = `This does not fit the JSON Schema: ${problem}. Respond with the corrected JSON alone.`;
  return [
    // Providers refuse empty texts.
    { role: 'assistant', content: [textPart(text === '' ? '(nothing)' : text)] },
    { role: 'user', content: [textPart(request)] },
  ];
}

function textPart(text: string): LanguageModelV4TextPart {
  return { type: 'text', text };
}

async function readFiles(values: readonly JsonValue[], store: NodeFiles): Promise<LanguageModelV4FilePart[]> {
  const parts: LanguageModelV4FilePart[] = [];
  let left = MAX_FILE_BYTES;
  for (const [index, value] of values.entries()) {
    const source = fileSource(value, store, `files.${index}`);
    const data = await readBytes(source, left);
    left -= data.byteLength;
    const filename = source.name === '' ? {} : { filename: source.name };
    parts.push({ type: 'file', mediaType: source.contentType, data: { type: 'data', data }, ...filename });
  }
  return parts;
}
