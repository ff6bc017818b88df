import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { createContext, type ReactNode } from 'react';

/** Sample data for previews of a node's expressions: the data of an earlier run. */
export interface SampleData {
  /** The run; undefined while there is none. */
  readonly run: { readonly id: string; readonly mode: string; readonly trigger: JsonValue } | undefined;
  /** The nodes before it, the nearest first. */
  readonly before: readonly string[];
  /** The nodes that have a link here. */
  readonly links: readonly string[];
  /** The direct predecessors. */
  readonly sources: readonly SampleSource[];
  /** Returns the data for previews of a surrounding try. */
  readonly tryData: (nodeId: string) => SampleData;
  /** The surrounding loop: its list as written, and the data for previews of it. */
  readonly loop: (() => { readonly items: JsonValue; readonly data: SampleData }) | undefined;
  /** Returns the output of a node; undefined if there is none, or it is too large to be fetched for a preview. */
  readonly output: (nodeId: string) => Promise<JsonValue | undefined>;
  /** What is known without a run: the members of `$trigger`, and those of the output of a node. */
  readonly shapes: {
    readonly trigger: JsonObject;
    readonly output: (nodeId: string) => JsonValue | undefined;
  };
  /** The variables of the workspace. */
  readonly vars: () => Promise<JsonObject>;
}

/**
 * A direct predecessor, and what comes from it: its output, an item of the surrounding loop, or the input of the
 * surrounding try.
 */
export interface SampleSource {
  readonly nodeId: string;
  readonly gives: 'output' | 'item' | 'input';
}

/** A field that has the focus, and takes expressions. */
export interface FocusedField {
  readonly label: string;
  /** Inserts an expression at the cursor. */
  readonly insert: (expression: string) => void;
  readonly focus: () => void;
}

/** The context of a form with expressions; without it, fields accept plain text only. */
export interface ExpressionForm {
  readonly data: SampleData;
  readonly isReadOnly: boolean;
  readonly onFocus: (field: FocusedField) => void;
  /** Called when the field loses the focus to another element, or is gone. */
  readonly onBlur: (field: FocusedField, next: EventTarget | null) => void;
}

/** Provides the context to the fields of a form. */
export const ExpressionFormContext = createContext<ExpressionForm | undefined>(undefined);

/** Renders the data of the node in the run on the canvas, with what tests the node. */
export type RenderNodeData = (onInsert: (expression: string) => void) => ReactNode;

/** Provides the data of the node to a field that covers the canvas. */
export const NodeDataContext = createContext<RenderNodeData | undefined>(undefined);
