import type { Pairs, Source } from '../source.ts';

/** What an expression of n8n can see, in the words of our expressions. */
export interface Scope {
  /** `$json`: the item that a node works on. */
  readonly item: string;
  /** `$itemIndex`. */
  readonly index: string;
  /** `$input`. */
  readonly input: Source;
  /** `$('name')`: the data of a node that always ran before. @throws UnsupportedError if there is none. */
  readonly nodeNamed: (name: string) => Source;
  /** Nodes whose lists have the item that belongs to the current one at the same position. */
  readonly paired: Pairs;
  readonly workflowName: string;
  /** The time zone of the workflow; undefined for that of the instance, which its export does not name. */
  readonly timezone: string | undefined;
  /**
   * Lets a script evaluate an expression of n8n that has no equivalent.
   * @returns an expression for its value.
   * @throws UnsupportedError
   */
  readonly scripted?: (source: string, index: string) => string;
  /** `$fromAI('name')`: what the model that calls a tool says about an argument; undefined outside of tools. */
  readonly argumentNamed?: (name: string) => string;
  /** Notes a difference that somebody should review. */
  readonly review: (message: string) => void;
}
