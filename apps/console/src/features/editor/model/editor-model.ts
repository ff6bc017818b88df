import {
  type Definition,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_MOCKS_BYTES,
  type NodeDefinition,
  type NodeTypeEntry,
  type NoteDefinition,
  parseJson,
  type SavedVersion,
} from '@deckhand/contracts';
import { ApiError } from '../../../api/api-error.ts';
import type { ReadDraft } from '../../../api/drafts.ts';
import { type NodeTypes, outputHandles } from '../../../graph/handles.ts';
import { placeNodes } from '../../../graph/layout.ts';
import { type Clip, disconnect, endOfChain, moveNodes, paste, removeNodes } from './edits.ts';
import { begin, edit, type History, redo, undo } from './history.ts';
import { insertNode, type Spot } from './insert-node.ts';
import { type DescribedIssue, type DescribedWarning, describeIssues, describeWarnings } from './issues.ts';
import { addNote, isNoteKey, noteKey } from './notes.ts';

/** A dialog of the editor. `add` asks for the type of a new node, and has the place where it is added. */
export type Dialog =
  { readonly kind: 'run' | 'comment' | 'settings' | 'versions' } | { readonly kind: 'add'; readonly spot: Spot };

/** A definition that is saved as a version, with its comment. */
export interface SaveRequest {
  readonly definition: Definition;
  readonly comment: string;
}

/** What became of the last request to save a version. */
export type SaveState =
  | { readonly kind: 'none' }
  | { readonly kind: 'pending'; readonly request: SaveRequest }
  | {
      readonly kind: 'failed';
      readonly request: SaveRequest;
      readonly error: unknown;
      readonly issues: readonly DescribedIssue[];
    };

/** The state of the editor. Every change replaces it; parts that did not change stay the same objects. */
export interface EditorState {
  readonly history: History<Definition>;
  /** The definition that was saved as a version; undefined while the canvas continues a draft. */
  readonly saved: Definition | undefined;
  /** The warnings about the definition that was saved here last; none before the first save. */
  readonly warnings: readonly DescribedWarning[];
  /** What was saved as the draft last; undefined before that. */
  readonly drafted: { readonly definition: Definition; readonly warnings: readonly DescribedWarning[] } | undefined;
  /** The version that the next save is based on; null before the first save. */
  readonly baseVersionId: string | null;
  readonly save: SaveState;
  /** Whether the last save was refused because another version was saved meanwhile. */
  readonly isStale: boolean;
  /** The ids of selected nodes and notes on the canvas. */
  readonly selected: ReadonlySet<string>;
  /** The pinned outputs by node id, also of nodes that are not on the canvas any more. */
  readonly pins: JsonObject;
  readonly dialog: Dialog | undefined;
  /** While true, no command changes the definition. */
  readonly isReadOnly: boolean;
}

/** A change of the definition. It returns the next one and changes nothing in place. */
export type Change = (definition: Definition) => Definition;

/**
 * The model of the editor: one state, commands that change it, and listeners that are called after each change. It
 * sends nothing: `VersionSaver` and `DraftSync` save what it holds.
 */
export class EditorModel {
  readonly types: NodeTypes;
  readonly #storePins: (pins: JsonObject) => void;
  readonly #listeners = new Set<() => void>();
  #state: EditorState;

