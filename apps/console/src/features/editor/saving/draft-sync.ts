import type { Definition } from '@deckhand/contracts';
import type { ReadDraft } from '../../../api/drafts.ts';
import type { DraftState, DraftWriter } from './draft-writer.ts';
import { definitionOf, type EditorModel, hasChanges } from '../model/editor-model.ts';
import type { VersionSaver } from './version-saver.ts';

/** What the canvas has, in the form of a draft. */
export interface CanvasContent {
  readonly definition: Definition;
  readonly baseVersionId: string | null;
}

/** Saves the draft of a workflow while it is edited, and deletes it once a version has all of it. */
export class DraftSync {
  readonly #model: EditorModel;
  readonly #versions: VersionSaver;
  readonly #writer: DraftWriter<CanvasContent>;

  constructor(model: EditorModel, versions: VersionSaver, writer: DraftWriter<CanvasContent>) {
    this.#model = model;
    this.#versions = versions;
    this.#writer = writer;
  }

  readonly readState = (): DraftState => this.#writer.readState();

  readonly watch = (listener: () => void): (() => void) => this.#writer.watch(listener);

  /**
   * Follows the canvas. @param isKept whether the canvas shows an edit that was kept in the browser, which is saved at
   * once. @returns a function that stops it, after which nothing is sent.
   */
  follow(isKept: boolean): () => void {
    let before = this.#read();
    const stopWatching = this.#model.watch(() => {
      const [last, now] = [before, this.#read()];
      before = now;
      if (!now.isDirty) {
        if (last.isDirty) this.#writer.write(null);
      } else if (
        !last.isDirty ||
        now.body.definition !== last.body.definition ||
        now.body.baseVersionId !== last.body.baseVersionId
      ) {
        this.#writer.write(now.body);
      }
    });
    if (isKept) this.#writer.write(before.body);
    return () => {
      stopWatching();
      this.#writer.stop();
    };
  }

  /** Returns the edit that would be lost now, and the tag of the draft that it replaces; undefined if there is none. */
  readUnsaved(): (CanvasContent & { readonly tag: string | null }) | undefined {
    const { isDirty: isEdited, body } = this.#read();
    return isEdited && this.readState() !== 'saved' ? { ...body, tag: this.#writer.readTag() } : undefined;
  }

  /** Waits for saves in flight, and saves what is left. @returns whether nothing would be lost. */
  async settle(): Promise<boolean> {
    await this.#versions.settle();
    return (await this.#writer.flush()) || !hasChanges(this.#model.read());
  }

  /** Ends a conflict: replaces the draft of the other editor. */
  async saveMine(): Promise<void> {
    await this.#writer.overwrite();
  }

  /** Ends a conflict: replaces the canvas by the draft of the other editor, or by the version that it has become. */
  async loadTheirs(draft: ReadDraft | null): Promise<void> {
    if (draft === null) {
      this.#writer.accept(null);
      await this.#versions.takeTheirs();
      return;
    }
    this.#model.loadDraft(draft);
    // Last: the canvas has the stored draft now, so there is nothing to write.
    this.#writer.accept(draft.tag);
  }

  #read(): { readonly isDirty: boolean; readonly body: CanvasContent } {
    const state = this.#model.read();
    return {
      isDirty: hasChanges(state),
      body: { definition: definitionOf(state), baseVersionId: state.baseVersionId },
    };
  }
}
