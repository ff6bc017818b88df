import type { Credential, Definition, JsonObject, JsonValue } from '@deckhand/contracts';
import type { NodeFailure } from './node-failure.ts';
import type { HttpRequest, MailReceipt, PostgresResult } from './node-services.ts';
import type { TerminalResult, WaitAnswer } from './outcome.ts';

/** The response to a request of an example. */
export interface ExampleResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A small workflow around one node type, with what it leads to: its page shows it, and tests run it. */
export interface NodeExample {
  readonly trigger: JsonValue;
  readonly vars?: JsonObject;
  readonly definition: Definition;
  /** How the waits of nodes end, by node, or by node and iteration, such as `rest/0`. */
  readonly answers?: Readonly<Record<string, WaitAnswer>>;
  /** The request of the http node, as far as it is given, and its response. */
  readonly request?: Partial<HttpRequest>;
  readonly response?: ExampleResponse;
  /** The responses of several requests, in their order. */
  readonly responses?: readonly ExampleResponse[];
  /** The secret of the node's credential. */
  readonly credential?: Credential;
  /** The response of its database or mail server. */
  readonly queryResult?: PostgresResult;
  readonly receipt?: MailReceipt;
  /** Expected: outputs by node, nodes that are skipped or stopped, and the run's result or error. */
  readonly outputs: JsonObject;
  readonly skipped?: readonly string[];
  readonly stopped?: readonly string[];
  readonly result?: TerminalResult;
  readonly error?: Pick<NodeFailure, 'message' | 'code'>;
}