  /**
   * @param start.definition the first one on the canvas, which is saved unless `isDraft`.
   * @param start.storePins stores the pinned outputs for the next visit.
   */
  constructor(start: {
    readonly definition: Definition;
    readonly isDraft: boolean;
    /** The warnings about the draft; none unless `isDraft`. */
    readonly draftWarnings: SavedVersion['warnings'];
    readonly baseVersionId: string | null;
    readonly selected: ReadonlySet<string>;
    readonly pins: JsonObject;
    readonly isReadOnly: boolean;
    readonly types: NodeTypes;
    readonly storePins: (pins: JsonObject) => void;
  }) {
    this.types = start.types;
    this.#storePins = start.storePins;
    const placed = this.#place(start.definition);
    this.#state = {
      history: begin(placed),
      saved: start.isDraft ? undefined : placed,
      warnings: [],
      drafted: { definition: placed, warnings: describeWarnings(placed, start.draftWarnings) },
      baseVersionId: start.baseVersionId,
      save: { kind: 'none' },
      isStale: false,
      selected: start.selected,
      pins: start.pins,
      dialog: undefined,
      isReadOnly: start.isReadOnly,
    };
  }

  readonly read = (): EditorState => this.#state;

  /** Calls `listener` after every change. @returns a function that stops it. */
  readonly watch = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  setReadOnly(isReadOnly: boolean): void {
    if (isReadOnly !== this.#state.isReadOnly) this.#update({ isReadOnly });
  }

  /** Changes the definition. Consecutive changes of the same step are undone together. */
  apply(change: Change, step?: string): void {
    this.#edit((history) => edit(history, change(history.present), step));
  }

  undo(): void {
    this.#edit(undo);
  }

  redo(): void {
    this.#edit(redo);
  }

  /** Selects nodes and notes by their ids on the canvas, and nothing else. */
  select(ids: Iterable<string> = []): void {
    this.#update({ selected: new Set(ids) });
  }

  /** Adds a node at a spot, selects it and closes the dialog. @returns the node. */
  add(type: NodeTypeEntry, spot: Spot): NodeDefinition {
    const definition = definitionOf(this.#state);
    const isNoneSelected = [...this.#state.selected].every(isNoteKey);
    const last = isNoneSelected ? endOfChain(definition, this.types) : selectedNode(this.#state);
    const inserted = insertNode(definition, type, spot, { types: this.types, last });
    this.apply(() => inserted.definition);
    this.#update({ selected: new Set([inserted.node.id]), dialog: undefined });
    return inserted.node;
  }

  /** Removes nodes, notes and edges in one step, by their ids on the canvas. */
  remove(ids: ReadonlySet<string>, edgeIds: ReadonlySet<string> = new Set()): void {
    if (this.#state.isReadOnly) return;
    this.apply((before) => removeNodes(disconnect(before, edgeIds), ids));
    this.select([...this.#state.selected].filter((id) => !ids.has(id)));
  }

  /** Adds a note, and selects it. @returns false if there are as many as there may be. */
  addNote(note: Omit<NoteDefinition, 'id'>): boolean {
    if (this.#state.isReadOnly) return true;
    const added = addNote(definitionOf(this.#state), note);
    if (!added) return false;
    this.apply(() => added.definition);
    this.select([noteKey(added.id)]);
    return true;
  }

  /** Pastes what was copied, and selects it. */
  paste(clip: Clip): void {
    if (this.#state.isReadOnly) return;
    const pasted = paste(definitionOf(this.#state), clip);
    this.apply(() => pasted.definition);
    this.select(pasted.ids);
  }

  /** Replaces the canvas by a saved version, with a new history. */
  load(definition: Definition, baseVersionId: string | null): void {
    const placed = this.#place(definition);
    this.#update({ history: begin(placed), saved: placed, warnings: [], baseVersionId, isStale: false });
  }

  /** Replaces the canvas by a draft, with a new history. */
  loadDraft({ definition, baseVersionId, warnings }: Omit<ReadDraft, 'tag'>): void {
    const placed = this.#place(definition);
    this.#update({ history: begin(placed), saved: undefined, baseVersionId });
    this.markDrafted(placed, warnings);
  }

  /** Restores a version: an edit like any other, until it is saved. */
  restore(definition: Definition): void {
    this.apply(() => this.#place(definition));
  }

  /** Pins the output of a node. @returns whether there was room: all of them have a maximum size together. */
  pin(nodeId: string, output: JsonValue): boolean {
    const pins = { ...pinnedOutputs(this.#state.pins, definitionOf(this.#state), this.types), [nodeId]: output };
    if (new Blob([JSON.stringify(pins)]).size > MAX_MOCKS_BYTES) return false;
    this.#setPins(pins);
    return true;
  }

  unpin(nodeId: string): void {
    this.#setPins(Object.fromEntries(Object.entries(this.#state.pins).filter(([id]) => id !== nodeId)));
  }

  open(dialog: Dialog): void {
    this.#update({ dialog });
  }

  /** Closes the dialog. @param kind only if it is of this kind. */
  close(kind?: Dialog['kind']): void {
    if (kind === undefined || this.#state.dialog?.kind === kind) this.#update({ dialog: undefined });
  }

  /** Bases the next save on another version. */
  rebase(baseVersionId: string | null): void {
    this.#update({ baseVersionId });
  }

  /** Called by the saver: a request begins. */
  beginSave(request: SaveRequest): void {
    this.#update({ save: { kind: 'pending', request } });
  }

  /** Called by the saver: a definition has become a version, with warnings about it. */
  markSaved(definition: Definition, version: Pick<SavedVersion, 'workflowVersionId' | 'warnings'>): void {
    const warnings = describeWarnings(definition, version.warnings);
    this.#update({ saved: definition, warnings, baseVersionId: version.workflowVersionId, isStale: false });
  }

  /** Called when a definition was saved as the draft, with the warnings about it. */
  markDrafted(definition: Definition, warnings: SavedVersion['warnings']): void {
    this.#update({ drafted: { definition, warnings: describeWarnings(definition, warnings) } });
  }

  /** Called by the saver: a request is done. A later one keeps its own state. */
  endSave(request: SaveRequest): void {
    if (this.#isLast(request)) this.#update({ save: { kind: 'none' } });
  }

  /** Called by the saver: a request has failed. */
  failSave(request: SaveRequest, error: unknown): void {
    const isStale = error instanceof ApiError && error.code === 'CONFLICT';
    const issues = error instanceof ApiError ? describeIssues(request.definition, error.issues) : [];
    const save: SaveState = { kind: 'failed', request, error, issues };
    this.#update({ isStale, ...(this.#isLast(request) && { save }) });
  }

  /** Forgets the error of the last save, to continue editing. */
  forgetSave(): void {
    this.#update({ save: { kind: 'none' }, isStale: false });
  }

  /** Hides the warnings until the next save. */
  forgetWarnings(): void {
    this.#update({ warnings: [] });
  }

  #isLast(request: SaveRequest): boolean {
    const { save } = this.#state;
    return save.kind !== 'none' && save.request === request;
  }

  #edit(next: (history: History<Definition>) => History<Definition>): void {
    if (!this.#state.isReadOnly) this.#update({ history: next(this.#state.history) });
  }

  #setPins(pins: JsonObject): void {
    this.#storePins(pins);
    this.#update({ pins });
  }

  /** Gives positions to nodes that have none. */
  #place(definition: Definition): Definition {
    return moveNodes(definition, placeNodes(definition, this.types));
  }

  #update(change: Partial<EditorState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

const NO_ISSUES: readonly DescribedIssue[] = [];
const NO_WARNINGS: readonly DescribedWarning[] = [];

/** Returns the definition on the canvas. */
export function definitionOf({ history }: EditorState): Definition {
  return history.present;
}

/** Returns true while the canvas differs from the saved version. */
export function hasChanges({ history, saved }: EditorState): boolean {
  return history.present !== saved;
}

/** Returns the selected node if nothing else is selected. */
export function selectedNode({ history, selected }: EditorState): NodeDefinition | undefined {
  return selected.size === 1 ? history.present.nodes.find(({ id }) => selected.has(id)) : undefined;
}

/** Returns the refusal of the definition on the canvas. An edit clears it, because it may have fixed the issue. */
export function refusalOf(state: EditorState): ApiError | undefined {
  const { save } = state;
  if (save.kind !== 'failed' || save.request.definition !== definitionOf(state)) return undefined;
  return save.error instanceof ApiError ? save.error : undefined;
}

/** Returns the issues of the definition on the canvas, from the save that was refused. */
export function issuesOf(state: EditorState): readonly DescribedIssue[] {
  return state.save.kind === 'failed' && refusalOf(state) ? state.save.issues : NO_ISSUES;
}

/** Returns the warnings about the definition on the canvas, if it is the one that was saved. */
export function warningsOf(state: EditorState): readonly DescribedWarning[] {
  return hasChanges(state) ? NO_WARNINGS : state.warnings;
}

/** Returns the warnings about the definition on the canvas, if it is the draft and not a version as well. */
export function draftWarningsOf(state: EditorState): readonly DescribedWarning[] {
  const { drafted, history } = state;
  return drafted?.definition === history.present && hasChanges(state) ? drafted.warnings : NO_WARNINGS;
}

/** Returns the pinned outputs of nodes on the canvas. Test runs use them instead of running their nodes. */
export function pinnedOutputs(pins: JsonObject, { nodes }: Pick<Definition, 'nodes'>, types: NodeTypes): JsonObject {
  const ids = new Set(nodes.flatMap((node) => (canPin(node, types) ? [node.id] : [])));
  return Object.fromEntries(Object.entries(pins).filter(([id]) => ids.has(id)));
}

/** Whether the output of a node can be pinned: with several outputs, a pin would have to say which one is taken. */
export function canPin(node: NodeDefinition, types: NodeTypes): boolean {
  return types.get(node.type)?.isTrigger === false && outputHandles(node, types).includes(undefined);
}

/** Parses stored pins; anything else are none. */
export function parsePins(text: string | null): JsonObject {
  try {
    const pins = parseJson(text ?? '');
    return isJsonObject(pins) ? pins : {};
  } catch {
    return {};
  }
}
