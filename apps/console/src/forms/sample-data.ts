import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { createContext } from 'react';

/** Sample data for previews of a node's expressions: the data of an earlier run. */
export interface SampleData {
  /** The run; undefined while there is none. */
  readonly run: { readonly id: string; readonly mode: string; readonly trigger: JsonValue } | undefined;
  /** The nodes that come before, the nearest first. */
  readonly before: readonly string[];
  /** What leads into the node; an item where that is the loop around it. */
  readonly sources: readonly { readonly nodeId: string; readonly isItem: boolean }[];
  /** The loop around the node: its list as it is written, and what that can be tried on. */
  readonly loop: (() => { readonly items: JsonValue; readonly data: SampleData }) | undefined;
  /** What a node put out; undefined when it did not, or too much to be fetched for this. */
  readonly output: (nodeId: string) => Promise<JsonValue | undefined>;
  /** The variables of the workspace. */
  readonly vars: () => Promise<JsonObject>;
}

/** What a form with expressions in it is for; without it, fields take text only. */
export interface ExpressionForm {
  readonly data: SampleData;
  readonly isReadOnly: boolean;
}

/** Where the fields of a form find it. */
export const ExpressionFormContext = createContext<ExpressionForm | undefined>(undefined);
