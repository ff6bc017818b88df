import type { NodeFailure } from '@deckhand/engine';

/** A task of a thread. */
export interface ScriptTask {
  readonly source: string;
  /** The values of the names, as the text of a JSON object. */
  readonly names: string;
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly keepsConsole: boolean;
  /** One element, which the thread sets to 1 when it begins with the task. Its memory is shared. */
  readonly begun: Int32Array;
}

/** The result of a task: the output as JSON text, or the failure. */
export type ScriptAnswer = ({ readonly text: string } | { readonly failure: NodeFailure }) & {
  readonly console: readonly string[];
};
