/** The store of one draft. Tags identify what was saved; null stands for no draft. */
export interface DraftStore<T> {
  /** @returns the tag of what was saved. @throws what `isConflict` recognizes if the tag is not the current one. */
  save(content: T, tag: string | null): Promise<string>;
  remove(tag: string): Promise<void>;
  /** Returns the current tag. */
  readTag(): Promise<string | null>;
  isConflict(error: unknown): boolean;
}

/**
 * - `saved`: nothing is left to save.
 * - `pending`: an edit waits, or is being saved.
 * - `failed`: the last attempt failed; another one follows.
 * - `conflict`: somebody else saved a draft. Nothing is saved until the person decides.
 */
export type DraftState = 'saved' | 'pending' | 'failed' | 'conflict';

/** How long edits are gathered, in ms. */
const DELAY_MS = 1_000;
/** How long after a failure the next attempt follows, in ms. */
const RETRY_MS = 5_000;

/**
 * Saves the latest content soon after each edit. Requests follow one another, each conditional on the tag of the one
 * before, so an earlier content never overwrites a later one, nor that of another editor.
 */
export class DraftWriter<T> {
  readonly #store: DraftStore<T>;
  #tag: string | null;
  /** What the store should have: a content, null for no draft, or undefined if it has that already. */
  #wanted: T | null | undefined;
  #state: DraftState = 'saved';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(store: DraftStore<T>, tag: string | null) {
    this.#store = store;
    this.#tag = tag;
  }

  readonly readState = (): DraftState => this.#state;

  readonly watch = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Schedules a content to be saved, or the draft to be removed if it is null. */
  write(content: T | null): void {
    this.#wanted = content;
    if (this.#state === 'conflict' && content !== null) return;
    this.#become('pending');
    // There is nothing to gather for a removal.
    this.#schedule(content === null ? 0 : DELAY_MS);
  }

  /** Saves at once what is left. @returns whether nothing is left. */
  async flush(): Promise<boolean> {
    clearTimeout(this.#timer);
    for (;;) {
      if (this.#writing === undefined) {
        if (this.#wanted === undefined || this.#state === 'conflict') return this.#state === 'saved';
        this.#writing = this.#write(this.#wanted).finally(() => (this.#writing = undefined));
      }
      await this.#writing;
      if (this.#state === 'failed') return false;
    }
  }

  /** Ends attempts that are scheduled. */
  readonly stop = (): void => clearTimeout(this.#timer);

  /** Ends a conflict: replaces the draft of the other editor by the content that waits. */
  async overwrite(): Promise<void> {
    this.#tag = await this.#store.readTag();
    this.#become('pending');
    await this.flush();
  }

  /** Ends a conflict: continues with the draft of the other editor. */
  accept(tag: string | null): void {
    clearTimeout(this.#timer);
    this.#tag = tag;
    this.#wanted = undefined;
    this.#become('saved');
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), delayMs);
  }

  async #write(wanted: T | null): Promise<void> {
    this.#wanted = undefined;
    this.#become('pending');
    try {
      if (wanted !== null) this.#tag = await this.#store.save(wanted, this.#tag);
      else if (this.#tag !== null) {
        await this.#store.remove(this.#tag);
        this.#tag = null;
      }
      if (!this.#isLeft()) this.#become('saved');
    } catch (error) {
      // An edit that came meanwhile is later than the one that failed.
      if (!this.#isLeft()) this.#wanted = wanted;
      if (this.#store.isConflict(error)) {
        this.#become('conflict');
        return;
      }
      this.#become('failed');
      this.#schedule(RETRY_MS);
    }
  }

  #isLeft(): boolean {
    return this.#wanted !== undefined;
  }

  #become(state: DraftState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
