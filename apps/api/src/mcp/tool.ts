import { compileBody, DeckhandError, type Scope } from '@deckhand/contracts';
import type { InputRequiredResult, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import type { Request } from 'express';
import type { Static, TObject } from 'typebox';
import type { NeededScope } from '../auth/authenticate.ts';
import type { KeyCaller } from '../auth/caller.ts';
import type { McpContext } from '../contexts.ts';

/** A call of a tool, in one request. */
export interface ToolCall extends Pick<McpContext, 'resources' | 'starts' | 'runs'> {
  readonly request: Request;
  readonly caller: KeyCaller;
  readonly context: ServerContext;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
  /** The run that an earlier request of the same call started, when the client answers a question about it. */
  readonly continued: string | undefined;
  /** Returns the question's state, which the client hands back with its answers. */
  readonly stateOf: (executionId: string) => Promise<string>;
  /** Returns true if the key has a scope. */
  readonly may: (scope: Scope) => boolean;
  /**
   * Returns the workspace that a call is about: the one that it names, that of the key or of the URL, or the only one.
   * @throws DeckhandError VALIDATION_FAILED if it names none and there are several.
   */
  readonly workspace: (named?: string) => Promise<string>;
}

/** The result of a call. */
export type ToolAnswer =
  /** JSON text. */
  | { readonly kind: 'json'; readonly text: string }
  /** How a run stands. `isError` if it went wrong. */
  | { readonly kind: 'outcome'; readonly value: Record<string, unknown>; readonly isError: boolean }
  /** Questions for the client's user. */
  | { readonly kind: 'questions'; readonly result: InputRequiredResult };

/** A tool of the server. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** The JSON Schema of its arguments. */
  readonly input: object;
  /** That of the operation of the API which does the same. */
  readonly needed: NeededScope;
  /** The only workflow whose runs it starts; undefined for a tool that does not start runs, or those of any. */
  readonly workflowId?: string;
  /** Whether its arguments are data of a run, in which half surrogate pairs may stay. */
  readonly takesData?: true;
  /** @throws DeckhandError VALIDATION_FAILED for bad arguments; the errors of the operation. */
  call(call: ToolCall, args: unknown): Promise<ToolAnswer>;
}

/** Maximum length of the text of a result. More would use up what a model can read at once. */
const MAX_RESULT_CHARS = 262_144;

/** Annotations of tools that read. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

/** Defines a tool whose arguments are checked as the bodies of requests are. */
export function defineTool<S extends TObject>({
  act,
  input,
  ...rest
}: Omit<Tool, 'call' | 'input'> & {
  readonly input: S;
  readonly act: (call: ToolCall, args: Static<S>) => Promise<ToolAnswer>;
}): Tool {
  const parse = compileBody(input);
  return { ...rest, input, call: (call, args) => act(call, parse(args)) };
}

/** Returns a value as a result. @throws DeckhandError PAYLOAD_TOO_LARGE. */
export function json(value: object): ToolAnswer {
  return jsonText(JSON.stringify(value));
}

/** Returns JSON text as a result. @throws DeckhandError PAYLOAD_TOO_LARGE. */
export function jsonText(text: string): ToolAnswer {
  if (text.length <= MAX_RESULT_CHARS) return { kind: 'json', text };
  const message = `The result has ${text.length} characters, more than the ${MAX_RESULT_CHARS} that a tool returns: ask for less, or use the API`;
  throw new DeckhandError('PAYLOAD_TOO_LARGE', { message });
}
