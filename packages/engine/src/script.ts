import type { JsonObject, JsonValue } from '@deckhand/contracts';
import type { ExpressionReferences } from './expressions/index.ts';
import type { NodeFailure } from './node-failure.ts';

/** The data of its run that a source, which is not an expression, reads by the names that expressions have. */
export interface SourceReferences extends ExpressionReferences {
  /** Whether it computes which nodes it reads; `nodes` lists those that it names literally. */
  readonly readsAnyNode: boolean;
}

/** A script of a node, to be run in isolation. */
export interface Script {
  /** The body of an asynchronous function; its return value is the output. */
  readonly source: string;
  /** The values of its names. It gets a copy. */
  readonly names: JsonObject;
  /**
   * Its run and workspace: scripts of the same run, and of the same workspace, wait for each other before others have
   * to wait.
   */
  readonly workspaceId: string;
  readonly executionId: string;
  /** Time limit, in ms; the time in the queue does not count. */
  readonly timeoutMs: number;
  /** Memory limit of its values. */
  readonly memoryBytes: number;
  /** Whether its console output is returned. */
  readonly keepsConsole: boolean;
  /** Stops it at once. */
  readonly signal: AbortSignal;
}

/** How a script ended. `console` contains its lines, up to a limit; empty unless requested. */
export type ScriptResult =
  | { readonly kind: 'output'; readonly output: JsonValue; readonly console: readonly string[] }
  | { readonly kind: 'failure'; readonly failure: NodeFailure; readonly console: readonly string[] };

/** Runs scripts for nodes. Several may run at the same time. Rejects only when a script's signal aborts. */
export interface ScriptRunner {
  run(script: Script): Promise<ScriptResult>;
}
