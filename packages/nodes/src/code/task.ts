import type { NodeFailure } from '@deckhand/engine';

/** What a thread is given to run. */
export interface ScriptTask {
  readonly source: string;
  /** What the names stand for: a JSON object's text. */
  readonly names: string;
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly keepsConsole: boolean;
}

/** What it answers: the output as JSON text, or why there is none. */
export type ScriptAnswer = ({ readonly text: string } | { readonly failure: NodeFailure }) & {
  readonly console: readonly string[];
};
