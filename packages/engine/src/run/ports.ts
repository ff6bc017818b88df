import type { ExecutionMode, JsonObject, JsonValue, WaitPlace } from '@deckhand/contracts';
import type { CompiledWorkflow } from '../compile/graph.ts';
import type { NodeServices } from '../node-services.ts';
import type { OpenedCredential } from '../node-context.ts';
import type { TerminalResult, WaitAnswer, WaitRequest } from '../outcome.ts';
import type { LoopPosition, NodeRecord, RecordedError } from './records.ts';

/** Everything the run loop needs from outside. The engine has no clock, no timers and no storage of its own. */
export interface EnginePorts {
  /** Now, in ms since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Yields to other work of the process. */
  yieldToEventLoop(): Promise<void>;
  /** Between 0 and 1, for jitter. */
  random(): number;
  /** Takes a record for the next checkpoint. Never waits. */
  record(record: NodeRecord): void;
  /** Resolves when every record so far is on disk; rejects if another worker has the run. */
  flush(): Promise<void>;
  /**
   * Called before the run rests, with its open waits; resolves when it may. If a wait has ended by then, the run goes
   * on instead. Without this function, a run rests at once.
   */
  readonly beforeRest?: (waits: readonly WaitRequest[]) => Promise<void>;
  /** Called once, with a function that returns the positions of the loops in progress for a checkpoint. */
  positionsFrom(read: () => readonly LoopPosition[]): void;
  /** Returns the records of nodes in iterations that earlier workers finished, those that exist in no order. */
  loadIterations(nodeIds: readonly string[], iterations: readonly string[]): Promise<readonly NodeRecord[]>;
}

/** Halts a run in progress. The owner changes it, the run loop reads it. */
export interface RunControl {
  /** Whether the run was stopped, taken over, or timed out. */
  isHalted(): boolean;
  /** Aborts nodes in progress when the run is halted. Created on first use: few runs need one. */
  signal(): AbortSignal;
  /** While true, no further node starts; nodes in progress finish. */
  isPaused(): boolean;
  /** The answer to a wait, by `waitKey`; undefined while there is none. */
  answer(key: string): WaitAnswer | undefined;
  /** Number of answers to its waits that the run knows. */
  answersSeen(): number;
  /** Calls the listener after every change, including an abort or an answer. */
  onChange(listener: () => void): void;
}

/** An execution to be started or resumed. */
export interface RunRequest {
  readonly workspaceId: string;
  readonly executionId: string;
  readonly mode: ExecutionMode;
  readonly workflow: CompiledWorkflow;
  readonly triggerNodeId: string;
  readonly trigger: JsonValue;
  readonly vars: JsonObject;
  /** Records of earlier workers, by `recordKey`; empty for a new run. */
  readonly records: ReadonlyMap<string, NodeRecord>;
  /**
   * Positions of the loops that earlier workers left in progress, by `recordKey`. A loop without one needs the records
   * of all of its iterations.
   */
  readonly positions: ReadonlyMap<string, LoopPosition>;
  /** The nodes of a run that ends after a node, by `nodesUntil`: others are skipped. Undefined for a whole run. */
  readonly until?: ReadonlySet<string> | undefined;
  /** Outputs by node id that a test run uses instead of running these nodes. */
  readonly mocks?: ReadonlyMap<string, JsonValue> | undefined;
  readonly control: RunControl;
  readonly services: NodeServices;
  /**
   * Opens a credential of the run's workspace, to be sent to a URL if one is given. It may have to wait for a provider,
   * until the signal aborts.
   * @throws NodeError as `NodeContext.credential` does.
   */
  readonly openCredential: (
    credentialId: string,
    sentTo: URL | undefined,
    signal: () => AbortSignal,
  ) => Promise<OpenedCredential>;
  /** Returns the address where a wait of the run is answered without a session; undefined if none is known. */
  readonly answerLink?: ((place: WaitPlace) => string) | undefined;
  readonly ports: EnginePorts;
}

/**
 * How the run loop ended. `waiting`: nothing is left to do until a wait ends, and none has ended according to the
 * `answerCount` answers that were seen. `halted`: paused or aborted. Finished nodes are recorded in either case.
 */
export type Ending =
  | { readonly kind: 'success'; readonly result: TerminalResult | null }
  | { readonly kind: 'failed'; readonly nodeId: string; readonly error: RecordedError }
  | { readonly kind: 'waiting'; readonly waits: readonly WaitRequest[]; readonly answerCount: number }
  | { readonly kind: 'halted' };
