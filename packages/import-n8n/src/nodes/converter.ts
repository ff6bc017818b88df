import type { EdgeDefinition, JsonObject, NodeDefinition } from '@deckhand/contracts';
import type { Attachment } from '../attachments.ts';
import type { Scope } from '../expressions/scope.ts';
import type { Source } from '../source.ts';
import type { N8nNode } from '../workflow.ts';

/** A node that is being converted. */
export interface Conversion {
  readonly node: N8nNode;
  readonly parameters: JsonObject;
  /** The id of the node, and the beginning of the ids of further ones. */
  readonly id: string;
  /** The data that comes in, by input. Triggers have none. */
  readonly inputs: readonly Source[];
  /** Whether a run that comes to the node always has data for all its inputs. */
  readonly hasAllInputs: boolean;
  /** The first input. */
  readonly input: Source;
  /** What expressions see that are evaluated once: for a list, its first item. */
  readonly scope: Scope;
  /** What expressions see that are evaluated for each item of a list, in a function with `item` and `index`. */
  readonly scopeOfEach: Scope;
  /** The outputs that lead on. */
  readonly connected: ReadonlySet<number>;
  /** Whether a `Respond to Webhook` node answers for the trigger. */
  readonly hasResponder: boolean;
  readonly isInLoop: boolean;
  /** Whether it is a tool of an agent: its items are told to the model, one or a list. */
  readonly isTool: boolean;
  /** Whether expressions of the workflow ask for items of other nodes that belong to the current one. */
  readonly usesPairs: boolean;
  /** The models, parsers, tools and memories that are connected to the node. */
  readonly parts: readonly Attachment[];
  /** Returns those of another node, such as the parser of a parser. */
  readonly attachedTo: (name: string) => readonly Attachment[];
  /** Returns the id of a node that is part of this one; another one each time, as it may be part of several. */
  readonly idOfPart: (name: string) => string;
  /** Returns the converter of a type, for nodes that are part of this one. */
  readonly converterOf: (type: string) => Converter | undefined;
  /** Returns why a node must become a stub, if it must. */
  readonly refusedBecause: (name: string) => string | undefined;
  /** Notes what became of a node that is part of this one. */
  readonly notePart: (name: string, note: PartNote) => void;
  readonly workflowName: string;
  /** The ids of other workflows in n8n, by the variables that have their ids here. */
  readonly variables: Map<string, string>;
  readonly review: (message: string) => void;
  /** Returns the data of a node that scripts name, if it always ran before. */
  readonly dataOf: (name: string) => Source | undefined;
}

/** What became of a node that is part of another one, such as a tool. */
export interface PartNote {
  readonly isStub: boolean;
  readonly nodeIds: readonly string[];
  readonly messages: readonly string[];
}

/** An output of a node of n8n, after its conversion. */
export interface Output {
  readonly nodeId: string;
  readonly handle?: string;
  readonly source: Source;
  /** Why the data cannot be used. */
  readonly problem?: string;
  /** Whether n8n may return no items there, and then does not run the nodes after it. */
  readonly mayBeEmpty?: boolean;
  /** What the output is called among several. */
  readonly label?: string;
}

/** What becomes of a node. */
export interface Converted {
  /** The first one is entered. Empty for a node that only passes its input on. */
  readonly nodes: readonly NodeDefinition[];
  /** Between these nodes. */
  readonly edges: readonly EdgeDefinition[];
  readonly outputs: readonly Output[];
}

/** Converts a node. @throws UnsupportedError */
export type Converter = (conversion: Conversion) => Converted;

/** Returns a single node with one output. */
export function single(node: NodeDefinition, source: Source): Converted {
  return { nodes: [node], edges: [], outputs: [{ nodeId: node.id, source }] };
}

/**
 * Converts a node whose export lacks what it cannot run without: it fails here, too.
 * @param what what is missing, such as "no field to sort by".
 */
export function incomplete({ id, node, review }: Conversion, what: string): Converted {
  review(`it has ${what}, so that it fails, as in n8n: complete it`);
  const message = `"${node.name}" is incomplete: it has ${what}`.replaceAll('{{', '{ {');
  return single({ id, type: 'fail', name: node.name, parameters: { message } }, outputOf(id, 'list'));
}

/** Marks all outputs as lists that may be empty. */
export function maybeEmpty(converted: Converted): Converted {
  return { ...converted, outputs: converted.outputs.map((output) => ({ ...output, mayBeEmpty: true })) };
}

/** Returns the output of a node as a source. */
export function outputOf(id: string, shape: Source['shape'], path = ''): Source {
  return { text: `$nodes.${id}.output${path}`, shape };
}
