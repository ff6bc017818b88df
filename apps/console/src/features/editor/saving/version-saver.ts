import type { SavedVersion, SaveVersionBody, Workflow } from '@deckhand/contracts';
import { definitionOf, type EditorModel, hasChanges, type SaveRequest } from '../model/editor-model.ts';

/** What the saver needs of the API and the page. */
export interface VersionPorts {
  readonly saveVersion: (body: SaveVersionBody) => Promise<SavedVersion>;
  /** Reads the workflow as it is stored now. */
  readonly readLatest: () => Promise<Pick<Workflow, 'latestVersionId' | 'definition'>>;
  /** Called after each new version. The save is pending until its promise is settled. */
  readonly onSaved: (version: SavedVersion) => Promise<unknown>;
  /** Called if a save fails. */
  readonly onFailed: (error: unknown) => void;
}

/** Saves the canvas as versions, each based on the one that the editing started from. */
export class VersionSaver {
  readonly #model: EditorModel;
  readonly #ports: VersionPorts;
  /** The last request, whatever became of it: saves follow one another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(model: EditorModel, ports: VersionPorts) {
    this.#model = model;
    this.#ports = ports;
  }

  /**
   * Saves if there are changes.
   * @returns the version that the canvas shows.
   * @throws the error that the model has, too.
   */
  async save(comment = ''): Promise<string | null> {
    const state = this.#model.read();
    if (hasChanges(state)) await this.#request({ definition: definitionOf(state), comment });
    return this.#model.read().baseVersionId;
  }

  /** Waits for a save in flight, whether or not it succeeds. */
  async settle(): Promise<void> {
    await this.#last;
  }

  /** Saves as the latest version, after the one that was saved meanwhile, with the comment of the refused save. */
  async saveOnTop(): Promise<void> {
    const { save } = this.#model.read();
    const comment = save.kind === 'none' ? '' : save.request.comment;
    this.#model.rebase((await this.#ports.readLatest()).latestVersionId);
    await this.#request({ definition: definitionOf(this.#model.read()), comment });
  }

  /** Replaces the canvas by the latest version. */
  async takeTheirs(): Promise<void> {
    const { latestVersionId, definition } = await this.#ports.readLatest();
    if (definition) this.#model.load(definition, latestVersionId);
  }

  #request(request: SaveRequest): Promise<void> {
    this.#model.beginSave(request);
    const saving = this.#last.then(() => this.#send(request));
    this.#last = saving.catch(() => undefined);
    return saving;
  }

  async #send(request: SaveRequest): Promise<void> {
    const { definition, comment } = request;
    const { saved, baseVersionId } = this.#model.read();
    try {
      // The request before may have saved it.
      if (definition !== saved) {
        const base = baseVersionId === null ? {} : { baseVersionId };
        const version = await this.#ports.saveVersion({ definition, comment, ...base });
        this.#model.markSaved(definition, version);
        await this.#ports.onSaved(version);
      }
      this.#model.endSave(request);
    } catch (error) {
      this.#model.failSave(request, error);
      this.#ports.onFailed(error);
      throw error;
    }
  }
}
