import type { JsonObject, JsonValue } from '@deckhand/contracts';
import type { ExpressionReferences } from './expressions/index.js';
import type { NodeFailure } from './node-failure.js';

/** What a source, which is no expression itself, reads of its run by the names that expressions have. */
export interface SourceReferences extends ExpressionReferences {
  /** Whether it computes which nodes it reads; `nodes` names those that it says in so many words. */
  readonly readsAnyNode: boolean;
}

/** A script that a node wants run, away from everything. */
export interface Script {
  /** The body of an asynchronous function; what it returns is the output. */
  readonly source: string;
  /** What its names stand for. It gets a copy. */
  readonly names: JsonObject;
  /**
   * Whose it is: the scripts of a run, and those of a workspace, wait for each other before they make others wait.
   */
  readonly workspaceId: string;
  readonly executionId: string;
  /** How long it may run, in ms; waiting for its turn does not count. */
  readonly timeoutMs: number;
  /** What its values may take. */
  readonly memoryBytes: number;
  /** Whether what it writes to the console is kept. */
  readonly keepsConsole: boolean;
  /** Ends it at once. */
  readonly signal: AbortSignal;
}

/** How a script ended. `console` holds its lines as far as they were kept; empty unless that was asked for. */
export type ScriptResult =
  | { readonly kind: 'output'; readonly output: JsonValue; readonly console: readonly string[] }
  | { readonly kind: 'failure'; readonly failure: NodeFailure; readonly console: readonly string[] };

/** Runs scripts for nodes. Several may run at the same time. Rejects only when a script's signal aborts. */
export interface ScriptRunner {
  run(script: Script): Promise<ScriptResult>;
}
